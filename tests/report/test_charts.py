"""The curves: which of them, over what, and how their ticks are written."""

import re
from dataclasses import replace

import numpy as np
import pytest

import spherelax as sl
from spherelax.report import report_html
from spherelax.report.case import Case
from spherelax.report.charts import across, curves, linear, logarithmic

SETTINGS = [
    ("coordinate", "description", "saving"),
    ("coordinate", "eta", "movement"),
    ("coordinate", "stability", "saving"),
    ("coordinate", None, "saving"),
    ("coordinate", 1.0, "saving"),
    ("power", "eta", "movement"),
    ("power", "stability", "movement"),
    ("power", "description", "saving"),
]


@pytest.mark.filterwarnings("ignore::spherelax.SphereWarning")
@pytest.mark.parametrize(("solver", "pick", "name"), SETTINGS)
def test_first_curve_is_what_the_choice_was_made_by(clustering, solver, pick, name):
    items, _ = clustering
    W = items.similarity if pick else sl.similarity.NeighborGraph(items.similarity)
    result = sl.solve(W, solver=solver, pick=pick)
    first = curves(Case.of(items, result))[0]
    assert first.name == name
    is_other = pick in ("stability", None, 1.0)
    assert first.meaning.count("but the labels were chosen in another way") == is_other
    page = report_html(items, result)
    n_peaks = sum(step is not None for step in result.path.maxima)
    assert page.count('class="dot peak" style') == n_peaks
    assert (n_peaks > 0) == (pick == "eta") == ("maxima of movement" in page)
    worth = (result.path.savings if name == "saving" else result.path.etas)[result.path.picked]
    shown = re.search(r'id="now-first">(.*?)<', page)[1]
    assert float(shown.replace(",", "")) == pytest.approx(worth, rel=0.01, abs=0.6)


def test_a_step_chosen_after_eta_keeps_its_curve(clustering):
    items, _ = clustering
    result = sl.solve(items.similarity, solver="coordinate", pick="eta").at(1.0)
    assert result.status == sl.Status.CHOSEN
    assert curves(Case.of(items, result))[0].name == "movement"


def test_slider_and_curves_have_the_same_places(clustering):
    items, result = clustering
    for path in (result.path, sl.solve(items.similarity, solver="power").path):
        axis = across(path)
        places = axis.places
        even = np.linspace(1, 0, len(places))
        np.testing.assert_allclose(places, even, atol=0.5 / len(places))
        for at, said in axis.ticks:
            shown = np.interp(at, places[::-1], path.alphas[::-1])
            assert float(said.replace(",", "")) == pytest.approx(shown / (1 - shown), rel=0.1)


def test_zero_has_no_sign():
    ticks = [said for _, said in linear(np.array([-3.0, 9.0])).ticks]
    assert ticks == ["0", "5"]


def test_curves_of_one_value_are_drawn_in_the_middle():
    for axis in (linear(np.full(3, 1234.5)), logarithmic(np.full(3, 1234.5), 1.0)):
        assert axis.places.tolist() == [0.5] * 3
        assert axis.ticks == [(0.5, "1,234")]


def test_a_curve_is_told_to_those_who_cannot_see_it(clustering):
    items, result = clustering
    page = report_html(items, result)
    label = re.findall(r'aria-label="(number of labels over the sweep.*?)"', page)
    n_labels = result.path.n_labels
    assert label == [
        "number of labels over the sweep. From the lowest to the highest resolution, the number of "
        f"labels goes from {n_labels[-1]} to {n_labels[0]}, between {n_labels.min()} and "
        f"{n_labels.max()}; it is {result.n_labels} at the chosen step."
    ]


def test_bad_labels_are_cut_off_and_said_so(clustering):
    items, result = clustering
    savings = np.where(np.arange(len(result.path.alphas)) == 0, -1e6, result.path.savings)
    case = Case.of(items, replace(result, path=replace(result.path, savings=savings)))
    first = curves(case)[0]
    assert first.meaning.endswith("; values far below zero are cut off")
    assert first.axis.places[0] == 0


def test_values_without_end_stand_where_the_axis_ends():
    values = np.array([np.nan, 1.0, np.inf, 2.0, -np.inf])
    np.testing.assert_array_equal(linear(values).places, [0.0, 0.0, 1.0, 1.0, 0.0])
    for others in ([np.inf, np.inf], [-1e308, 1e308], [np.nan]):
        assert set(linear(np.array(others)).places.tolist()) == {0.5}
