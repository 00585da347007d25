"""One page that shows what went in, what came out, and how far to believe it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from numpy.typing import ArrayLike

from spherelax.errors import InvalidInputError
from spherelax.io.items import Items
from spherelax.report.case import Case
from spherelax.report.inputs import describe_inputs, find_oddities
from spherelax.report.outcome import describe_outcome, least_certain
from spherelax.report.page import Parts, make_page
from spherelax.report.pictures import make_pictures
from spherelax.report.steps import make_steps
from spherelax.result import Result

__all__ = ["report_html"]


def report_html(
    items: Items,
    result: Result,
    *,
    title: str = "Labels and how far to believe them",
    images: Mapping[Hashable, bytes] | None = None,
    positions: ArrayLike | None = None,
) -> str:
    """Return a page in HTML for a person who has to decide whether to believe an answer.

    It shows what went in and what is odd about it, what came out and how sure it is, the sweep
    with a slider over all its steps, and the least certain items. The page is complete: it loads
    nothing, and whatever comes from the data is shown as text. Similarities are drawn as means
    over cells, so that its size does not grow with the number of items.

    Parameters
    ----------
    items : Items
        What went in.
    result : Result
        What :func:`spherelax.solve` returned for it.
    title : str
        Heading of the page.
    images : mapping of group to bytes, optional
        The file of each image, as Pillow reads it, such as an :class:`~spherelax.io.ImageFolder`;
        given, matches are drawn on up to eight of them.
    positions : array-like of shape (n_items, 2), optional
        With images: x and y of each item in pixels, (0, 0) being the centre of the top left one;
        NaN where it is not known.

    Returns
    -------
    str
        HTML, to be written in UTF-8.

    Raises
    ------
    InvalidInputError
        If the result is not that of the items, or the images cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import spherelax as sl
    >>> W = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    >>> items = Items(W, ["<b>ann</b>", "anna", "bob"])
    >>> page = report_html(items, sl.solve(W, pick=1.0), title="Names")
    >>> "<h1><bdi>Names</bdi></h1>" in page, "&lt;b&gt;ann" in page, "<b>ann" in page
    (True, True, False)
    """
    if (images is None) != (positions is None):
        raise InvalidInputError("images and positions need each other; found only one of them")
    if images is not None and items.groups is None:
        raise InvalidInputError("images need groups, one for each image; found no groups")
    case = Case.of(items, result)
    inputs = describe_inputs(case)
    pictures = None
    if images is not None and positions is not None:
        pictures = make_pictures(case, images, positions)
    parts = Parts(
        inputs=inputs,
        oddities=find_oddities(case, inputs),
        outcome=describe_outcome(case),
        unsure=least_certain(case),
        steps=make_steps(case),
        pictures=pictures,
    )
    return make_page(case, parts, title)
