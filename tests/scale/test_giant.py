"""A component that is too large is refused, with floors that help."""

import numpy as np
import pytest

from spherelax import InvalidInputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
from support.shard_tables import table  # noqa: E402

from spherelax import scale  # noqa: E402
from spherelax.scale import run, shards  # noqa: E402


@pytest.mark.usefixtures("here")
def test_a_giant_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    n = 400
    chain = pa.table(
        {"id_a": range(n - 1), "id_b": range(1, n), "score": np.tile([0.9, 0.8, 0.2], n)[: n - 1]}
    )
    monkeypatch.setattr(shards, "PROCESS_BYTES", 0)
    monkeypatch.setattr(run, "available", lambda: 20_000)
    message = (
        "^shard-00000: 400 records and 399 pairs in one component need .* GB of memory; "
        ".* More memory will do, or a floor: from 0.8 on .* GB, from 0.9 on .* GB$"
    )
    with pytest.raises(InvalidInputError, match=message):
        scale.solve(chain, tmp_path / "out", n_jobs=1)
    assert not list((tmp_path / "out").rglob("round-*"))
    with pytest.raises(InvalidInputError, match=r"components need .* more shards \(max_pairs\)"):
        scale.solve(table(n_entities=200), tmp_path / "many", n_jobs=1)
