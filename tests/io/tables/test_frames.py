"""Tables of pandas, polars and Arrow, in memory and in files."""

import datetime as dt
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from spherelax import InvalidInputError
from spherelax.io.readers.pairs import read_pairs
from spherelax.io.tables.frames import Sheet, read_sheet
from spherelax.io.tables.parquet import parquet_batches, parquet_bytes

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
DAY = dt.date(2024, 2, 29)
HELD = {
    "int": [7, -1, 2**62],
    "str": ["7", "", "ä, \n'"],
    "float": [0.5, 0.1 + 0.2, 1e300],
    "bool": [True, False, True],
    "date": [DAY, dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    "datetime": [dt.datetime(2024, 2, 29, 23, 59, 59, 5), *[dt.datetime(1970, 1, 1)] * 2],
    "uuid": [UUID(int=7), UUID(int=0), UUID(int=2**128 - 1)],
    "bytes": [b"\0\xff", b"", b"x"],
}


def columns_of(frame: object) -> dict[str, list[object]]:
    sheet = read_sheet(frame, "a table")
    return {name: sheet.values(name) for name in sheet.columns}


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("kind", HELD)
def test_values_survive_a_frame_and_a_file(tmp_path: Path, library: str, kind: str) -> None:
    if kind == "uuid":
        pytest.importorskip("pyarrow", minversion="24", reason="Arrow has no UUIDs of Python yet")
    columns = {"id": HELD[kind], "entity": [0, 0, 1]}
    assert columns_of(MAKERS[library](columns)) == columns
    path = tmp_path / "entities.parquet"
    path.write_bytes(parquet_bytes(columns, "t.parquet"))
    found = columns_of(path)
    assert found == columns
    assert [type(value) for value in found["id"]] == [type(value) for value in HELD[kind]]


def test_objects_of_pandas_stay_what_they_are() -> None:
    ids = [7, "7", UUID(int=7), ("a", 1), dt.date(2024, 1, 1)]
    found = columns_of(pd.DataFrame({"id": ids}))["id"]
    assert [(type(value), value) for value in found] == [(type(value), value) for value in ids]


@pytest.mark.parametrize("library", MAKERS)
def test_missing_values_are_none(library: str) -> None:
    frame = MAKERS[library]({"id": ["x", None], "score": [0.5, None]})
    assert columns_of(frame) == {"id": ["x", None], "score": [0.5, None]}
    nan = MAKERS[library]({"score": [float("nan"), 0.5]})
    assert columns_of(nan) == {"score": [None, 0.5]}


def test_missing_values_of_pandas_are_none() -> None:
    frame = pd.DataFrame(
        {
            "nullable": pd.array([7, None], dtype="Int64"),
            "time": pd.to_datetime(["2024-01-01", None]),
            "kind": pd.Categorical(["x", None]),
            "object": pd.Series([UUID(int=1), float("nan")], dtype=object),
        }
    )
    found = columns_of(frame)
    assert [found[name][1] for name in found] == [None] * 4
    assert found["nullable"][0] == 7
    assert found["object"][0] == UUID(int=1)


def test_lazy_frames_are_collected() -> None:
    assert columns_of(pl.LazyFrame({"id": [7, 8]})) == {"id": [7, 8]}


def test_text_stays_text_and_knows_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("# made by hand\n id ; score\n007;0.5\n\n7;\n")
    sheet = read_sheet(path, "a table of pairs")
    assert sheet.columns == {"id": ["007", "7"], "score": ["0.5", None]}
    assert str(sheet.fault(1, "why")) == f"{path}, row 5: why"
    assert str(Sheet("x", {}, None).fault(1, "why")) == "x, row 1 (from 0): why"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", b"", "not a readable .parquet file; "),
        ("t.parquet", b"id,score\n1,2\n", "not a readable .parquet file; "),
        ("t.parquet", b"PAR1" * 9, "not a readable .parquet file; "),
        ("t.parquet", parquet_bytes({"id": [1]}, "t")[:-9], "not a readable .parquet file; "),
        ("t.parquet", parquet_bytes({"id": []}, "t"), "must have at least one row; found none"),
        ("t.xlsx", b"", "a table must end in .csv, .tsv, .txt, .parquet"),
        ("t.csv", b"id,id\n1,2\n", "names of columns must differ; found 'id' twice"),
        ("t.csv", b"id,score\n", "must have rows after the header; found none"),
        ("t.csv", b"id,score\n1,2,3\n", "row 2: the number of columns of a table must be 2"),
        ("t.csv", b"", "must hold a table; found an empty file"),
    ],
)
def test_faults_of_files_are_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        read_sheet(path, "a table")
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_text_of_parquet_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    damaged = pa.array([b"one", b"\xc5"]).view(pa.string())
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table({"id_a": damaged, "id_b": ["c", "d"], "score": [0.5, 0.9]}), path)
    with pytest.raises(InvalidInputError, match=r"pairs\.parquet: not a readable \.parquet file"):
        read_pairs(path)
    with pytest.raises(InvalidInputError, match=r"pairs\.parquet: not a readable \.parquet file"):
        list(parquet_batches(path))


def test_every_damage_to_a_parquet_file_is_told_in_one_line(tmp_path: Path) -> None:
    whole = parquet_bytes({"id": [*"abcdefgh"], "score": [0.5] * 8}, "t.parquet")
    path = tmp_path / "damaged.parquet"
    told = []
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes(b ^ 0xFF for b in whole[at : at + 3]) + whole[at + 3 :])
        try:
            columns_of(path)
        except InvalidInputError as error:
            told.append(str(error))
    assert len(told) > 9
    assert all(message.startswith(str(path)) and "\n" not in message for message in told)


def test_missing_files_and_what_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"no\.parquet: No such file"):
        read_sheet(tmp_path / "no.parquet", "a table")
    with pytest.raises(InvalidInputError, match=r"a table must be a file or a table .* found list"):
        read_sheet([1, 2], "a table")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system lists no threads")
def test_no_thread_of_arrow_outlives_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet_bytes({"id": [*range(1000)]}, "t"))
    script = f"""
from pathlib import Path
import pyarrow.parquet
from spherelax.io.tables.parquet import read_parquet
before = len([*Path("/proc/self/task").iterdir()])
assert read_parquet({str(path)!r}).num_rows == 1000
assert len([*Path("/proc/self/task").iterdir()]) == before
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_csv_needs_no_library_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,score\nx,1\n")
    script = f"""
import sys
sys.modules.update(dict.fromkeys(["pandas", "polars", "pyarrow"]))
from spherelax.io.tables.frames import read_sheet
from spherelax.io.tables.parquet import parquet_bytes
assert read_sheet({str(path)!r}, "a table").columns == {{"id": ["x"], "score": ["1"]}}
try:
    parquet_bytes({{"id": [1]}}, "t.parquet")
except ImportError as error:
    assert str(error) == "t.parquet: .parquet needs pyarrow: pip install pyarrow", error
else:
    raise SystemExit("no error")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["", "score"])
def test_columns_of_one_name_in_parquet_are_refused(tmp_path, name):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 2, names=[name, name]), path)
    with pytest.raises(InvalidInputError, match=f"names of columns must differ; found '{name}' tw"):
        read_sheet(path, "a table of pairs")
