"""Fuzzing that is guided by coverage: atheris changes files so that they reach new code.

``python -m fuzzing.guided edges -max_total_time=60``; other arguments are those of libFuzzer. The
good files of `specimens` are the corpus to begin with.
"""

import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import atheris
import scipy.io  # noqa: F401 (loaded before, so that only our own modules are instrumented)
import sklearn.neighbors  # noqa: F401

with atheris.instrument_imports(include=["spherelax.io"]):
    import spherelax as sl
    import spherelax.io

from fuzzing.specimens import make_specimens

READERS = {
    "edges": (".csv", sl.io.read_edges),
    "pairs": (".csv", sl.io.read_pairs),
    "points": (".csv", sl.io.read_points),
    "npy": (".npy", sl.io.read),
    "npz": (".npz", sl.io.read),
    "mtx": (".mtx", sl.io.read),
    "parquet": (".parquet", sl.io.read),
    "result": (".npz", sl.io.load_result),
}


def main(name: str, *arguments: str) -> None:
    """Fuzz one reader; anything but an answer or an error of our own ends it."""
    ending, read = READERS[name]
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        corpus, path = Path(folder, "corpus"), Path(folder, f"input{ending}")
        corpus.mkdir()
        for specimen in make_specimens(corpus):
            if specimen.suffix != ending:
                specimen.unlink()

        def try_one(content: bytes) -> None:
            path.write_bytes(content)
            with suppress(sl.InvalidInputError):
                read(path)

        atheris.Setup([name, str(corpus), "-timeout=30", *arguments], try_one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
