"""Fragments that state nothing, and what only resembles them."""

from __future__ import annotations

import pytest

from fas.claims.checkworthiness import states_nothing

GUM = "What happens if you swallow gum?"


@pytest.mark.parametrize(
    ("prediction", "question", "why"),
    [
        ("See https://example.org/aspirin", "Does aspirin prevent strokes?", "no statement"),
        ("Please see www.cdc.gov and https://nih.gov/zinc for more information.", "Does zinc help?", "no statement"),
        ("[image] [table]", "Does zinc help?", "no statement"),
        ("[Bild]", "Does zinc help?", "no statement"),
        ("[Image: a chart of zinc intake]", "Does zinc help?", "no statement"),
        ('<img src="zinc helps.png">', "Does zinc help?", "no statement"),
        ("(see attached file)", "Does zinc help?", "no statement"),
        ("[zinc]", "Which mineral shortens colds?", ""),
        ("swallowing gum", GUM, "repeats the question"),
        ("If one swallows gum", GUM, ""),
        ("Chewing gum", GUM, ""),
        ("The link to cancer is weak.", "Is zinc safe?", ""),
        ("See a doctor.", "Is zinc safe?", ""),
        ("Referring to a cardiologist", "What should follow?", ""),
        ("zinc", "Zinc or honey: which shortens colds?", ""),
    ],
)
def test_addresses_placeholders_and_echoes_state_nothing(prediction, question, why):
    assert states_nothing(prediction, question) == why
