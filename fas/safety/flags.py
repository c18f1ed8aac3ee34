"""From findings to flags: their probabilities, which of them become flags, and the messages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from fas.core.records import Flag
from fas.safety.allergies import find_allergies
from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.contradictions import find_contradictions
from fas.safety.dosage import find_missing_doses
from fas.safety.excess import find_excess
from fas.safety.pairs import find_pairs
from fas.safety.patient import Features
from fas.safety.persons import find_restrictions
from fas.safety.relations import RelationReading
from fas.safety.rules import RuleBook, SafetyRule
from fas.safety.segments import SafetySegment
from fas.safety.stance import Model, load_models, load_thresholds
from fas.safety.unknown_drugs import find_unknown_names

Severity = Literal["high", "medium", "low", "info"]
WEAK = 0.15
"""Probability from which a missing dose is reported as `weak`, without being counted."""
_SECTION_NAMES = {
    "contraindication": "Contraindications",
    "boxed_warning": "Boxed Warning",
    "warning": "Warnings",
    "interactions": "Drug Interactions",
    "populations": "Use in Specific Populations",
    "list": "",
}
_CONTENT = re.compile(r"[a-z]{4,}")
_ASKS = re.compile(
    r"\b(?:what|when|why|how|which|can|should|will|does|safe|safely|together|same|time|long|soon|before|after|miss|missed|"
    r"stop|start|switch|taper|differen\w+|dose|dosage|much|many|maximum|recommend|prescribe|suggest|anything|something|"
    r"take|taking|treat|treatment|instead|look)\b"
)
"""Words by which a question says what it wants of a drug: whether, when, how much, or something to take."""
_STARTED = 0.3
"""Probability of use from which the boxed warning of a drug is checked."""
_AGAINST = ("c:avoid before", "c:avoid after", "c:harm before", "c:harm after", "c:stop before")


@dataclass(frozen=True, slots=True)
class JudgedFinding:
    """A finding with its probability, the best of those on the same drug and target."""

    finding: SafetyFinding
    probability: float

    @property
    def counts(self) -> bool:
        """Whether it reaches the threshold of its severity."""
        return self.probability >= load_thresholds()[self.finding.severity]


def build_case(reading: RelationReading, book: RuleBook) -> SafetyCase:
    """The answer with the stance of each drug mention."""
    stance = load_models()["stance"]
    return SafetyCase(
        reading, book, [stance.probabilities(drug.features) for drug in reading.drugs], load_models().get("state")
    )


def list_findings(case: SafetyCase) -> list[SafetyFinding]:
    """Every candidate for a flag; several for one drug and target if several places qualify."""
    found = [
        *find_missing_doses(case),
        *find_restrictions(case),
        *find_allergies(case),
        *find_pairs(case),
        *find_excess(case),
        *find_unknown_names(case),
        *find_contradictions(case),
    ]
    asked = case.reading.question.lower()
    words = set(_CONTENT.findall(asked))
    described: Features = {f"Q {word}": 1.0 for word in _ASKS.findall(asked)}
    described["A on topic"] = _share_words(words, case.reading.segments)
    for finding in found:
        number = finding.place.segment
        near = case.reading.segments[max(0, number - 2) : number + 3]
        finding.features.update(described, **{"A near topic": _share_words(words, near)})
    return found


def _share_words(asked: set[str], segments: Sequence[SafetySegment]) -> float:
    """The share of the question's words that the answer takes up, 0.5 without any: weak models drift off."""
    said = {word for segment in segments for word in _CONTENT.findall(segment.text.lower())}
    return len(asked & said) / len(asked) if asked else 0.5


