"""The result of a sweep: its steps, the path, the labels and their status."""

from spherelax.result.answer import Result
from spherelax.result.explanation import Change, Cut, Evidence, Explanation, Reason
from spherelax.result.findings import Duplicates, EntityProbability, Pairs, Prediction
from spherelax.result.outcome import Kept, Outcome, Solved
from spherelax.result.path import SAME, Callback, Step, SweepPath, nearest_step, steady_steps
from spherelax.result.questions import Drawn, Questions
from spherelax.result.reading import Reading
from spherelax.result.sentences import (
    TAKEN_FOR,
    percent,
    say_alternative,
    say_duplicates,
    say_reading,
    say_status,
    say_tied,
)
from spherelax.result.status import Status
from spherelax.result.verdict import UNSURE, Verdict, judge

__all__ = [
    "SAME",
    "TAKEN_FOR",
    "UNSURE",
    "Callback",
    "Change",
    "Cut",
    "Drawn",
    "Duplicates",
    "EntityProbability",
    "Evidence",
    "Explanation",
    "Kept",
    "Outcome",
    "Pairs",
    "Prediction",
    "Questions",
    "Reading",
    "Reason",
    "Result",
    "Solved",
    "Status",
    "Step",
    "SweepPath",
    "Verdict",
    "judge",
    "nearest_step",
    "percent",
    "say_alternative",
    "say_duplicates",
    "say_reading",
    "say_status",
    "say_tied",
    "steady_steps",
]
