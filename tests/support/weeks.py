"""Pairs of records of two shops that come week by week, and judgements of them."""

import pandas as pd

COLUMNS = ["source_a", "id_a", "source_b", "id_b", "score"]


def table(*rows):
    """A table of pairs."""
    return pd.DataFrame(rows, columns=COLUMNS)


def judgements(*rows):
    """A table of judged pairs."""
    return pd.DataFrame(rows, columns=[*COLUMNS[:4], "verdict"])


def matches(start, end):
    """Records of two shops that are the same, and weak pairs between neighbours."""
    rows = [("north", i, "south", i, 0.9) for i in range(start, end)]
    rows += [("north", i, "south", i + 1, 0.2) for i in range(start, end - 1)]
    return table(*rows)
