"""Lists of scored candidates: how likely each pair is right."""

from spherelax.coordinate.lists.foretelling import Foretold
from spherelax.coordinate.lists.matching import Matching, Ranks
from spherelax.coordinate.lists.odds import (
    ByScore,
    Scores,
    could_be_list,
    judge_labels,
    judge_odds,
    learn_again,
    learn_scores,
    log_odds,
    odds_of_information,
    uncompared_sources,
    wedges_of_list,
)

__all__ = [
    "ByScore",
    "Foretold",
    "Matching",
    "Ranks",
    "Scores",
    "could_be_list",
    "judge_labels",
    "judge_odds",
    "learn_again",
    "learn_scores",
    "log_odds",
    "odds_of_information",
    "uncompared_sources",
    "wedges_of_list",
]
