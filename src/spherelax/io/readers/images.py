"""The image files that keypoints were found in, and the positions of keypoints in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spherelax.errors import InvalidInputError
from spherelax.io.readers.colmap import Keypoints


class ImageFolder(Mapping[str, bytes]):
    """The image files of a folder by name; a file is read when its name is looked up.

    Names are those of the keypoints, with folders if they have any. Upper and lower case are not
    distinguished, because copies of ``a.JPG`` are often called ``a.jpg``.

    Parameters
    ----------
    folder : str or Path
        The folder of the files.
    items : Keypoints
        What :func:`read_colmap` or :func:`read_hloc` returned; its images that are not in the
        folder are left out.

    Raises
    ------
    InvalidInputError
        If none of the images is in the folder.

    Examples
    --------
    >>> ImageFolder("photographs", None)
    Traceback (most recent call last):
        ...
    spherelax.errors.InvalidInputError: photographs: must be a folder; found none
    """

    def __init__(self, folder: str | Path, items: Keypoints) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise InvalidInputError(f"{folder}: must be a folder; found none")
        found = {
            path.relative_to(folder).as_posix().lower(): path
            for path in folder.rglob("*")
            if path.is_file()
        }
        names = dict.fromkeys(items.groups or ())
        self._files = {name: found[name.lower()] for name in names if name.lower() in found}
        if not self._files:
            raise InvalidInputError(
                f"{folder}: must hold images of {items.path}, such as {next(iter(names))}; "
                "found none of them"
            )
        self._folder, self._items = folder, items

    def __getitem__(self, name: str) -> bytes:
        return self._files[name].read_bytes()

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def positions(self) -> NDArray[np.float64]:
        """Return x and y of each keypoint in pixels of its file; NaN if there is no file.

        (0, 0) is the centre of the top left pixel. COLMAP's positions are in pixels of the camera;
        they are scaled if the files have another size. Needs Pillow.
        """
        try:
            pillow = import_module("PIL.Image")
        except ImportError:
            raise ImportError('images need Pillow: pip install "spherelax[plot]"') from None
        items = self._items
        sizes = items.image_sizes()
        scales = {}
        for name, path in self._files.items():
            try:
                with pillow.open(path) as image:
                    scales[name] = np.divide(image.size, sizes.get(name, image.size))
            except (OSError, SyntaxError, ValueError) as error:
                raise InvalidInputError(f"{path}: not a readable image; {error}") from None
        nowhere = np.full(2, np.nan)
        factors = np.array([scales.get(name, nowhere) for name in items.groups or ()])
        return np.asarray(items.positions * factors - 0.5)
