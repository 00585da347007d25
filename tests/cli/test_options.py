"""Options: every setting is one, and their choices are those of Python."""

import inspect
import re
from dataclasses import fields

import click
import pytest

import spherelax
from spherelax import cli, io, problem
from spherelax.cli import manual, options
from spherelax.settings import SOLVERS, Coordinate, Power

COMMANDS = [cli.cluster, cli.match, cli.path, cli.report]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_setting_is_an_option_that_tells_its_default(command: click.Command) -> None:
    shown = {option.name: option for option in command.params}
    for solver, other in ((Coordinate, Power), (Power, Coordinate)):
        for setting in fields(solver):
            option = shown[setting.name]
            text, legal = option.help, setting.metadata["legal"]
            assert setting.metadata["text"] in text
            assert option.type.name == ("integer" if legal.integer else "float")
            is_own = setting.name not in {one.name for one in fields(other)}
            assert text.startswith(f"{solver.name} only: ") == is_own
            if setting.default is None:
                continue
            told = re.search(r"Default: (.*)\.$", text)[1]
            if is_own or setting.default == getattr(other(), setting.name):
                assert float(told) == setting.default
            else:
                first, second = re.fullmatch(r"(\S+), with power (\S+)", told).groups()
                assert float(first if solver is Coordinate else second) == setting.default
    for option in shown.values():
        assert (
            option.default is None
            or type(option.default).__name__ == "Sentinel"
            or (option.is_flag and option.default is False)
        )


def test_choices_are_those_of_the_settings() -> None:
    assert tuple(options.SOLVING["--solver"].kind.choices) == tuple(SOLVERS)
    assert tuple(options.READING["--kind"].kind.choices) == problem.KINDS
    assert next(iter(SOLVERS)) == inspect.signature(spherelax.solve).parameters["solver"].default
    picks = tuple(options.SOLVING["--pick"].kind.choices)
    assert picks == Coordinate.picks
    assert set(Power.picks) == set(picks)


def test_kinds_are_those_of_read() -> None:
    assert set(options.KINDS) == set(io.reading.FORMATS)
    assert set(manual.KINDS_TEXT) == {*options.KINDS, "groups"}
