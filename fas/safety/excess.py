"""DOSE_ABOVE_MAX: more of a drug in a day or week than the table allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case, cite
from fas.safety.cells import CELLS, top_row
from fas.safety.directive import Directive
from fas.safety.doses import Amount
from fas.safety.frequencies import Frequency
from fas.safety.matcher import Mention
from fas.safety.patient import Patient
from fas.safety.reading import Statement
from fas.safety.rules import Rule
from fas.safety.stated_doses import stated

OTHER_ROUTES = frozenset(
    {
        "ophthalmic",
        "otic",
        "nasal",
        "inhaled",
        "topical",
        "transdermal",
        "rectal",
        "vaginal",
        "intravenous",
        "injection",
    }
)

EXCESS = patterns_of(__file__)


def doses(case: Case) -> Iterator[Flag]:
    """One flag for each ingredient whose largest advised dose is above the maximum for route and age."""
    seen: set[str] = set()
    for statement in case.positive:
        mention = statement.mention
        if len(mention.ingredients) != 1 or mention.lead in seen:
            continue
        drug = mention.lead
        for rule in case.book.doses:
            if drug not in rule.drugs or not _dose_scope(rule, statement.patient) or not _route_fits(case, rule, drug):
                continue
            excess = _excess(case, drug, rule, statement.patient)
            if excess is None:
                continue
            seen.add(drug)
            place, target = excess
            there = case.reading.segments[place]
            where = next(
                (s for s in case.positive if s.mention.lead == drug and s.segment == place),
                replace(statement, span=(there.start, there.end)),
            )
            message = f"advises {target} of {drug}; {cite(rule)}"
            if target == "weekly drug given daily":
                message = f"gives {drug}, a once-weekly drug, every day; {cite(rule)}"
            yield case.flag("DOSE_ABOVE_MAX", where, drug, target, "high", message, rule=rule)
            break
    for drug, amounts in stated(case).items():
        for rule in case.book.doses if drug not in seen else ():
            if (
                drug not in rule.drugs
                or not _dose_scope(rule, case.reading.patient)
                or not _route_fits(case, rule, drug)
            ):
                continue
            excess = _excess(case, drug, rule, case.reading.patient, amounts)
            if excess is None:
                continue
            place, target = excess
            there = case.reading.segments[place]
            span = (there.start, there.end)
            where = Statement(Mention(*span, there.text, (drug,)), place, Directive(), span, case.reading.patient)
            message = f"states {target} of {drug} as a dose or limit; {cite(rule)}"
            yield case.flag("DOSE_ABOVE_MAX", where, drug, target, "high", message, rule=rule)
            break


def _dose_scope(rule: Rule, patient: Patient) -> bool:
    # An adult is assumed where no age is known; a dose by body weight is a child's.
    assumed = 6.0 if rule.unit == "mg/kg/day" else 30.0

    def measure(name: str) -> float | None:
        value = patient.measure(name)
        return assumed if value is None and name == "age_years" else value

    return rule.scope.holds(patient.has, measure)


def _route_fits(case: Case, rule: Rule, drug: str) -> bool:
    if rule.route == "any":
        return True
    places = {link.segment for _, link in case.reading.amounts if drug in link.ingredients}
    routes = {route for place in places for route in case.reading.doses[place].routes}
    return rule.route in routes or not routes & OTHER_ROUTES


def _excess(
    case: Case, drug: str, rule: Rule, patient: Patient, only: Sequence[tuple[Amount, int]] | None = None
) -> tuple[int, str] | None:
    """The segment of the largest dose above the rule's limit, and both in words.

    Args:
        case: The answer.
        drug: Whose doses.
        rule: The limit.
        patient: For whom.
        only: Amounts that were stated, with their segments; None for all that are advised.
    """
    unit = rule.unit
    amounts = [(amount, link.segment) for amount, link in case.reading.amounts if link.ingredients == {drug}]
    amounts, closes = _explained(case, _counted_before_the_name(case, amounts))
    if only is not None:
        wanted = {(place, amount.start) for amount, place in only}
        amounts = [(amount, place) for amount, place in amounts if (place, amount.start) in wanted]
    strengths = [a.strength for a, _ in amounts if a.strength is not None]
    # "10 mg, two tablets four times a day"; but "1000 mg (2 tablets)" tells the same twice.
    strengths += [
        a.mg
        for (a, n), (b, m) in pairwise(amounts)
        if n == m and a.mg and 0 <= b.start - a.end <= 4 and "(" not in case.reading.segments[n].text[a.end : b.start]
    ]
    weight = patient.measure("weight_kg")
    caps: list[tuple[float, int]] = []
    totals: list[tuple[float, int, bool]] = []
    for amount, place in amounts:
        before = case.reading.segments[place].text[: amount.start]
        # "Never exceed 8 g a day" speaks against something and states a limit all the same.
        if EXCESS.change.search(before) or not (
            is_told(case, place, before) and (only or is_advised(case, drug, place))
        ):
            continue
        after = case.reading.segments[place].text[amount.end :]
        if is_called_wrong(after, 0) or EXCESS.of_a_course.match(after):
            continue
        if only is None and EXCESS.beyond.search(before) and EXCESS.spoken_against.search(after):
            continue
        mg = amount.mg
        if mg is None and amount.unit in ("tablet", "tab", "capsule", "cap", "caplet", "pill") and strengths:
            mg = amount.high * strengths[0]
        if mg is None:
            continue
        if unit == "mg/kg/day" and not amount.per_kg:
            if weight is None or patient.measure("age_years") is None:
                continue
            mg /= weight
        elif amount.per_kg and unit != "mg/kg/day":
            if weight is None:
                continue
            mg *= weight
        frequency = frequency_of(case, amount.start, closes.get((place, amount.start), amount.end), place)
        daily = mg if amount.per == "day" else mg / 7 if amount.per == "week" else None
        if (
            daily is None
            and (EXCESS.of_a_day.search(before) or EXCESS.divided.match(after))
            and not (frequency and frequency.weekly)
        ):
            daily = mg
        weekly = amount.per == "week" or (frequency is not None and frequency.weekly)
        if daily is None and amount.is_max and EXCESS.in_a_day.match(after):
            daily = mg  # "and no more than 6 caplets (3,000 mg) in 24 hours", however often before
        if daily is None and frequency is not None and frequency.per_day is not None:
            most = min(
                (f.per_day for f in case.reading.doses[place].frequencies if f.is_max and f.per_day),
                default=frequency.per_day,
            )
            daily = mg * min(frequency.per_day, most)
        if daily is None and frequency is None and amount.per is None and not amount.is_max and unit == "mg/day":
            # What is stated as a dose is at least one of a day.
            daily = mg if only or _is_taken_at_once(case, drug, place, amount.start) else None
        if daily is None and amount.is_max and amount.per != "dose":
            daily = mg  # "no more than 3 tablets in 4 hours" bounds what a day's product would exaggerate
        if daily is None:
            continue
        if amount.is_max:
            caps.append((daily, place))
        else:
            totals.append((daily, place, weekly))
    if unit != "mg/kg/day":
        totals += _by_the_meal(case, amounts) + _by_the_time(case, amounts)
    if unit == "mg/week":
        for daily, place, weekly in totals:
            if not weekly and daily > 0:
                return place, "weekly drug given daily"
        totals = [(daily * 7, place, weekly) for daily, place, weekly in totals]
        caps = [(daily * 7, place) for daily, place in caps]
    stated = caps or [(daily, place) for daily, place, _ in totals]
    worst = max(stated, default=None)
    if worst is None or worst[0] <= rule.limit * 1.001:
        return None
    return worst[1], f"{worst[0]:g}>{rule.limit:g} {unit}"


def _explained(
    case: Case, amounts: Sequence[tuple[Amount, int]]
) -> tuple[list[tuple[Amount, int]], dict[tuple[int, int], int]]:
    """The amounts without those that a bracket only tells again, and where the bracket behind each of the rest closes.

    "1000 mg (2 tablets) every 6 hours" and "2 tablets (1000 mg)" are one dose each, and how often stands behind the
    bracket; in "120 mg (30 mg qid)" the bracket is the regimen and the amount before it the sum.
    """
    kept: list[tuple[Amount, int]] = []
    closes: dict[tuple[int, int], int] = {}
    rest = sorted(amounts, key=lambda item: (item[1], item[0].start))
    while rest:
        outer, n = rest.pop(0)
        inner, m = rest[0] if rest else (outer, -1)
        text = case.reading.segments[n].text
        if n != m or EXCESS.opens_bracket.fullmatch(text, outer.end, inner.start) is None:
            kept.append((outer, n))
            continue
        end = text.find(")", inner.end)
        end = len(text) if end < 0 else end + 1
        if any(inner.start <= f.start < end and f.per_day for f in case.reading.doses[n].frequencies):
            if outer.mg is None:
                kept.append((outer, n))
        elif outer.mg is None and inner.mg is not None and EXCESS.each.match(text, inner.end):
            kept.append((replace(outer, strength=inner.mg), n))  # "four caplets (665 mg each)"
            closes[n, outer.start] = end
            del rest[0]
        elif outer.mg is not None:
            kept.append((outer, n))
            closes[n, outer.start] = end
            del rest[0]
        elif inner.mg is not None and outer.high > 0 and EXCESS.each.match(text, inner.end) is None:
            kept.append((replace(outer, strength=inner.mg / outer.high), n))
            closes[n, outer.start] = end
            del rest[0]
        else:
            kept.append((outer, n))
    return kept, closes


def _by_the_time(case: Case, amounts: Sequence[tuple[Amount, int]]) -> list[tuple[float, int, bool]]:
    """The day's total of a segment with amounts for several times of it ("2 mg in the morning and 1 mg at night")."""
    found: dict[int, list[tuple[Amount, Frequency]]] = {}
    for amount, place in amounts:
        timed = frequency_of(case, amount.start, amount.end, place)
        if amount.mg is not None and not amount.is_max and timed is not None and timed.kind == "moment":
            found.setdefault(place, []).append((amount, timed))
    totals = []
    for place, parts in found.items():
        text = case.reading.segments[place].text
        words = {text[timed.start : timed.end].lower() for _, timed in parts}
        joined = all(
            EXCESS.and_then.fullmatch(text, timed.end, amount.start) for (_, timed), (amount, _) in pairwise(parts)
        )
        if (
            len(parts) > 1
            and joined
            and not any(word.startswith("on day") for word in words)
            and len(words) == len(parts)
        ):
            totals.append((sum(amount.mg or 0.0 for amount, _ in parts), place, False))
    return totals


