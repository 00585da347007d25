"""Lists of scored candidates: how likely each pair is right."""

from spherelax.coordinate.lists.foretelling import Foretold
from spherelax.coordinate.lists.matching import Matching, Ranks
from spherelax.coordinate.lists.odds import (
    Scores,
    could_be_list,
    judge_labels,
    judge_odds,
    judge_right,
    learn_again,
    learn_scores,
    log_odds,
    odds_of_information,
    predict_right,
    uncompared_sources,
    wedges_of_list,
)

__all__ = [
    "Foretold",
    "Matching",
    "Ranks",
    "Scores",
    "could_be_list",
    "judge_labels",
    "judge_odds",
    "judge_right",
    "learn_again",
    "learn_scores",
    "log_odds",
    "odds_of_information",
    "predict_right",
    "uncompared_sources",
    "wedges_of_list",
]
