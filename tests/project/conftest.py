"""Pairs of two weeks, and the file of a project."""

import pytest
from support.weeks import matches


@pytest.fixture
def june():
    return matches(0, 12)


@pytest.fixture
def july():
    return matches(12, 20)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.duckdb"