def _counted_before_the_name(case: Case, amounts: Sequence[tuple[Amount, int]]) -> list[tuple[Amount, int]]:
    """*amounts* with "10 tablets of X 0.25 mg" as one: so many of that strength."""
    kept: list[tuple[Amount, int]] = []
    for amount, place in amounts:
        before, there = kept[-1] if kept else (amount, -1)
        if (
            there == place
            and before.unit in ("tablet", "tab", "capsule", "cap", "caplet", "pill")
            and before.strength is None
            and amount.mg
            and not amount.per_kg
            and EXCESS.of_a_name.fullmatch(case.reading.segments[place].text, before.end, amount.start)
        ):
            each = amount.mg
            kept[-1] = (replace(before, strength=each, end=amount.end, per=before.per or amount.per), place)
            continue
        kept.append((amount, place))
    return kept


def _by_the_meal(case: Case, amounts: list[tuple[Amount, int]]) -> list[tuple[float, int, bool]]:
    """The day's total of a table with a row for each meal or time of day."""
    segments = case.reading.segments
    portions: dict[int, list[tuple[float, int]]] = {}
    for amount, place in amounts:
        listed = segments[place].kind in ("row", "item")
        if listed and amount.mg is not None and CELLS.opens_with_time.match(segments[place].text):
            key = top_row(segments, place) if segments[place].kind == "row" else -1 - segments[place].block
            portions.setdefault(key, []).append((amount.mg, place))
    return [
        (sum(mg for mg, _ in rows), rows[0][1], False)
        for rows in portions.values()
        if len({place for _, place in rows}) == len(rows) > 1
    ]


