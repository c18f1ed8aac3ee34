"""Rules on two drugs: looked up by drug, they are those that comparing each with each gives."""

from __future__ import annotations

from itertools import product

import pytest
from processor_time import times_as_long

from fas.records import Answer
from fas.safety.case import Case
from fas.safety.checker import SafetyChecker
from fas.safety.matcher import Mention
from fas.safety.meetings import Meetings


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


def mentions_of(book):
    """A drug and a class of every table of pairs, combinations of two, and names in no rule."""
    rules = [*book.pairs, *book.interactions]
    single = sorted({name for rule in rules for name in (*rule.drugs, *rule.partners)})
    combined = [tuple(single[i : i + 2]) for i in range(0, len(single) - 1, 5)]
    found = [Mention(0, 1, "", ingredients=one) for one in [*((name,) for name in single), *combined, ("water",)]]
    return [*found, *(Mention(0, 1, "", class_key=key) for key in book.vocabulary.classes)]


def by_comparing(case, rules, one, other):
    """Every rule against both, either way round."""

    def member(mention, names):
        group = case.group(mention)
        if group is not None:
            return group.label if group.members <= names else None
        return next((drug for drug in mention.ingredients if drug in names), None)

    found = []
    for rule in rules:
        for left, right in ((rule.drugs, rule.partners), (rule.partners, rule.drugs)):
            names = member(one, left), member(other, right)
            if all(names) and names[0] != names[1]:
                found.append((rule, names))
                break
    return sorted(found, key=lambda item: not {one.lead, other.lead} >= set(item[1]))


def test_rules_on_two_drugs_are_those_of_comparing_all(checker):
    book = checker._book
    case = Case.__new__(Case)
    case.vocabulary = book.vocabulary
    mentions = mentions_of(book)
    n = 0
    for rules in (book.pairs, book.interactions):
        meetings = Meetings(case, rules, set())
        for one, other in product(mentions[::7], mentions[::5]):
            expected = by_comparing(case, rules, one, other)
            assert meetings.rules_on(one, other) == expected
            n += bool(expected)
    assert n > 50


def test_an_answer_that_names_every_drug_is_checked_in_a_time_in_proportion(checker):
    # Comparing each with each took 21 s for 200 drugs on the machine where this takes 0.7.
    book = checker._book
    drugs = sorted({name for rule in book.contraindications for name in rule.drugs if name.isalpha()})[:200]

    def check(n):
        text = " ".join(f"Take {drug} twice a day." for drug in drugs[:n])
        checker.check([Answer("1", text, question="What can I take?")])

    check(1)
    assert times_as_long(check, 50, 200, limit=60) < 10  # four times as many; with their square, sixteen times


def test_a_pair_named_a_thousand_times_has_one_flag(checker):
    text = "Take warfarin. Take ibuprofen. " * 1000
    (flags,) = checker.check([Answer("1", text, question="What can I take?")])
    assert [flag.code for flag in flags].count("INTERACTION") == 1
