"""Drugs that a rule forbids for this patient: conditions, pregnancy, age, allergies, boxed warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case, Severity, cite, says
from fas.safety.patient import Patient
from fas.safety.reading import Statement
from fas.safety.rules import Rule

FORBIDDEN = patterns_of(__file__)


def contraindicated(case: Case) -> Iterator[Flag]:
    """One flag for each drug and condition of the patient that a label sets against each other."""
    seen: set[tuple[str, str]] = set()
    for statement in case.strongest():
        for drug, rule in case.applicable(statement, case.book.contraindications):
            fact = statement.patient.facts.get(rule.target)
            if fact is None or (drug, rule.target) in seen:
                continue
            condition = case.book.conditions[rule.target]
            if fact.family and not condition.family_counts:
                continue
            if not rule.scope.holds(statement.patient.has, statement.patient.measure):
                continue
            seen.add((drug, rule.target))
            status = "inconsistent" if case.warns(drug, rule.target) else "family" if fact.family else None
            boxed = rule.section == "boxed_warning"
            who = (
                f"a patient whose relative has {condition.label}"
                if fact.family
                else f"a patient with {fact.text.strip()}"
            )
            message = f"{says(statement, drug)} {who}; {cite(rule)}"
            if status == "inconsistent":
                message += "; the answer also warns against it"
            yield case.flag(
                "CONTRAINDICATED.boxed" if boxed else "CONTRAINDICATED",
                statement, drug, rule.target, "medium" if boxed else "high", message, rule=rule, status=status,
            )  # fmt: skip


def narrowest(case: Case, found: Iterable[Flag]) -> list[Flag]:
    """The flags without those that a narrower condition of the same drug, or a member of the class, implies."""
    flags = list(found)
    implied = {(flag.drug, key) for flag in flags for key in _implied(case, flag.target or "")}
    # "The pill is fine: take X": of a class and its member, the member is what would be taken.
    named = {(flag.drug, flag.target) for flag in flags}
    for group in case.vocabulary.classes.values():
        implied |= {(group.label, target or "") for drug, target in named if drug in group.members}
    return [flag for flag in flags if (flag.drug, flag.target) not in implied]


def without_forbidden(case: Case, found: Iterable[Flag], forbidden: Iterable[Flag]) -> Iterator[Flag]:
    """Flags on a population or an age, without those on a drug that a label forbids for the same reason already."""
    reasons: dict[str | None, set[str]] = {}
    for flag in forbidden:
        key = flag.target or ""
        reasons.setdefault(flag.drug, set()).update({key} | _implied(case, key))
    for flag in found:
        known, target = reasons.get(flag.drug, set()), flag.target or ""
        as_child = flag.flag == "AGE_RESTRICTED" and any(key.startswith("children_") for key in known)
        narrower = target in case.book.conditions and known & ({target} | _implied(case, target))
        if not (as_child or narrower or target in known):
            yield flag


def _implied(case: Case, key: str) -> set[str]:
    found: set[str] = set()
    for broader in case.book.conditions[key].implies:
        found |= {broader} | _implied(case, broader)
    return found


def pregnancy(case: Case, *, info: bool) -> Iterator[Flag]:
    """One flag for each drug whose label warns of harm to the fetus, if the patient is pregnant."""
    seen: set[str] = set()
    for statement in case.strongest():
        for drug, rule in case.applicable(statement, case.book.pregnancy):
            # Of a combination (sacubitril / valsartan) one ingredient is named.
            if statement.mention.lead in seen:
                continue
            # What a label only warns of is worth a flag where the answer calls it safe.
            called_safe = rule.severity == "info" and _is_called_safe(case, statement)
            if rule.severity == "info" and not (info or called_safe):
                continue
            if rule.scope.holds(statement.patient.has, statement.patient.measure):
                seen.add(statement.mention.lead)
                severity: Severity = "medium" if called_safe else "info" if rule.severity == "info" else "high"
                status = "inconsistent" if case.warns(drug, "pregnancy") else None
                message = f"{says(statement, drug)} a pregnant patient; {cite(rule)}"
                yield case.flag(
                    "PREGNANCY_RISK", statement, drug, "pregnancy", severity, message, rule=rule, status=status
                )


def _is_called_safe(case: Case, statement: Statement) -> bool:
    """Whether the sentence itself, or the head of its list, says that the drug may be used in pregnancy."""
    segment = case.reading.segments[statement.segment]
    directive = statement.directive
    said = directive.permissive or directive.allowed or directive.compatible or directive.polarity == "continuation"
    facts = [fact.text for key, fact in statement.patient.facts.items() if key.startswith("pregnancy")]
    here = f"{segment.heading} {segment.text}".lower()
    return (said or FORBIDDEN.recommends.search(here) is not None) and any(
        text.strip().lower() in here for text in facts
    )


def populations(case: Case) -> Iterator[Flag]:
    """One flag for each drug and population that its label's warnings speak against (breastfeeding, old age, ...)."""
    seen: set[tuple[str, str]] = set()
    for statement in case.strongest():
        for drug, rule in case.applicable(statement, case.book.populations):
            patient = statement.patient
            if (drug, rule.target) in seen or not rule.scope.holds(patient.has, patient.measure):
                continue
            seen.add((drug, rule.target))
            status = "inconsistent" if case.warns(drug, rule.target) else None
            whom = rule.target.replace("_", " ")
            message = f"{says(statement, drug)} a patient of whom its label warns: {whom}; {cite(rule)}"
            yield case.flag(
                "POPULATION_RISK", statement, drug, rule.target, "medium", message, rule=rule, status=status
            )


