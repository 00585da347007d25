"""A report: one HTML page with the input, the labels, and how far to trust them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import chain

from numpy.typing import ArrayLike

from spherelax.errors import InvalidInputError
from spherelax.io.items import Items
from spherelax.report.case import Case
from spherelax.report.explained import explain_labels
from spherelax.report.inputs import describe_inputs, find_oddities
from spherelax.report.outcome import describe_outcome, least_certain
from spherelax.report.page import Parts, make_page
from spherelax.report.pictures import make_crops, make_pictures
from spherelax.report.steps import make_steps
from spherelax.report.whole import choose_whole
from spherelax.result import Result

__all__ = ["report_html"]

TITLE = "Labels and how far to believe them"


def report_html(
    items: Items,
    result: Result,
    *,
    title: str | None = None,
    images: Mapping[Hashable, bytes] | None = None,
    positions: ArrayLike | None = None,
) -> str:
    """Return an HTML page that helps to decide whether to trust the labels.

    It begins with what people look for: points or cells in a plane (``items.view``), images, some
    labels whole, or the similarities sorted by label. Then come a search for items, with why
    labels are together or apart, the items with the lowest confidence, numbers about labels and
    input, what is unusual in it, and the sweep with a slider over all its steps. What
    :class:`~spherelax.io.Records` know of each record is shown beside it. The page needs no other
    files, and names from the data cannot run as HTML or scripts. The similarity matrix is drawn in
    at most 128 x 128 cells, so the page stays small with many items.

    Parameters
    ----------
    items : Items
        The input: similarities, names and groups.
    result : Result
        The result of :func:`spherelax.solve` for these items.
    title : str, optional
        Heading of the page. None: what the labels are called, and how far to believe them.
    images : mapping of group to bytes, optional
        The content of the image file of each group, in a format that Pillow can read, such as an
        :class:`~spherelax.io.ImageFolder`. Matches are drawn on up to eight images, and some
        labels are shown on all of theirs.
    positions : array-like of shape (n_items, 2), optional
        Needed with images: x and y of each item in pixels; (0, 0) is the centre of the top left
        pixel. NaN if not known.

    Returns
    -------
    str
        The page; write it to a file in UTF-8.

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
        raise InvalidInputError("images and positions must be given together; found one of them")
    if images is not None and items.groups is None:
        raise InvalidInputError("images need items with groups, one per image; found no groups")
    case = Case.of(items, result)
    inputs = describe_inputs(case)
    wholes, unsure = choose_whole(case), least_certain(case)
    shown = [*(one.members[0] for one in wholes), *(row.item for row in unsure)]
    pictures, crops = None, {}
    if images is not None and positions is not None:
        pictures = make_pictures(case, images, positions)
        members = chain.from_iterable(one.members for one in wholes)
        crops = make_crops(case.groups or [], images, positions, members)
    parts = Parts(
        inputs=inputs,
        oddities=find_oddities(case, inputs),
        outcome=describe_outcome(case),
        unsure=unsure,
        steps=make_steps(case),
        pictures=pictures,
        wholes=wholes,
        crops=crops,
        whys=explain_labels(case, shown),
    )
    return make_page(case, parts, case.say(TITLE) if title is None else title)
