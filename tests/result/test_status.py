"""Names with sentences."""

import pickle

import pytest

import spherelax as sl


def test_a_status_is_a_name_with_a_sentence(result):
    name, of_solver = (
        ("valley", "The labels are those of the step at which they moved least, between the two")
        if result.path.savings is None
        else ("described", "The labels are those with which the similarities have the shortest")
    )
    assert result.status == str(result.status) == name
    assert result.status.sentence.startswith(of_solver)


@pytest.mark.parametrize("names", [sl.Status, sl.Reading])
def test_names_and_sentences(names):
    """Names are those of the members; sentences end, and have no words of the paper."""
    for one in names:
        assert one.value == one.name.lower()
        assert names(str(one)) is pickle.loads(pickle.dumps(one)) is one
        assert one.sentence.endswith(".")
        words = one.sentence.lower().replace(",", " ").split()
        assert {"eta", "nats", "alpha"}.isdisjoint(words)
    assert len({one.sentence for one in names}) == len(names)
