"""A search for any item by its name: its label, and who else has it."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np

from spherelax.io.words import count
from spherelax.report.case import Case
from spherelax.report.explained import Whys
from spherelax.report.markup import own_columns, shortened

# Items that can be found, and characters of the user's own columns that are searched, too.
MAX_FOUND = 100_000
MAX_CHARACTERS = 2_000_000


def search_data(case: Case, whys: Whys) -> dict[str, object]:
    """Return the data of the search, packed: labels, and the names of their items."""
    labels = case.result.labels
    sizes, order = case.sizes, np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    doubtful = np.lexsort((case.sure, sizes == 1))
    found = doubtful[np.cumsum(sizes[doubtful]) <= MAX_FOUND]
    members = [order[ends[label] - sizes[label] : ends[label]].tolist() for label in found]
    items = [item for one in members for item in one]
    explained = {
        int(labels[one.members[0]]): at for at, one in enumerate(whys.labels) if one.members
    }
    listed = [
        [case.number(one[0]), len(one), case.purity(at), int(case.mixed[at]), explained.get(at, -1)]
        for at, one in zip(found.tolist(), members, strict=True)
    ]
    own = [own_columns(case.details, item) for item in items] if case.details else []
    sure = np.nan_to_num(100 * case.result.confidence[items], nan=-1.0)
    packed = {
        "labels": listed,
        "names": [shortened(case.names[item]) for item in items],
        "sure": np.round(sure).astype(int).tolist(),
        "own": own if sum(map(len, own)) <= MAX_CHARACTERS else [],
    }
    content = zlib.compress(json.dumps(packed, separators=(",", ":")).encode(), 9)
    words = case.words
    where = "" if len(items) == case.n_items else f" of the {len(items):,} that can be found here"
    return {
        "packed": base64.b64encode(content).decode(),
        "none": f"No {words.item}{where} has this name.",
        "label": words.label,
        "alone": words.alone,
        "items": count(2, words.item).partition(" ")[2],
        "pure": "all are the same thing with probability",
    }
