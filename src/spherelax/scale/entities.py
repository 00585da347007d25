"""The answer of a run: sums of all shards, files of entities, and a table in a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spherelax.errors import InvalidInputError
from spherelax.io.answers.packed import Values
from spherelax.io.files.faults import first_line
from spherelax.io.files.seals import check_file, read_json, seal_json, sum_file
from spherelax.result import Status
from spherelax.scale.answers import part
from spherelax.scale.origins import name, text
from spherelax.scale.protocol import OUTCOME
from spherelax.scale.shards import Plan
from spherelax.scale.workspace import library

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SUMMARY, PAGE = "summary.json", "report.html"
# All ids that were ever given, if those of an earlier answer were kept.
REGISTER = "ids.csv"
# DuckDB opens tables of other formats too, but in memory: what is written there is lost.
FILE = "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"


@dataclass(frozen=True)
class Entities:
    """Entities in files, and what they are like.

    Attributes
    ----------
    folder : Path
        It holds ``part-00000.parquet`` and so on: source, if there are sources, id, entity and
        confidence of each record; ``summary.json``, which has all this; and ``report.html``.
    status : Status
        How the entities were chosen.
    n_items, n_pairs, n_components : int
        Records, different pairs and components.
    n_entities, n_single, n_unsure : int
        Entities, those of a single record, and records of a confidence below 0.1.
    confidence : float
        The average.
    resolution, saving : float or None
        As in :class:`spherelax.Result`.
    sizes : dict of int to int
        Number of entities by their number of records.
    n_parts : int
        Number of files.
    ids : dict of str to int, or None
        How many ids of an earlier answer were kept, are new and have ended, and the next free one:
        ``n_kept``, ``n_new``, ``n_ended``, ``next_free``. None: there was no earlier answer.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> from spherelax import scale
    >>> pairs = pa.table({"id_a": ["x"], "id_b": ["y"], "score": [0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = scale.solve(pairs, folder, n_jobs=1)
    ...     scale.Entities.load(folder) == found
    True
    >>> found.n_items, found.sizes
    (2, {2: 1})
    """

    folder: Path
    status: Status
    n_items: int
    n_pairs: int
    n_components: int
    n_entities: int
    n_single: int
    n_unsure: int
    confidence: float
    resolution: float | None
    saving: float | None
    sizes: dict[int, int]
    n_parts: int
    ids: dict[str, int] | None = None

    @property
    def parts(self) -> tuple[Path, ...]:
        """The files of entities."""
        return tuple(part(self.folder, number) for number in range(self.n_parts))

    @classmethod
    def load(cls, folder: str | Path) -> Entities:
        """Read the summary of a folder, and check the files of its entities.

        Raises
        ------
        InvalidInputError
            If there is none, or a file was damaged.
        """
        return read_entities(Path(folder))[0]


def read_entities(folder: Path) -> tuple[Entities, str]:
    """Read the summary of a folder, and what tells its run from others; check its files."""
    found = read_json(folder / SUMMARY)
    run, checksums = found.pop("run"), found.pop("checksums")
    sizes = {int(size): n for size, n in found.pop("sizes").items()}
    found["status"] = Status(found["status"])
    for file, checksum in checksums.items():
        if (folder / file).exists():  # a run writes again what is lost
            check_file(folder / file, checksum)
    return Entities(folder=folder, sizes=sizes, **found), run


def save_entities(entities: Entities, run: str) -> None:
    """Write the summary, with checksums of all files and what tells the run from others."""
    about = {key: value for key, value in asdict(entities).items() if key != "folder"}
    about["sizes"] = {str(size): n for size, n in entities.sizes.items()}
    files = [*entities.parts, entities.folder / PAGE]
    if entities.ids is not None:
        files.append(entities.folder / REGISTER)
    checksums = {file.name: sum_file(file) for file in files}
    seal_json(entities.folder / SUMMARY, {"run": run, **about, "checksums": checksums})


def read_outcome(plan: Plan) -> Values:
    """Read what the rounds have found."""
    return read_json(plan.folder / OUTCOME)


def gathered(plan: Plan, into: Path, sums: Sequence[Values]) -> Entities:
    """Add the sums of all shards."""
    outcome = read_outcome(plan)
    sizes: Counter[int] = Counter()
    for shard in sums:
        sizes.update(dict(shard["sizes"]))
    return Entities(
        folder=into,
        status=Status(outcome["status"]),
        n_items=plan.n_items,
        n_pairs=plan.n_pairs,
        n_components=plan.n_components,
        n_entities=sizes.total(),
        n_single=sizes[1],
        n_unsure=sum(shard["n_unsure"] for shard in sums),
        confidence=sum(shard["confidence"] for shard in sums) / plan.n_items,
        resolution=outcome.get("resolution"),
        saving=outcome.get("saving"),
        sizes=dict(sorted(sizes.items())),
        n_parts=len(plan.shards),
    )


def to_database(entities: Entities, database: Path, table: str) -> None:
    """Copy the entities to a new table of a DuckDB database, which is made if it is not there.

    Raises
    ------
    InvalidInputError
        If the table is there with other rows, or the database cannot be written.
    """
    duckdb = library()
    path = ".".join(map(name, table.split(".")))
    rows = f"read_parquet([{', '.join(text(file) for file in entities.parts)}])"
    try:
        with duckdb.connect(str(database)) as db:
            if not db.execute(FILE).fetchone()[0]:
                raise InvalidInputError(f"{database}: must be a DuckDB database; found other data")
            try:
                db.execute(f"CREATE TABLE {path} AS SELECT * FROM {rows}")
            except duckdb.CatalogException as error:
                if not _is_same(db, path, rows):
                    raise InvalidInputError(
                        f"{database}: {table} is there with other rows, or cannot be made; choose "
                        f"another name; {first_line(error)}"
                    ) from None
    except duckdb.Error as error:
        raise InvalidInputError(f"{database}: cannot be written; {first_line(error)}") from None


def _is_same(db: DuckDBPyConnection, table: str, rows: str) -> bool:
    """Tell whether a table has the same rows as files."""
    try:
        apart = (
            f"(FROM {table} EXCEPT ALL FROM {rows}) UNION ALL (FROM {rows} EXCEPT ALL FROM {table})"
        )
        return not db.execute(f"SELECT count(*) FROM ({apart})").fetchone()[0]
    except library().Error:
        return False
