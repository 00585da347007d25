"""Records of two shops, some pairs of which are in doubt; and a server that asks about them."""

from threading import Thread

import numpy as np
import pytest

import spherelax as sl
from spherelax.asking.page import Shown
from spherelax.asking.server import Server
from spherelax.asking.session import Session
from spherelax.io import Records
from spherelax.io.readers.answered import AnswerFile

N_PEOPLE = 12
HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture(scope="session")
def people():
    """Record i of the one shop is record i of the other; some pairs are in doubt."""
    W = np.zeros((2 * N_PEOPLE, 2 * N_PEOPLE))
    for i in range(N_PEOPLE):
        W[i, N_PEOPLE + i] = 0.3 if i % 3 < 2 else 4.0
        W[i, N_PEOPLE + (i + 1) % N_PEOPLE] = -0.5
    ids = [f"{shop}{i}" for shop in "ns" for i in range(N_PEOPLE)]
    shops = ["north"] * N_PEOPLE + ["south"] * N_PEOPLE
    names = [f"Ann Berg {i}" for i in range(N_PEOPLE)]
    details = {
        "name": [HOSTILE, *names[1:], *(name.replace("Ann", "Anna") for name in names)],
        "town": ["Lund"] * N_PEOPLE + [None, *["Lund"] * (N_PEOPLE - 1)],
    }
    return Records(W + W.T, ids, shops, shops, kind="odds", details=details)


@pytest.fixture(scope="session")
def result(people):
    return sl.solve(people.problem)


@pytest.fixture
def begin(people, result, tmp_path):
    """Begin to ask, or go on with the answers that are there."""
    begun = []

    def session(judged=None, **extra):
        store = AnswerFile(tmp_path / "answers.sqlite", people)
        begun.append(Session(people, result, store, sl.Judgements.of(judged), **extra))
        return begun[-1]

    yield session
    for one in begun:
        one.close()


@pytest.fixture
def server(people, begin):
    """A server that is running."""
    with Server(begin(), Shown(people, "pairs.csv", "next: spherelax match pairs.csv")) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()
