"""Labels that are drawn by Gibbs sampling, and what they say about the labels of the answer."""

from spherelax.coordinate.sampling.doubt import learn_beliefs, learn_right, trust_items, walk_share
from spherelax.coordinate.sampling.gibbs import Beliefs, Net
from spherelax.coordinate.sampling.missing import discount_missing
from spherelax.coordinate.sampling.posterior import Judged, Posterior, draw_posterior

__all__ = [
    "Beliefs",
    "Judged",
    "Net",
    "Posterior",
    "discount_missing",
    "draw_posterior",
    "learn_beliefs",
    "learn_right",
    "trust_items",
    "walk_share",
]
