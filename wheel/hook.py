"""Build hook of Hatch: a wheel holds machine code of the compiled functions.

It is made for the Python and the platform of the build, and used with the versions of Numba and
llvmlite of the build only. Without Numba at hand, or if the variable SPHERELAX_PURE is set, the
wheel holds no machine code and fits everywhere; so does an editable installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import Tag, sys_tags

# Besides Python and Numba, the code calls memory and mathematics of the C library alone (memcpy,
# exp, log), which every system with these tags has; Numba itself needs that macOS.
PORTABLE = ("manylinux_2_17_", "macosx_12_0_")


class CustomBuildHook(BuildHookInterface):
    """Adds machine code to a wheel."""

    def dependencies(self) -> list[str]:
        """Return what the build needs: all that the package needs."""
        return [] if _is_pure() else list(self.metadata.core.dependencies)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add what comes out to the files of the wheel."""
        if version == "editable" or _is_pure():
            return
        if find_spec("numba") is None:
            self.app.display_warning("Numba is not installed: the wheel holds no machine code")
            return
        self._made = TemporaryDirectory()
        _compile(Path(self.root), self._made.name)
        build_data["force_include"][self._made.name] = "spherelax/_machine_code"
        build_data["pure_python"] = False
        build_data["tag"] = str(best_tag(sys_tags()))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was made for the wheel."""
        if build_data["force_include"]:
            self._made.cleanup()


def best_tag(tags: Iterable[Tag]) -> Tag:
    """Return the tag of a wheel: of those that fit here, the most specific one that is portable.

    Where none is, as on Windows, the first one, which has no version of the system.
    """
    tags = list(tags)
    return next((tag for tag in tags if tag.platform.startswith(PORTABLE)), tags[0])


def _is_pure() -> bool:
    """Tell whether a wheel without machine code is asked for."""
    return bool(os.environ.get("SPHERELAX_PURE"))


def _compile(root: Path, folder: str) -> None:
    """Write the machine code of usual calls into a folder."""
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    subprocess.run(
        [sys.executable, root / "wheel" / "warm_up.py", folder],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=True,
    )
