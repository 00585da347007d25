"""What a similarity of each size is worth, and what labels save, in nats."""

from spherelax.coordinate.worth.alternatives import (
    ALIKE,
    BEHIND,
    TIMES,
    find_alternative,
    find_frequent_alternative,
    find_level,
)
from spherelax.coordinate.worth.block_model import BlockModel, Blocks, Degrees, TwoRates
from spherelax.coordinate.worth.curve import SUREST, Curve
from spherelax.coordinate.worth.description import (
    Description,
    Likelihood,
    account_of,
    names_of_matches,
)
from spherelax.coordinate.worth.evidence import (
    Worth,
    learn_worth,
    log_rarity,
    rank_worth,
    share_right,
    surprise_worth,
)
from spherelax.coordinate.worth.matches import Matches, is_beyond_noise, weigh_plain
from spherelax.coordinate.worth.ranks import NO_BINS, SizeRanks, Sorted
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
    "ALIKE",
    "BEHIND",
    "NO_BINS",
    "SUREST",
    "TIMES",
    "BlockModel",
    "Blocks",
    "Curve",
    "Degrees",
    "Description",
    "Likelihood",
    "Matches",
    "SizeRanks",
    "Sorted",
    "Strata",
    "TwoRates",
    "Worth",
    "account_of",
    "agreement",
    "factors",
    "find_alternative",
    "find_frequent_alternative",
    "find_level",
    "is_beyond_noise",
    "is_open",
    "learn_worth",
    "log_rarity",
    "names_of_matches",
    "rank_worth",
    "renumber_groups",
    "reweigh",
    "share_right",
    "surprise_worth",
    "weigh_pairs",
    "weigh_plain",
]
