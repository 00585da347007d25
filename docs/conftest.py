"""The pages' examples run as tests; each page works in an empty folder of its own."""

import pytest

collect_ignore = ["conf.py"]
collect_ignore_glob = ["_build/*", "gallery/*"]


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path, monkeypatch):
    """Run a page where the files that it writes do no harm."""
    monkeypatch.chdir(tmp_path)
