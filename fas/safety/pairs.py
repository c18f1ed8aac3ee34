"""DRUG_PAIR_CONTRAINDICATED and INTERACTION: two drugs that one patient must not or should not take together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fas.safety.case import FAR, SafetyCase, SafetyFinding
from fas.safety.matcher import Mention
from fas.safety.patient import context_of
from fas.safety.rules import SafetyRule
from fas.safety.vocabulary import DrugClass

_TOGETHER = re.compile(
    r"\b(?:together|combin\w+|both|at the same time|alongside|on top of|plus|along with|keep|"
    r"continue|stay|carry on|overlap|at once|same day|while (?:you're |you are |they are )?(?:on|"
    r"taking))\b",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\b(?:or|instead|either|alternativ\w+|switch\w*|replac\w+|swap\w*|chang\w+ (?:over|to)|"
    r"wash-?out|wait\w*|gap|apart|weeks? (?:after|before|later)|days? (?:after|before|later|have|"
    r"has|must|go)|hours? (?:after|before|apart)|stop\w*|off|drop|versus|vs|rather than|not both|"
    r"once the|depend\w*)\b",
    re.IGNORECASE,
)
_LINGERING = frozenset(
    "phenelzine tranylcypromine isocarboxazid selegiline rasagiline moclobemide linezolid fluoxetine amiodarone".split()
)


_CHOICE = re.compile(r"[^.;:?!|\n]{0,80}?\bor\b[^.;:?!|\n]{0,40}")
_JOINED = re.compile(r"\b(?:and|with|plus|both|then|while|after|before|take|add|continue)\b|\+|&", re.IGNORECASE)
_MOST = 4
"""Most mentions of a drug that are compared with another drug's."""
_TABLES = (("pairs", "DRUG_PAIR_CONTRAINDICATED"), ("interactions", "INTERACTION"))


def find_pairs(case: SafetyCase) -> Iterator[SafetyFinding]:
    """DRUG_PAIR_CONTRAINDICATED and INTERACTION: two drugs that one patient must not or should not take together."""
    reading = case.reading
    answers = {lead: case.places(lead)[:_MOST] for lead in case.by_lead}
    told: dict[str, list[Mention]] = {}
    for mention in reading.question_drugs:
        told.setdefault(mention.lead, []).append(mention)
    asked = [mention for named in told.values() for mention in named[:_MOST]]
    for table, flag in _TABLES:
        for lead, places in answers.items():
            mention = reading.drugs[places[0]].mention
            for other in asked:
                if other.lead != lead:
                    for rule, names in _meets(case, table, mention, other):
                        for n in places:
                            yield _make_pair(case, flag, n, other, None, rule, names)
            for second, others in answers.items():
                if second == lead:
                    continue
                beside = reading.drugs[others[0]].mention
                for rule, names in _meets(case, table, mention, beside):
                    for n in places:
                        for m in others:
                            one, two = reading.drugs[n], reading.drugs[m]
                            if one.start <= two.start or abs(one.segment - two.segment) > FAR:
                                continue
                            if not _is_choice(reading.text.plain[two.end : one.start]):
                                yield _make_pair(case, flag, n, two.mention, m, rule, names)


def _is_choice(between: str) -> bool:
    """Whether the text between two drugs makes them alternatives ("ibuprofen 200 mg or naproxen")."""
    return _CHOICE.fullmatch(between) is not None and _JOINED.search(between) is None


def find_pairs_with(case: SafetyCase, n: int, other: Mention) -> Iterator[SafetyFinding]:
    """Findings on the drug of mention *n* for a patient who takes *other*."""
    for table, flag in _TABLES:
        for rule, names in _meets(case, table, case.reading.drugs[n].mention, other):
            yield _make_pair(case, flag, n, other, None, rule, names)


def _meets(case: SafetyCase, table: str, one: Mention, other: Mention) -> Iterator[tuple[SafetyRule, tuple[str, str]]]:
    """The first rule of a table on two mentions, with what it calls each."""
    partners = case.book.by_pair[table]
    mine, theirs = case.group(one), case.group(other)
    if mine is None and theirs is None:
        for a in one.ingredients:
            for b in other.ingredients:
                if (a, b) in partners:
                    yield partners[a, b], (a, b)
                    return
        return
    for rule in getattr(case.book, table):
        for side, back in ((rule.drugs, rule.partners), (rule.partners, rule.drugs)):
            left, right = _name_in(mine, one, side), _name_in(theirs, other, back)
            if left and right and left != right:
                yield rule, (left, right)
                return


def _name_in(group: DrugClass | None, mention: Mention, side: frozenset[str]) -> str | None:
    """What a rule calls a mention: the label of a class all of whose members it covers, or the first ingredient."""
    if group is not None:
        return group.label if group.members <= side else None
    return next((name for name in mention.ingredients if name in side), None)


def _make_pair(
    case: SafetyCase, flag: str, n: int, other: Mention, m: int | None, rule: SafetyRule, names: tuple[str, str]
) -> SafetyFinding:
    reading, drug = case.reading, case.reading.drugs[n]
    features = dict(case.mention_features(n))
    patient = reading.patient
    features |= {
        f"flag {flag}": 1.0,
        f"sev {rule.severity}": 1.0,
        "lingers": float(bool(_LINGERING & {*drug.mention.ingredients, *other.ingredients})),
    }
    if m is None:
        leads = other.lead
        for name, said in (("current", patient.drugs), ("asked", patient.asked), ("allergen", patient.allergies)):
            features[f"P q {name}"] = float(leads in {x.lead for x in said})
        features["P in question"] = 1.0
        around = context_of(reading.question)
        for name, near in around.said(other.start, other.end).items():
            features[f"P Q {name}"] = near
        again = case.by_lead.get(leads, [])
        features["P named again"] = float(bool(again))
        if again and case.stances:
            features |= case.strongest(leads)
        window = range(max(0, drug.segment - 1), min(len(reading.segments), drug.segment + 2))
    else:
        two = reading.drugs[m]
        features |= {
            f"P {k}": v
            for k, v in case.mention_features(m).items()
            if k.startswith(("c:", "s:", "heading:", "dose", "timed"))
        }
        same = two.segment == drug.segment
        features["P same segment"] = float(same)
        features["P same block"] = float(reading.segments[two.segment].block == reading.segments[drug.segment].block)
        features["P apart"] = min(1.0, abs(two.segment - drug.segment) / FAR)
        if case.stances:
            features["P s:both use"] = min(case.use(n), case.use(m))
        if same:
            between = [w for w, a, b in reading.tokens(drug.segment) if two.end <= a and b <= drug.start]
            for word in between[:14]:
                features[f"m={word}"] = 1.0
            features["P gap"] = min(1.0, len(between) / 14)
            features["P adjacent"] = float(len(between) <= 2)
        first, last = sorted((two.segment, drug.segment))
        window = range(first, min(len(reading.segments), last + 2))
    texts = [reading.segments[k].text for k in window]
    features["P together"] = float(any(map(_TOGETHER.search, texts)))
    features["P apart words"] = float(any(map(_APART.search, texts)))
    features["P scoped"] = float(bool(rule.scope.groups))
    features["P scope holds"] = float(bool(rule.scope.groups) and rule.scope.holds(patient.has, patient.measure))
    # Of two drugs of an answer the first one named is the drug, of one that is taken already the other.
    name, target = names if m is None else names[::-1]
    severity = "high" if flag != "INTERACTION" else "low" if rule.severity == "low" else "medium"
    return SafetyFinding("pair", flag, name, target, drug, features, severity, rule, None, target, drug.mention.lead)