def ages(case: Case) -> Iterator[Flag]:
    """One flag for each drug and age limit the patient is on the wrong side of."""
    seen: set[tuple[str, str]] = set()
    for statement in case.strongest():
        if statement.patient.has("breastfeeding"):
            continue  # the age is the baby's
        for drug, rule in case.applicable(statement, case.book.ages):
            if (drug, rule.target) in seen or not rule.scope.holds(statement.patient.has, statement.patient.measure):
                continue
            seen.add((drug, rule.target))
            age = statement.patient.measure_texts.get("age_years", "this age").strip()
            message = f"{says(statement, drug)} a patient aged {_age(age)}; {cite(rule)}"
            yield case.flag("AGE_RESTRICTED", statement, drug, rule.target, "high", message, rule=rule)


def allergies(case: Case, *, info: bool) -> Iterator[Flag]:
    """One flag for each drug the patient reacts to, by its class or by its name."""
    seen: set[str] = set()
    for statement in case.strongest():
        patient = statement.patient
        if not patient.allergies and not patient.allergy_texts:
            continue
        own = {name for mention in patient.allergies for name in mention.ingredients}
        for drug, rule in case.applicable(statement, case.book.allergies):
            key = f"{drug}|{rule.target}"
            if key in seen or (rule.cross and not info) or not _reacts(case, patient, rule):
                continue
            seen.add(key)
            seen.add(drug)
            severity: Severity = "info" if rule.cross else "high"
            message = f"{says(statement, drug)} a patient with {rule.target.replace('_', ' ')}; {cite(rule)}"
            yield case.flag("ALLERGY_CLASS", statement, drug, rule.target, severity, message, rule=rule)
        if len(statement.mention.ingredients) > 1 and seen.intersection(statement.mention.ingredients):
            continue  # of a combination the ingredient whose class is known is named
        for drug in statement.mention.ingredients:
            if drug in own and drug not in seen:
                seen.add(drug)
                message = f"{says(statement, drug)} a patient who reports an allergy to it"
                yield case.flag("ALLERGY_CLASS", statement, drug, f"{drug} allergy", "high", message)


def _reacts(case: Case, patient: Patient, rule: Rule) -> bool:
    if any(
        rule.triggers & set(mention.ingredients) or mention.class_key in rule.trigger_classes
        for mention in patient.allergies
    ):
        return True
    return any(pattern.search(text) for pattern in rule.patterns for text in patient.allergy_texts)


def boxed(case: Case) -> list[Flag]:
    """One flag for each drug that is started without a word of the risk in its boxed warning."""
    found = []
    seen: set[str] = set()
    answer = case.reading.text.plain
    for statement in case.positive:
        if (
            statement.directive.strength != "strong"
            or statement.directive.polarity != "positive"
            or statement.directive.deferred
        ):
            continue
        for drug, rule in case.applicable(statement, case.book.boxed):
            if drug in seen or any(
                p.search(answer) for r in case.book.boxed if rule.drugs & r.drugs for p in r.patterns
            ):
                continue
            seen.add(drug)
            message = f"starts {drug} without naming the risk of its boxed warning; {cite(rule)}"
            found.append(case.flag("BOXED_WARNING_OMITTED", statement, drug, rule.target, "info", message, rule=rule))
    return found


def _age(text: str) -> str:
    if not re.search(r"\d|year|month|week|day", text, re.IGNORECASE):
        return f"as {text} are"
    return (
        re.sub(r"[- ]?(?:years?|yrs?)?[- ]?old$", " years", text, flags=re.IGNORECASE)
        if re.search(r"year|yr", text, re.I)
        else text
    )