def judge(case: SafetyCase, fitted: Mapping[str, Model] | None = None) -> list[JudgedFinding]:
    """The findings of an answer with their probabilities; for each drug and target, the likeliest."""
    fitted = fitted or load_models()
    best: dict[tuple[str, str, str | None], JudgedFinding] = {}
    for finding in list_findings(case):
        model = fitted.get(finding.family)
        if model is None:
            continue
        key = (finding.flag, finding.drug, finding.target)
        judged = JudgedFinding(finding, model.probability(finding.features))
        if key not in best or best[key].probability < judged.probability:
            best[key] = judged
    return list(best.values())


def drop_repeated_flags(case: SafetyCase, found: Sequence[JudgedFinding]) -> list[JudgedFinding]:
    """*found* without findings that another one states more precisely (a narrower condition, a member of a class)."""
    book = case.book
    reasons: dict[str, set[str]] = defaultdict(set)
    implied: set[tuple[str, str | None]] = set()
    for item in found:
        own = item.finding
        if own.flag == "CONTRAINDICATED":
            broader = _list_implied(book, own.target or "")
            reasons[own.drug] |= {own.target or "", *broader}
            implied |= {(own.drug, key) for key in broader}
    named = {(item.finding.flag, item.finding.drug, item.finding.target) for item in found}
    for group in book.vocabulary.classes.values():
        # "The pill is fine: take X": of a class and its member, the member is what would be taken.
        implied |= {(group.label, target) for _, drug, target in named if drug in group.members}
    pairs = {frozenset((f.drug, f.target)) for _, f in _list_of(found, "DRUG_PAIR_CONTRAINDICATED")}
    allergic = {f.lead for _, f in _list_of(found, "ALLERGY_CLASS")}
    above = {f.drug for _, f in _list_of(found, "DOSE_ABOVE_MAX")}
    pregnant = {f.drug for _, f in _list_of(found, "PREGNANCY_RISK")}
    members = {group.label: group.members for group in book.vocabulary.classes.values()}
    met: set[frozenset[str | None]] = set()
    first_dose: set[str] = set()
    kept = []
    for item in sorted(found, key=lambda item: (-item.probability, item.finding.place.start)):
        own = item.finding
        key = frozenset((own.drug, own.target))
        known = reasons.get(own.drug, set())
        if own.flag in ("CONTRAINDICATED", "PREGNANCY_RISK", "AGE_RESTRICTED") and (own.drug, own.target) in implied:
            continue
        if own.flag == "CONTRAINDICATED" and own.target == "aspirin_sensitive_asthma" and own.lead in allergic:
            continue
        if own.flag == "AGE_RESTRICTED" and any(reason.startswith("children_") for reason in known):
            continue
        if own.flag == "POPULATION_RISK" and (own.drug in pregnant or known):
            continue
        if own.flag in ("INTERACTION", "DRUG_PAIR_CONTRAINDICATED"):
            if key in met or (own.flag == "INTERACTION" and key in pairs):
                continue
            pairs_of_members = (frozenset((m, own.target)) for m in members.get(own.drug, ()))
            if any(pair in met for pair in pairs_of_members):
                continue
            met.add(key)
        if own.flag == "IMPLAUSIBLE_DOSE" and own.drug in above:
            continue  # more than the most of a day is the closer finding
        if own.family == "dose":
            if (own.flag + own.drug) in first_dose:
                continue
            first_dose.add(own.flag + own.drug)
        kept.append(item)
    return kept


def _list_of(found: Iterable[JudgedFinding], flag: str) -> list[tuple[float, SafetyFinding]]:
    return [(item.probability, item.finding) for item in found if item.finding.flag == flag]


def _list_implied(book: RuleBook, key: str) -> set[str]:
    found: set[str] = set()
    if key in book.conditions:
        for broader in book.conditions[key].implies:
            found |= {broader} | _list_implied(book, broader)
    return found


