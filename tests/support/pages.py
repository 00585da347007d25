"""Pages of Markdown, run as they are printed: Python, commands, and what they print.

Blocks of a page run one after the other, in one folder and with one set of Python names. Prompts
(``>>>``) are checked as doctests are. A command behind ``$`` runs in bash; if output is printed
below it, the program has to print the same, numbers with a decimal point about the same. A line
``...`` stands for any lines, and ``...`` in a line for any text. ``$ cat file`` with its content
makes a file that is not there yet. Commands of spherelax alone, without anything that only a shell
understands, run in this process. Comments tell what a reader need not see::

    <!-- setup: given("june.csv") -->     Python; `given` writes a file that the page shows later
    <!-- not run: it needs Spark -->      above a block
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from support.program import invoke

PARTS = re.compile(
    r"^<!-- (?P<word>setup|not run):\s(?P<note>.*?)\s-->\n"
    r"|^```(?P<kind>[^\n]*)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
NUMBER = re.compile(r"(-?\d+\.\d+(?:e[+-]?\d+)?)")
ANY = "..."
SHOWN = r'Path\("{}"\)\.write_text\("{{3}}\\\n(.*?)"{{3}}\)'
RUNS = {"python", "console", "sh"}
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "OPENBLAS_NUM_THREADS": "1",
    "XDG_CACHE_HOME": str(Path.home() / ".cache"),
}


class Block(NamedTuple):
    """A block of a page: its line, its kind, its text, where it begins, and why it is not run."""

    line: int
    kind: str
    code: str
    start: int
    excuse: str | None


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a page, and what its comments set up."""
    blocks, excuse = [], None
    for part in PARTS.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if part["word"] == "not run":
            excuse = part["note"]
            continue
        kind, code, group = (
            ("setup", part["note"], "note")
            if part["word"]
            else (part["kind"], part["code"], "code")
        )
        blocks.append(Block(line, kind, code, part.start(group), excuse))
        excuse = None
    return blocks


def is_like(line: str, shown: str) -> bool:
    """Whether a line is the one that is shown: numbers with a decimal point about the same."""
    if ANY in shown:
        return re.fullmatch(".*".join(map(re.escape, shown.split(ANY))), line) is not None
    mine, theirs = NUMBER.split(line), NUMBER.split(shown)
    return len(mine) == len(theirs) and all(
        abs(float(a) - float(b)) <= max(0.02, 0.02 * abs(float(b))) if odd % 2 else a == b
        for odd, (a, b) in enumerate(zip(mine, theirs, strict=True))
    )


def are_like(lines: list[str], shown: list[str]) -> bool:
    """Whether lines are those that are shown; a line of three dots stands for any lines."""
    if not shown:
        return not lines
    if shown[0] == ANY:
        return any(are_like(lines[at:], shown[1:]) for at in range(len(lines) + 1))
    return bool(lines) and is_like(lines[0], shown[0]) and are_like(lines[1:], shown[1:])


def print_again(lines: list[str], shown: list[str]) -> list[str]:
    """Return as many of the lines as are shown before and after the first three dots."""
    if ANY not in shown:
        return lines
    head, tail = shown.index(ANY), len(shown) - shown.index(ANY) - 1
    return [*lines[:head], ANY, *lines[len(lines) - tail :]]


def run_command(command: str, folder: Path) -> tuple[int, list[str]]:
    """Run a command here if that can be, and else in bash."""
    line = command.replace("\\\n", " ")
    needs_shell = re.search(r"[|&;<>$*?~`\\(){}\n]", QUOTED.sub("", line))
    if needs_shell or not line.startswith("spherelax "):
        return shell(command, folder)
    with chdir(folder):
        done = invoke(*shlex.split(line, comments=True)[1:])
    return done.exit_code, done.output.splitlines()


def shell(command: str, folder: Path) -> tuple[int, list[str]]:
    """Run a command in bash: its code, and the lines that it prints."""
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command], cwd=folder, check=False,
        env={**ENVIRONMENT, "HOME": str(folder)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines()


def run_commands(code: str, where: str, folder: Path) -> str:
    """Run the commands of a block; return the block with what they print now."""
    commands = COMMAND.findall(code)
    printed = "".join(f"$ {command}\n{output}" for command, output in commands)
    assert printed == code, f"{where}: a block of commands begins with $"
    now = []
    for command, output in commands:
        shown = output.splitlines()
        file = re.fullmatch(r"cat (\S+)", command)
        if file and shown and not (folder / file[1]).exists():
            (folder / file[1]).write_text(output)
        status, lines = run_command(command, folder)
        fails = any(line.startswith("spherelax: ") for line in shown)
        said = "\n".join(lines)
        assert status == (2 if fails else 0), f"{where}: {command}\nended with {status}:\n{said}"
        same = not shown or are_like(lines, shown)
        again = shown if same else print_again(lines, shown)
        now.append(f"$ {command}\n" + "".join(f"{line}\n" for line in again))
    return "".join(now)


class Page:
    """A page that runs in a folder."""

    def __init__(self, path: Path, folder: Path, names: dict[str, object]) -> None:
        self.path, self.folder, self.text = path, folder, path.read_text()
        self.names: dict[str, object] = {"Path": Path, "given": self.given, **names}

    def given(self, name: str) -> None:
        """Write a file that the page shows in a block of Python."""
        found = re.search(SHOWN.format(re.escape(name)), self.text, re.DOTALL)
        content = "".join(
            f"{line.removeprefix('... ')}\n" for line in found[1].splitlines() if line != "..."
        )
        (self.folder / name).write_text(content)

    def run(self) -> str:
        """Run every block; return the page with what its commands print now."""
        text, moved = self.text, 0
        for block in read_blocks(self.text):
            where = f"{self.path.name}, line {block.line}"
            if block.kind not in RUNS | {"setup"}:
                assert not re.search(r"^(\$ |>>> )", block.code, re.MULTILINE), where
            elif block.excuse is not None:
                continue
            elif block.kind == "console":
                now = run_commands(block.code, where, self.folder)
                at = block.start + moved
                text = text[:at] + now + text[at + len(block.code) :]
                moved += len(now) - len(block.code)
            elif block.kind == "python" and ">>> " in block.code:
                self.check_prompts(block, where)
            elif block.kind == "sh":
                status, lines = shell(block.code, self.folder)
                assert status == 0, "\n".join([where, *lines])
            else:
                exec(compile(block.code.strip(), where, "exec"), self.names)
        return text

    def check_prompts(self, block: Block, where: str) -> None:
        """Check a block with prompts."""
        test = doctest.DocTestParser().get_doctest(
            block.code, self.names, where, str(self.path), block.line
        )
        test.globs = self.names  # not a copy, so that functions see later names, too
        said: list[str] = []
        result = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
        assert result.failed == 0, "".join(said)
