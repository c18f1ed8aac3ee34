"""What governs a place in an answer: headings, lead-ins, labels, columns and rows."""

from fas.safety.segments import segments
from fas.safety.states import find_ages
from fas.safety.structure import Structure
from fas.safety.text import plain_text


def governing(answer, word):
    """Kind and text of each governor of *word*, the nearest first."""
    plain = plain_text(answer).plain
    structure = Structure(plain, segments(plain))
    at = plain.index(word)
    number = next(n for n, s in enumerate(structure.segments) if s.start <= at < s.end)
    return [(g.kind, plain[g.start : g.end].strip(" :*#")) for g in structure.governors(number, at)]


def test_a_heading_governs_the_items_below_it():
    assert governing("## Avoid\n\n- ibuprofen\n- naproxen\n", "naproxen") == [("heading", "Avoid")]


def test_a_lead_in_governs_its_list_and_a_heading_the_lead_in():
    found = governing("## In pregnancy\n\nThese are safe:\n\n- losartan\n", "losartan")
    assert found == [("lead", "These are safe"), ("heading", "In pregnancy")]


def test_a_label_governs_the_rest_of_its_item():
    assert ("label", "2 and 3 years") in governing("- **2 and 3 years:** dextromethorphan 2.5 mg", "dextro")


def test_a_cell_is_governed_by_its_column_and_its_row():
    table = "| Medicine | During pregnancy |\n|---|---|\n| Losartan | safe |\n"
    assert governing(table, "safe") == [("column", "During pregnancy"), ("row", "Losartan")]


def test_a_sentence_is_governed_by_the_one_before_it():
    assert governing("You have asthma. Take propranolol.", "propranolol") == [("before", "You have asthma.")]


def test_a_row_is_read_out_with_the_heads_of_its_columns():
    plain = plain_text("| Drug | Dose |\n|---|---|\n| Aspirin | 100 mg |\n").plain
    structure = Structure(plain, segments(plain))
    text, places = structure.read_out(1)
    assert text.split() == "Aspirin ; Dose: 100 mg ;".split()
    at = text.index("100")
    assert any(plain[p + at - s : p + at - s + 3] == "100" for s, p, n in places if s <= at < s + n)


def test_ages_of_groups_are_read_as_the_youngest_of_them():
    written = {
        "children of 7 to 9 years": 7.0,
        "Children under 4": 3.99,
        "babies from 12 months": 1.0,
        "anyone under four": 3.99,
        "a 5-year-old": 5.0,
        "in the first two years of life": 1.99,
        "12 years and up": 12.0,
        "adults over 65": 65.0,
    }
    assert {text: round(max(find_ages(text))[0], 2) for text in written} == written


def test_a_duration_is_no_age():
    assert find_ages("Take it for two to four weeks, for 7 years, at least six months, twice in 24 hours.") == []
