"""Marks inside a line that are no part of a claim; what is right is written beside each text."""

import pytest

from fas.text.reading.inline import clean
from fas.text.reading.mapped import Mapped

SICI = "10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6"


@pytest.mark.parametrize(
    "cited",
    [
        f" (doi: {SICI})",
        f" (https://doi.org/{SICI})",
        f" https://doi.org/{SICI}",
        " (10.1000/ab(c)d)",
        " doi:10.1000/abc",
        " (PMC1234567)",
        " [PMCID: PMC1234567]",
        " [12345678]",
        " (PMIDs 12345678, 23456789)",
        " PMID: 12345678",
    ],
)
def test_an_identifier_of_a_source_is_no_part_of_a_claim_and_leaves_nothing_behind(cited):
    assert clean(Mapped.whole(f"Zinc shortens colds{cited}.")).text == "Zinc shortens colds."


@pytest.mark.parametrize("text", ["As PMC1234567 reports, zinc helps.", "The ratio was 10.1234/5 (n = 12)."])
def test_a_bare_identifier_that_its_sentence_needs_stays(text):
    assert clean(Mapped.whole(text)).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Take it for ~~7 days~~ 10 days.", "Take it for 10 days."),
        ("Zinc <del>helps</del> <s>cures</s> harms.", "Zinc harms."),
        ("About ~~ 7, and not ~~ 8.", "About ~~ 7, and not ~~ 8."),
    ],
)
def test_struck_out_text_is_not_stated(text, left):
    assert clean(Mapped.whole(text)).text == left


def test_the_number_of_a_document_is_part_of_its_name_and_a_citation_is_not():
    assert (
        clean(Mapped.whole("Document [2] reports that zinc helps [3].")).text == "Document [2] reports that zinc helps."
    )
