"""Options that several commands share."""

from __future__ import annotations

import pytest

from fas.cli.detect import run as detect
from fas.cli.score import score
from fas.core.profile import load_profile


def profile_of(command, *arguments):
    """The profile that *command* gets for these arguments."""
    given = command.make_context(command.name, list(arguments)).params
    (make, names) = next((make, names) for key, make, names in command.callback.__collected__ if key == "profile")
    return make(**{name: given[name] for name in names})


@pytest.mark.parametrize(("command", "name"), [(score, "mini"), (detect, "judge")])
def test_settings_that_are_not_given_leave_the_profile_as_it_is(command, name):
    assert profile_of(command, "a.jsonl", "-o", "out") == load_profile(name)


def test_settings_that_are_given_take_the_place_of_the_profiles():
    found = profile_of(score, "a.jsonl", "--no-safety", "--coverage", "-k", "3", "--rerank", "encoder", "--seed", "7")
    assert (found.safety, found.coverage, found.k, found.seed) == (False, True, 3, 7)
    assert found.evidence_options["rerank"] == "encoder"