def is_called_wrong(text: str, end: int) -> bool:
    """Whether the amount that ends at *end* is called too much ("100 mg would be an error")."""
    return EXCESS.called_wrong.match(text, end) is not None


def is_told(case: Case, place: int, before: str) -> bool:
    """Whether the amount is not part of somebody's report, of a question, or of what the body does with the drug."""
    text = case.reading.segments[place].text
    return not (text.rstrip().endswith("?") or EXCESS.report.search(before) or EXCESS.fate.search(text))


def is_advised(case: Case, drug: str, place: int) -> bool:
    """Whether the segment does not only speak against the drug."""
    here = [s for s in case.reading.statements if s.segment == place and drug in s.mention.ingredients]
    return not here or any(s.directive.polarity != "negative" for s in here)


def _is_taken_at_once(case: Case, drug: str, place: int, start: int) -> bool:
    """Whether the amount at *start* is one dose that the segment tells the reader to take, next to the drug's name."""
    segment = case.reading.segments[place]
    if EXCESS.loading.search(segment.text):
        return False
    return any(
        s.segment == place
        and drug in s.mention.ingredients
        and s.directive.strength == "strong"
        and s.directive.polarity == "positive"
        and -20 <= segment.start + start - s.mention.start <= 30
        for s in case.positive
    )


def frequency_of(case: Case, start: int, end: int, place: int) -> Frequency | None:
    """How often the amount from *start* to *end* of a segment is taken, by the words around it; None if not said."""
    found = case.reading.doses[place]
    others = [a.start for a in found.amounts if a.start > start and a.start >= end]
    limit = min(others, default=10**9)
    after = [f for f in found.frequencies if end <= f.start < min(limit, end + 70) or (f.start < end and start < f.end)]
    timed = [f for f in after if f.per_day is not None]
    if timed:
        return timed[0]
    before = [f for f in found.frequencies if start - 40 <= f.end <= start and f.per_day is not None]
    return before[-1] if before and not after else None
