"""The signature line: what is written can be read back, and nothing else can be written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.core.records.signature import PartSignature, Signature

PLAIN = st.characters(exclude_characters="|:\n\r", exclude_categories=["Cs"])
FIELDS = st.dictionaries(st.text(PLAIN, min_size=1), st.text(PLAIN))


@given(FIELDS)
def test_what_is_written_can_be_read_back_in_order(fields: dict[str, str]) -> None:
    read = Signature.parse(str(Signature(fields)))
    assert list(read.fields.items()) == list(fields.items())
    assert read == Signature(fields)


@pytest.mark.parametrize("bad", ["a|b", "a:b", "a\nb", "a\rb"])
def test_separators_are_refused_in_keys_and_values(bad: str) -> None:
    with pytest.raises(ValueError, match="not allowed"):
        Signature({bad: "x"})
    with pytest.raises(ValueError, match="not allowed"):
        Signature({"x": bad})


SETTINGS = st.lists(st.text(st.characters(exclude_characters="|:\n\r[],", exclude_categories=["Cs"]), min_size=1))


@given(st.text(st.characters(exclude_characters="|:\n\r[],", exclude_categories=["Cs"]), min_size=1), SETTINGS)
def test_a_part_that_is_printed_reads_back_as_what_it_was_made_of(name: str, own: list[str]) -> None:
    made = PartSignature(name, *own)
    read = PartSignature.of(str(made))
    assert (read, read.name, read.settings) == (made, name, tuple(own))
    assert PartSignature.of(made) is made
