"""The result of a sweep: its steps, the path, the labels and their status."""

from spherelax.result.answer import Outcome, Result, Source
from spherelax.result.findings import Duplicates, EntityProbability, Prediction
from spherelax.result.path import SAME, Callback, Step, SweepPath, nearest_step, steady_steps
from spherelax.result.sentences import say_duplicates, say_rival, say_status, say_tied
from spherelax.result.status import Status

__all__ = [
    "SAME",
    "Callback",
    "Duplicates",
    "EntityProbability",
    "Outcome",
    "Prediction",
    "Result",
    "Source",
    "Status",
    "Step",
    "SweepPath",
    "nearest_step",
    "say_duplicates",
    "say_rival",
    "say_status",
    "say_tied",
    "steady_steps",
]
