"""Labels that are drawn by Gibbs sampling, and what they say about the labels of the answer."""

from spherelax.coordinate.sampling.doubt import (
    Rivals,
    clip_probability,
    learn_beliefs,
    learn_blocks,
    learn_right,
    trust_items,
    walk_share,
)
from spherelax.coordinate.sampling.gibbs import Beliefs, Net
from spherelax.coordinate.sampling.missing import discount_missing
from spherelax.coordinate.sampling.posterior import (
    Judged,
    Posterior,
    beliefs_of_log_odds,
    draw_labels,
    draw_posterior,
)
from spherelax.coordinate.sampling.rows import Rows

__all__ = [
    "Beliefs",
    "Judged",
    "Net",
    "Posterior",
    "Rivals",
    "Rows",
    "beliefs_of_log_odds",
    "clip_probability",
    "discount_missing",
    "draw_labels",
    "draw_posterior",
    "learn_beliefs",
    "learn_blocks",
    "learn_right",
    "trust_items",
    "walk_share",
]
