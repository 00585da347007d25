"""What a similarity of each size is worth, and what labels save, in nats."""

from spherelax.coordinate.worth.alternatives import find_alternative, find_frequent_alternative
from spherelax.coordinate.worth.curve import SUREST, Curve
from spherelax.coordinate.worth.description import (
    PLAIN_RATE,
    Description,
    Likelihood,
    account_of,
    are_uneven,
    unnamed_cost,
)
from spherelax.coordinate.worth.evidence import (
    Worth,
    learn_worth,
    log_rarity,
    rank_worth,
    share_right,
    surprise_worth,
)
from spherelax.coordinate.worth.matches import CHARGED, Matches
from spherelax.coordinate.worth.reliability import (
    agreement,
    factors,
    is_open,
    renumber_groups,
    reweigh,
    weigh_pairs,
)
from spherelax.coordinate.worth.strata import Strata

__all__ = [
    "CHARGED",
    "PLAIN_RATE",
    "SUREST",
    "Curve",
    "Description",
    "Likelihood",
    "Matches",
    "Strata",
    "Worth",
    "account_of",
    "agreement",
    "are_uneven",
    "factors",
    "find_alternative",
    "find_frequent_alternative",
    "is_open",
    "learn_worth",
    "log_rarity",
    "rank_worth",
    "renumber_groups",
    "reweigh",
    "share_right",
    "surprise_worth",
    "unnamed_cost",
    "weigh_pairs",
]