def find_flags(case: SafetyCase, *, info: bool = False) -> tuple[Flag, ...]:
    """Every flag of one answer, in the order of the text.

    Args:
        case: The answer.
        info: Also flags that only inform (BOXED_WARNING_OMITTED).
    """
    judged = judge(case)
    told = drop_repeated_flags(case, [item for item in judged if item.counts])
    flags = [make_flag(case, item, _choose_status(case, item.finding)) for item in told]
    counted = {item.finding.drug for item in told if item.finding.family in ("missing", "often")}
    for item in judged:
        own = item.finding
        if own.family != "missing" or own.drug in counted or item.probability < WEAK or item.counts:
            continue
        counted.add(own.drug)
        flags.append(make_flag(case, item, own.status or "weak"))
    if info:
        flags += _list_boxed(case)
    return sort_flags(flags)


def list_sure_flags(case: SafetyCase, found: Iterable[SafetyFinding], *, info: bool = False) -> tuple[Flag, ...]:
    """The flags of findings that are certain, as their stances and relations are known.

    Args:
        case: The answer.
        found: What the tables say against it.
        info: Also flags that only inform.
    """
    told = drop_repeated_flags(case, [JudgedFinding(finding, 1.0) for finding in found])
    flags = [make_flag(case, item, item.finding.status) for item in told]
    return sort_flags([*flags, *_list_boxed(case)] if info else flags)


