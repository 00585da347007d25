"""What other registries are told is what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

import pytest

import spherelax as sl

ROOT = Path(__file__).resolve().parents[1]
REQUIRED = {
    *("name", "description", "project_home", "documentation_home", "install", "license"),
    *("tags", "version", "category", "contact"),
}  # by the schema of scverse/ecosystem-packages


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read(name):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "packaging" / name).read_text())


def needs(lines):
    """Return the bounds of each package, whatever blanks are between."""
    plain = (re.sub(r"\s", "", line) for line in lines)
    return dict(re.match(r"([\w-]+)(.*)", line).groups() for line in plain)


def test_the_recipe_needs_what_the_package_needs(project):
    recipe = read("conda-forge/recipe.yaml")
    run = needs(recipe["requirements"]["run"])
    assert run.pop("python") == ">=${{python_min}}"
    wanted = needs(project["dependencies"])
    assert {name: set(bounds.split(",")) for name, bounds in run.items()} == {
        name: set(bounds.split(",")) for name, bounds in wanted.items()
    }
    assert recipe["context"]["version"] == sl.__version__
    assert recipe["about"]["license"] == project["license"]
    entries = [f"{name} = {target}" for name, target in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries


def test_the_list_of_scverse_gets_all_fields_that_it_asks_for(project):
    meta = read("scverse/meta.yaml")
    assert set(meta) >= REQUIRED
    assert meta["version"] == sl.__version__
    assert meta["license"] == project["license"]
    for path in re.findall(r"tests/\S+", meta["test_command"]):
        assert (ROOT / path).exists()
