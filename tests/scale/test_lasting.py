"""Ids of entities in files stay as those in memory do, and no id is used twice."""

import csv

import numpy as np
import pytest

import spherelax as sl
from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pa_csv = pytest.importorskip("pyarrow.csv")
pytest.importorskip("duckdb")

from support.shard_tables import rows, table  # noqa: E402 (it needs both)

from spherelax import scale  # noqa: E402
from spherelax.scale.ingest import silent  # noqa: E402
from spherelax.scale.lasting import Earlier, keep_ids  # noqa: E402


def generation(rng, ids):
    """Return a random answer for some records of two sources, by their order."""
    chosen = np.sort(rng.permutation(40)[: rng.integers(8, 40)])
    entity = rng.integers(0, 9, len(chosen))
    first = [int(chosen[np.argmax(entity == each)]) for each in entity]
    source = np.where(chosen < 20, "bank", "shop").tolist()
    return {"source": source, "id": [ids(item) for item in chosen.tolist()], "entity": first}


def write(folder, answer):
    """Write an answer as two files, as a run does."""
    folder.mkdir()
    cut = -(-len(answer["id"]) // 3)
    files = [folder / f"part-0000{at}.parquet" for at in range(2)]
    for file, part in zip(files, (slice(cut), slice(cut, None)), strict=True):
        pq.write_table(pa.table({name: column[part] for name, column in answer.items()}), file)
    return files


@pytest.mark.parametrize("ids", [int, lambda item: f"r{item:02d}"])
def test_ids_are_those_in_memory_over_generations(tmp_path, seed, ids):
    rng = np.random.default_rng(seed)
    first = generation(rng, ids)
    pq.write_table(pa.table(first), tmp_path / "first.parquet")
    before, like = sl.keep_ids(first, first), tmp_path / "first.parquet"
    for at in range(4):
        answer = generation(rng, ids)
        before = sl.keep_ids(before, answer)
        files = write(tmp_path / f"{at}", answer)
        found = keep_ids(Earlier.of(like), files, "1GB", silent)
        kept = pa.concat_tables([pq.read_table(file) for file in files])["entity"].to_pylist()
        assert kept == before.numbers.tolist()
        assert found.given.next_free == before.next_free
        with (tmp_path / f"{at}" / "ids.csv").open() as file:
            register = list(csv.DictReader(file))
        expected = before.register()
        for name, column in expected.items():
            said = ["" if value is None else str(value) for value in column]
            assert [row[name] for row in register] == said
        like = tmp_path / f"{at}.parquet"
        pq.write_table(pa.concat_tables([pq.read_table(file) for file in files]), like)
        register = pa_csv.read_csv(tmp_path / f"{at}" / "ids.csv")
        pq.write_table(register, tmp_path / f"{at}.ids.parquet")


@pytest.mark.usefixtures("here")
def test_a_run_keeps_the_ids_of_another(tmp_path):
    first = scale.solve(table(seed=0), tmp_path / "first", n_shards=2)
    fewer = table(seed=1, n_entities=40)
    second = scale.solve(fewer, tmp_path / "second", n_shards=3, ids_like=first.folder)
    third = scale.solve(table(seed=2), tmp_path / "third", n_shards=1, ids_like=second.folder)
    assert first.ids is None
    columns = [
        {name: [row[name] for row in rows(found)] for name in ("source", "id", "entity")}
        for found in (first, second, third)
    ]
    own = rows(scale.solve(fewer, tmp_path / "own", n_shards=3))
    ids = sl.keep_ids(columns[0], {**columns[1], "entity": [row["entity"] for row in own]})
    assert columns[1]["entity"] == ids.numbers.tolist()
    assert second.ids == {
        name: getattr(ids, name) for name in ("n_kept", "n_new", "n_ended", "next_free")
    }
    assert min(second.ids["n_kept"], second.ids["n_ended"], third.ids["n_new"]) > 9
    ended = set(columns[0]["entity"]) - set(columns[1]["entity"])
    assert ended
    assert not ended & set(columns[2]["entity"])
    assert third.ids["next_free"] == second.ids["next_free"] + third.ids["n_new"]
    again = scale.solve(fewer, tmp_path / "csv", n_shards=3, ids_like=_as_csv(first))
    assert rows(again) == rows(second)
    page = (second.folder / "report.html").read_text()
    largest = max(set(columns[1]["entity"]), key=columns[1]["entity"].count)
    assert f"{largest:,}" in page


def _as_csv(entities):
    """Write entities as a table of text."""
    path = entities.folder.with_suffix(".csv")
    found = [(row["source"], row["id"], row["entity"]) for row in rows(entities)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("source", "id", "entity"), *found])
    return path


@pytest.mark.usefixtures("here")
def test_a_run_with_other_ids_is_refused_and_lost_files_are_written_again(tmp_path, pairs):
    first = scale.solve(pairs, tmp_path / "first")
    found = scale.solve(pairs, tmp_path / "out", ids_like=first.folder)
    assert scale.solve(pairs, tmp_path / "out", ids_like=first.folder) == found
    with pytest.raises(InvalidInputError, match="holds entities of other pairs, settings or ids"):
        scale.solve(pairs, tmp_path / "out")
    with pytest.raises(InvalidInputError, match="must be another folder"):
        scale.solve(pairs, tmp_path / "out", ids_like=tmp_path / "out")
    register = (found.folder / "ids.csv").read_bytes()
    (found.folder / "ids.csv").unlink()
    with pytest.raises(InvalidInputError, match=r"ids\.csv: was damaged"):
        Earlier.of(found.folder)
    assert scale.solve(pairs, tmp_path / "out", ids_like=first.folder) == found
    assert (found.folder / "ids.csv").read_bytes() == register
    assert not (found.folder / "work").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,entity\n", "must have at least one row; found none"),
        ("id,entity\nx,1.5\n", "must be whole numbers from 0; found entity '1.5'"),
        ("id,entity\nx,1\nx,2\n", "items must be listed once; found 'x' again"),
        ("id,entity\n,1\n", "id must not be empty"),
        ("id,score\nx,1\n", "must have one of the columns entity, label"),
        ("name,entity\nx,1\n", "items must be named by the columns"),
        ("source,id,entity\nshop,x,1\n", "must name items by the same columns"),
    ],
)
def test_earlier_answers_that_cannot_be_used_are_refused(tmp_path, text, message):
    (tmp_path / "june.csv").write_text(text)
    answer = {"id": ["x", "y"], "entity": [0, 0]}
    files = write(tmp_path / "out", answer)
    with pytest.raises(InvalidInputError, match=message):
        keep_ids(Earlier.of(tmp_path / "june.csv"), files, "1GB", silent)


@pytest.mark.parametrize(
    ("register", "message"),
    [
        ("id,state,items,successor\n7,living,1,\n", "id 7 is not in that"),
        ("id,state,items,successor\n", "id 1 is in that only"),
        ("id,state,items\n1,living,1\n", "successor"),
        ("id,state,items,successor\nx,living,1,\n", "cannot be read"),
    ],
)
def test_the_register_of_another_answer_is_refused(tmp_path, register, message):
    (tmp_path / "june.csv").write_text("id,entity\nx,1\n")
    (tmp_path / "june.ids.csv").write_text(register)
    files = write(tmp_path / "out", {"id": ["x", "y"], "entity": [0, 0]})
    with pytest.raises(InvalidInputError, match=message):
        keep_ids(Earlier.of(tmp_path / "june.csv"), files, "1GB", silent)


def test_a_folder_that_no_run_wrote_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"summary\.json: No such file"):
        Earlier.of(tmp_path)
