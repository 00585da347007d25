"""How good an answer is: samples to judge, and estimates with intervals."""

from spherelax.quality.evaluate import Evaluation, evaluate
from spherelax.quality.sample import sample

__all__ = ["Evaluation", "evaluate", "sample"]
