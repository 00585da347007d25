"""Build hook of Hatch: a wheel holds machine code of the compiled functions.

It is made for the Python and the platform of the build, and used with the versions of Numba and
llvmlite of the build only. Without Numba at hand, or if the variable SPHERELAX_PURE is set, the
wheel holds no machine code and fits everywhere; so does an editable installation.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

# Besides Python and Numba, the code calls memory and mathematics of the C library alone (memcpy,
# exp, log), which every Linux with this tag has.
ANY_LINUX = "manylinux_2_17_"


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
        portable = [tag for tag in sys_tags() if tag.platform.startswith(ANY_LINUX)]
        if portable:
            build_data["tag"] = str(portable[0])
        else:
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was made for the wheel."""
        if build_data["force_include"]:
            self._made.cleanup()


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