def sort_flags(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Flags in the order of the text."""
    return tuple(sorted(flags, key=lambda flag: (flag.start, flag.end, flag.code, flag.drug or "", flag.target or "")))


def _choose_status(case: SafetyCase, finding: SafetyFinding) -> str | None:
    if finding.family in ("missing", "often"):
        return None
    if finding.family == "person" and finding.status is None and _warns_itself(case, finding):
        return "inconsistent"
    return finding.status


def _warns_itself(case: SafetyCase, finding: SafetyFinding) -> bool:
    """Whether the answer itself warns against the drug in that condition."""
    reading = case.reading
    for n in case.by_lead.get(finding.lead, ()):
        drug = reading.drugs[n]
        if not any(name in drug.features for name in _AGAINST):
            continue
        keys = {state.key for state in reading.states_of[drug.segment]}
        for key in tuple(keys):
            keys |= _list_implied(case.book, key)
        if finding.target in keys and (drug.start, drug.end) != (finding.place.start, finding.place.end):
            return True
    return False


def make_flag(case: SafetyCase, item: JudgedFinding, status: str | None) -> Flag:
    """The flag of a finding; its span is the sentence, item or row."""
    own, reading = item.finding, case.reading
    segment = reading.segments[own.place.segment]
    first, last = segment.start, segment.end
    column = reading.structure.cell(own.place.segment, own.place.start)
    if column is not None:
        cells = reading.structure.cells(own.place.segment)
        first, last = cells[0][0], cells[-1][1]
    plain = reading.text.plain
    while first < last and plain[first] in " \t\n|*_>":
        first += 1
    while last > first and plain[last - 1] in " \t\n|":
        last -= 1
    start, end = reading.text.span(first, last)
    if own.flag == "UNKNOWN_DRUG":
        start, end = reading.text.span(own.place.start, own.place.end)
    rule, rxcui = own.rule, case.book.vocabulary.rxcui(own.drug)
    return Flag(
        own.flag, own.code, own.drug, rxcui, own.target, start, end, cast(Severity, own.severity), status,
        rule.id if rule else None, rule.source if rule else None, _write_message(case, item, status),
    )  # fmt: skip


def _write_message(case: SafetyCase, item: JudgedFinding, status: str | None) -> str:
    own, likely = item.finding, f" (probability {item.probability:.2f})" if item.probability < 1 else ""
    if own.flag == "MISSING_DOSAGE":
        if status == "deferred_to_label":
            return f"tells the reader to use {own.drug} and leaves the amount to the package"
        if status == "continuation":
            return f"tells the reader to take {own.drug} as already prescribed, without an amount"
        if status == "weak":
            return f"offers {own.drug} as an option and gives no amount"
        if own.code.endswith("frequency"):
            return f"gives an amount of {own.drug} but not how often to take it{likely}"
        return f"tells the reader to use {own.drug} and gives no amount anywhere in the answer{likely}"
    if own.flag == "UNKNOWN_DRUG":
        return f"tells the reader to use {own.words!r}, which is in no list of drug names known here{likely}"
    if own.flag == "SELF_CONTRADICTION":
        return f"tells the reader to use {own.drug} and elsewhere not to ({own.words!r}){likely}"
    if own.flag in ("DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE") and own.rule is not None:
        if own.target == "weekly drug given daily":
            return f"gives {own.drug}, a once-weekly drug, every day; {cite(own.rule)}{likely}"
        return f"gives {own.target} of {own.drug}; {cite(own.rule)}{likely}"
    if own.flag in ("DRUG_PAIR_CONTRAINDICATED", "INTERACTION") and own.rule is not None:
        return f"lets {own.drug} meet {own.target}; {cite(own.rule)}{likely}"
    if own.flag == "ALLERGY_CLASS":
        whom = f"a patient with {(own.target or '').replace('_', ' ')}"
        return f"{_write_opening(own)} {whom}{'; ' + cite(own.rule) if own.rule is not None else ''}{likely}"
    whom = {"AGE_RESTRICTED": f"a patient aged {_write_age(own.words)}", "PREGNANCY_RISK": "a pregnant patient"}.get(
        own.flag, f"a patient with {own.words}"
    )
    if own.flag == "POPULATION_RISK":
        whom = f"a patient of whom its label warns: {(own.target or '').replace('_', ' ')}"
    if status == "family":
        condition = case.book.conditions[own.target or ""]
        whom = f"a patient whose relative has {condition.label}"
    ending = "; the answer also warns against it" if status == "inconsistent" else ""
    return f"{_write_opening(own)} {whom}; {cite(own.rule) if own.rule is not None else ''}{ending}{likely}"


def _write_opening(finding: SafetyFinding) -> str:
    """The opening of a message: what the answer does with the drug."""
    advised = finding.features.get("s:advise", 0.0)
    return f"recommends {finding.drug} to" if advised >= 0.5 else f"allows {finding.drug} for"


def cite(rule: SafetyRule) -> str:
    """The ending of a message: the document behind *rule*, its section, and the rule in words."""
    name = _SECTION_NAMES.get(rule.section, "")
    document = rule.source.split(":")[0]
    if not rule.confirmed:
        document += " (not confirmed)"
    return f"{document}{', ' + name if name else ''}: {rule.statement}"


def _write_age(text: str) -> str:
    if not re.search(r"\d|year|month|week|day", text, re.IGNORECASE):
        return f"as {text} are"
    if re.search(r"year|yr", text, re.IGNORECASE):
        return re.sub(r"[- ]?(?:years?|yrs?)?[- ]?old$", " years", text, flags=re.IGNORECASE)
    return text


def _list_boxed(case: SafetyCase) -> list[Flag]:
    """BOXED_WARNING_OMITTED: one flag for each drug that is started without naming the risk of its boxed warning."""
    found: list[Flag] = []
    reading, seen = case.reading, set[str]()
    for n, drug in enumerate(reading.drugs):
        if case.use(n) < _STARTED or "q current" in drug.features:
            continue
        for name, rule in case.applicable(drug.mention, "boxed"):
            same = [r for r in case.book.boxed if rule.drugs & r.drugs]
            if name in seen or any(p.search(reading.text.plain) for r in same for p in r.patterns):
                continue
            seen.add(name)
            finding = SafetyFinding("boxed", "BOXED_WARNING_OMITTED", name, rule.target, drug, {}, "info", rule)
            message = f"starts {name} without naming the risk of its boxed warning; {cite(rule)}"
            found.append(replace(make_flag(case, JudgedFinding(finding, 1.0), None), message=message))
    return found
