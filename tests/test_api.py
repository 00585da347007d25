"""Public names and their arguments are those of api.txt, so that no change goes unnoticed."""

import inspect
import re
from collections.abc import Callable, Iterator
from enum import EnumMeta
from functools import cached_property
from pathlib import Path
from types import FunctionType

from test_layers import PUBLIC

LISTED = Path(__file__).with_name("api.txt")
RULE = """Public names or arguments are not those of tests/api.txt.
If the change is meant and follows "What may change" in CONTRIBUTING.md, write the file anew with
    .venv/bin/python tests/test_api.py
and commit it together with the change and a line in CHANGELOG.md."""

# What `fit` makes is known from the docstring alone.
FITTED = re.compile(r"^(\w+_) :", re.MULTILINE)


def called(name: str, thing: Callable[..., object]) -> str:
    """Write a name with its arguments and their defaults; types are checked by mypy."""
    signature = inspect.signature(thing)
    arguments = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return name + str(inspect.Signature(arguments))


def written(name: str, thing: object) -> Iterator[str]:
    """Write a public name and, if it is a class, what it has that is not inherited from others."""
    if not inspect.isclass(thing):
        yield called(name, thing)
        return
    is_plain = issubclass(thing, Exception) or isinstance(thing, EnumMeta)
    yield name if is_plain else called(name, thing)
    yield from (f"{name}.{member}" for member in getattr(thing, "__members__", ()))
    yield from (f"{name}.{attribute}" for attribute in FITTED.findall(inspect.getdoc(thing) or ""))
    for base in thing.__mro__:
        if not base.__module__.startswith("spherelax"):
            continue
        for member, value in vars(base).items():
            if member.startswith("_"):
                continue
            value = getattr(value, "fn", value)  # noqa: PLW2901 (scikit-learn's available_if)
            if isinstance(value, FunctionType):
                yield called(f"{name}.{member}", value)
            elif isinstance(value, classmethod):
                yield called(f"{name}.{member}", value.__func__)
            elif isinstance(value, property | cached_property):
                yield f"{name}.{member}"


def api() -> str:
    """Write every public name on a line of its own."""
    return "".join(
        f"{line}\n"
        for line in sorted(
            {line for name, thing in PUBLIC.items() for line in written(name, thing)}
        )
    )


def test_public_names_and_arguments_are_the_listed_ones() -> None:
    assert api() == LISTED.read_text(), RULE


if __name__ == "__main__":
    LISTED.write_text(api())
