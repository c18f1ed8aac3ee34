"""From what an answer says to flags: one function per flag, each once per drug and target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from fas.records import Flag
from fas.safety.doses import Frequency
from fas.safety.matcher import DrugMatcher, Mention
from fas.safety.patient import Patient, find_conditions
from fas.safety.reading import Reading, Statement
from fas.safety.rules import Rule, RuleBook
from fas.safety.vocabulary import DrugClass

Severity = Literal["high", "medium", "low", "info"]

_SECTION_NAMES = {"contraindication": "Contraindications", "boxed_warning": "Boxed Warning", "warning": "Warnings"}
_TITRATION = re.compile(
    r"\b(?:titrat\w+|increase(?:d|s)? (?:by|to|gradually|slowly)|taper\w*|then (?:increase|reduce)|gradually)\b",
    re.IGNORECASE,
)
_OTHER_ROUTES = frozenset(
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
_ALTERNATIVE = re.compile(
    r"\b(?:or(?! (?:twice|two|three|four|half|\d|more|less))|alternatively|alternative|instead|"
    r"another option|other options?|either|versus|vs)\b",
    re.IGNORECASE,
)
_STEMS = (
    r"(?:mab|nib|pril|sartan|statin|gliptin|floxacin|azole|cillin|gliflozin|olol|dipine|triptan|prazole|"
    r"oxetine|mycin|glutide|parin|xaban|vir|pram|azepam)"
)
_OBJECT = re.compile(
    r"\b(?i:take|taking|try|trying|use|using|start|starting|give|giving|prescribe|begin|add|recommend|"
    r"suggest|consider|switch to|start with|need)\s+"
    r"(?:(?:a|an|the|your|some|oral|daily|generic|with|on|to|dose|of|low-dose|once-daily|one|two|"
    r"tablets?|capsules?|course|\d+(?:\.\d+)?\s?(?:mg|mcg|g|ml|units?))\s+){0,6}"
    rf"(?P<word>[A-Z][a-z]{{4,}}[a-z]*|"
    rf"[A-Za-z]{{4,}}{_STEMS})\b(?P<dose>\s*\(?\d[\d,.]*\s?(?:-\s?\d+\s?)?(?:mg|mcg|μg|g|units?|iu|"
    r"ml)\b)?"
)
_ORDINARY = frozenset(
    "vitamin vitamins tablet tablets capsule capsules water medicine medication medications calcium "
    "magnesium insulin antibiotic antibiotics iron protein "
    "omega probiotic probiotics herbal generic children childrens infant extra strength regular plus "
    "maximum multivitamin fluids electrolyte electrolytes "
    "april chamomile ginger turmeric garlic honey caution these those other either every nasal "
    "saline ibuprofen doctor approximately about around "
    "evening primrose echinacea collagen creatine fiber sodium potassium zinc selenium chromium".split()
)


def find_flags(reading: Reading, book: RuleBook, matcher: DrugMatcher, *, info: bool = False) -> tuple[Flag, ...]:
    """Every flag of one answer, in the order of the text.

    Args:
        reading: What the answer says.
        book: The rules.
        matcher: The names, to tell an unknown drug from a known one.
        info: Also flags that only inform (BOXED_WARNING_OMITTED, cross-allergies).
    """
    maker = _Maker(reading, book)
    flags = [
        *maker.missing_dosage(),
        *maker.narrowest(maker.contraindicated()),
        *maker.pairs(),
        *maker.allergies(info=info),
        *maker.pregnancy(info=info),
        *maker.ages(),
        *maker.doses(),
        *maker.unknown(matcher),
    ]
    flags += maker.contradictions(flags)
    if info:
        flags += maker.boxed()
    return tuple(sorted(flags, key=lambda flag: (flag.start, flag.end, flag.code, flag.drug or "", flag.target or "")))


class _Maker:
    def __init__(self, reading: Reading, book: RuleBook) -> None:
        self.reading = reading
        self.book = book
        self.vocabulary = book.vocabulary
        self.positive = [
            s for s in reading.statements if s.directive.strength != "none" and s.directive.polarity != "negative"
        ]
        self.negative = [
            s for s in reading.statements if s.directive.strength != "none" and s.directive.polarity == "negative"
        ]

    def flag(
        self, code: str, statement: Statement, drug: str | None, target: str | None, severity: Severity, message: str,
        *, rule: Rule | None = None, status: str | None = None,
    ) -> Flag:  # fmt: skip
        start, end = self.reading.text.span(*statement.span)
        return Flag(
            flag=code.split(".")[0],
            code=code,
            drug=drug,
            rxcui=self.vocabulary.rxcui(drug),
            target=target,
            start=start,
            end=end,
            severity=severity,
            status=status,
            rule=rule.id if rule else None,
            source=rule.source if rule else None,
            message=message,
        )

    # MISSING_DOSAGE

    def missing_dosage(self) -> Iterator[Flag]:
        by_drug: dict[str, list[Statement]] = {}
        for statement in self.positive:
            lead = statement.mention.lead
            if (
                statement.mention.ingredients
                and statement.directive.polarity == "positive"
                and not self._by_pronoun(statement)
            ):
                entry = self.vocabulary.ingredients.get(lead)
                if entry is None or entry.kind != "exempt":
                    by_drug.setdefault(lead, []).append(statement)
        for drug, statements in by_drug.items():
            amounts = [amount for amount, link in self.reading.amounts if drug in link.ingredients]
            strong = [s for s in statements if s.directive.strength == "strong"]
            chosen = next(
                (s for s in strong if not s.directive.deferred and not s.directive.as_prescribed),
                strong[0] if strong else statements[0],
            )
            status = _dosage_status(chosen)
            if status is None and not chosen.directive.relative and self._takes_already(chosen):
                status = "continuation"
            if not amounts:
                message = f"tells the reader to use {drug} and gives no amount anywhere in the answer"
                if status == "deferred_to_label":
                    message = f"tells the reader to use {drug} and leaves the amount to the package"
                elif status == "continuation":
                    message = f"tells the reader to take {drug} as already prescribed, without an amount"
                elif status == "weak":
                    message = f"offers {drug} as an option and gives no amount"
                yield self.flag("MISSING_DOSAGE.amount", chosen, drug, None, "medium", message, status=status)
            elif status is None and not self._has_frequency(drug, statements):
                message = f"gives an amount of {drug} but not how often to take it"
                yield self.flag("MISSING_DOSAGE.frequency", chosen, drug, None, "low", message)

    def _by_pronoun(self, statement: Statement) -> bool:
        # "use it wisely", "take it as soon as you remember" speak of how, not of starting.
        before = self.reading.text.lower[max(0, statement.mention.start - 12) : statement.mention.start]
        return statement.mention.pronoun and not re.search(r"\b(?:start|begin|try) $", before)

    def _takes_already(self, statement: Statement) -> bool:
        return any(set(mention.ingredients) & set(statement.mention.ingredients) for mention in statement.patient.drugs)

    def _has_frequency(self, drug: str, statements: Sequence[Statement]) -> bool:
        if any(drug in link.ingredients for _, link in self.reading.frequencies):
            return True
        if any(amount.per is not None for amount, link in self.reading.amounts if drug in link.ingredients):
            return True
        places = {link.segment for _, link in self.reading.amounts if drug in link.ingredients} | {
            s.segment for s in statements
        }
        return any(
            _TITRATION.search(self.reading.segments[place].text) or self.reading.doses[place].frequencies
            for place in places
        )

    # CONTRAINDICATED and its relatives

    def contraindicated(self) -> Iterator[Flag]:
        seen: set[tuple[str, str]] = set()
        for statement in self._strongest():
            for drug, rule in self._applicable(statement, self.book.contraindications):
                fact = statement.patient.facts.get(rule.target)
                if fact is None or (drug, rule.target) in seen:
                    continue
                condition = self.book.conditions[rule.target]
                if fact.family and not condition.family_counts:
                    continue
                if not rule.scope.holds(statement.patient.has, statement.patient.measure):
                    continue
                seen.add((drug, rule.target))
                status = "inconsistent" if self._warns(drug, rule.target) else "family" if fact.family else None
                boxed = rule.section == "boxed_warning"
                who = (
                    f"a patient whose relative has {condition.label}"
                    if fact.family
                    else f"a patient with {fact.text.strip()}"
                )
                message = f"{_says(statement, drug)} {who}; {_cite(rule)}"
                if status == "inconsistent":
                    message += "; the answer also warns against it"
                yield self.flag(
                    "CONTRAINDICATED.boxed" if boxed else "CONTRAINDICATED",
                    statement, drug, rule.target, "medium" if boxed else "high", message, rule=rule, status=status,
                )  # fmt: skip

    def narrowest(self, found: Iterable[Flag]) -> list[Flag]:
        """The flags without those whose condition is implied by that of another flag of the same drug."""
        flags = list(found)
        implied = {(flag.drug, key) for flag in flags for key in self._implied(flag.target or "")}
        return [flag for flag in flags if (flag.drug, flag.target) not in implied]

    def _implied(self, key: str) -> set[str]:
        found: set[str] = set()
        for broader in self.book.conditions[key].implies:
            found |= {broader} | self._implied(broader)
        return found

    def _strongest(self) -> list[Statement]:
        order = {"strong": 0, "weak": 1}
        usable = [s for s in self.positive if s.directive.polarity == "positive" or s.directive.strength == "strong"]
        return sorted(usable, key=lambda s: (order[s.directive.strength], s.span))

    def _applicable(self, statement: Statement, rules: Iterable[Rule]) -> Iterator[tuple[str, Rule]]:
        mention = statement.mention
        group = self._group(mention)
        if group is not None:
            # What is said of a class is held against a rule only if the rule covers every member.
            yield from ((group.label, rule) for rule in rules if group.members <= rule.drugs)
            return
        found = list(rules)
        for drug in mention.ingredients:
            yield from ((drug, rule) for rule in found if drug in rule.drugs)

    def _group(self, mention: Mention) -> DrugClass | None:
        return self.vocabulary.classes.get(mention.class_key) if mention.class_key else None

    def _warns(self, drug: str, target: str) -> bool:
        """Whether the answer itself speaks against the drug in that condition."""
        for statement in self.negative:
            if drug not in (*statement.mention.ingredients, statement.mention.class_key):
                continue
            segment = self.reading.segments[statement.segment]
            named = {key for key, _, _ in find_conditions(segment.text, self.book.conditions)}
            closed = set(named)
            for key in named:
                closed |= set(self.book.conditions[key].implies)
            if target in closed:
                return True
        return False

    def pregnancy(self, *, info: bool) -> Iterator[Flag]:
        seen: set[str] = set()
        for statement in self._strongest():
            for drug, rule in self._applicable(statement, self.book.pregnancy):
                # Of a combination (sacubitril / valsartan) one ingredient is named.
                if statement.mention.lead in seen or (rule.severity == "info" and not info):
                    continue
                if rule.scope.holds(statement.patient.has, statement.patient.measure):
                    seen.add(statement.mention.lead)
                    severity: Severity = "info" if rule.severity == "info" else "high"
                    status = "inconsistent" if self._warns(drug, "pregnancy") else None
                    message = f"{_says(statement, drug)} a pregnant patient; {_cite(rule)}"
                    yield self.flag(
                        "PREGNANCY_RISK", statement, drug, "pregnancy", severity, message, rule=rule, status=status
                    )

    def ages(self) -> Iterator[Flag]:
        seen: set[tuple[str, str]] = set()
        for statement in self._strongest():
            for drug, rule in self._applicable(statement, self.book.ages):
                if (drug, rule.target) in seen or not rule.scope.holds(
                    statement.patient.has, statement.patient.measure
                ):
                    continue
                seen.add((drug, rule.target))
                age = statement.patient.measure_texts.get("age_years", "this age").strip()
                message = f"{_says(statement, drug)} a patient aged {_age(age)}; {_cite(rule)}"
                yield self.flag("AGE_RESTRICTED", statement, drug, rule.target, "high", message, rule=rule)

    def allergies(self, *, info: bool) -> Iterator[Flag]:
        patient = self.reading.patient
        if not patient.allergies and not patient.allergy_texts:
            return
        own = {name for mention in patient.allergies for name in mention.ingredients}
        seen: set[str] = set()
        for statement in self._strongest():
            for drug, rule in self._applicable(statement, self.book.allergies):
                key = f"{drug}|{rule.target}"
                if key in seen or (rule.cross and not info) or not self._reacts(patient, rule):
                    continue
                seen.add(key)
                seen.add(drug)
                severity: Severity = "info" if rule.cross else "high"
                message = f"{_says(statement, drug)} a patient with {rule.target.replace('_', ' ')}; {_cite(rule)}"
                yield self.flag("ALLERGY_CLASS", statement, drug, rule.target, severity, message, rule=rule)
            for drug in statement.mention.ingredients:
                if drug in own and drug not in seen:
                    seen.add(drug)
                    message = f"{_says(statement, drug)} a patient who reports an allergy to it"
                    yield self.flag("ALLERGY_CLASS", statement, drug, f"{drug} allergy", "high", message)

    def _reacts(self, patient: Patient, rule: Rule) -> bool:
        if any(
            rule.triggers & set(mention.ingredients) or mention.class_key in rule.trigger_classes
            for mention in patient.allergies
        ):
            return True
        return any(pattern.search(text) for pattern in rule.patterns for text in patient.allergy_texts)

    # DRUG_PAIR_CONTRAINDICATED

    def pairs(self) -> Iterator[Flag]:
        seen: set[frozenset[str]] = set()
        for statement in self._strongest():
            for other, current in self._companions(statement):
                named = frozenset((statement.mention.lead, other.lead))
                for rule, names in self._pair_rules(statement.mention, other):
                    if named in seen:
                        continue
                    patient = statement.patient
                    second = current or patient
                    if not _holds_for_either(rule, patient, second):
                        continue
                    seen.add(named)
                    drug, target = names
                    if current is not None and other.start < statement.mention.start:
                        drug, target = target, drug
                    whom = f"together with {target}" if current is not None else f"to a patient who takes {target}"
                    message = f"recommends {drug} {whom}; {_cite(rule)}"
                    status = "inconsistent" if self._warns_pair(drug, target) else None
                    yield self.flag(
                        "DRUG_PAIR_CONTRAINDICATED", statement, drug, target, "high", message, rule=rule, status=status
                    )

    def _pair_rules(self, one: Mention, other: Mention) -> list[tuple[Rule, tuple[str, str]]]:
        """Rules on two drugs; those on the leading ingredient of a combination first."""
        found = [(rule, names) for rule in self.book.pairs if (names := self._pair(one, other, rule)) is not None]
        return sorted(found, key=lambda item: not {one.lead, other.lead} >= set(item[1]))

    def _companions(self, statement: Statement) -> Iterator[tuple[Mention, Patient | None]]:
        """What the patient takes beside the drug: (drug, None) if already, (drug, patient) if advised too."""
        for mention in statement.patient.drugs:
            if mention.lead != statement.mention.lead:
                yield mention, None
        if statement.directive.strength != "strong":
            return
        for other in self.positive:
            if other is statement or other.mention.lead == statement.mention.lead:
                continue
            if other.directive.polarity == "continuation" or (
                other.directive.strength == "strong" and self._together(statement, other)
            ):
                yield other.mention, other.patient

    def _together(self, a: Statement, b: Statement) -> bool:
        first, second = sorted((a, b), key=lambda s: s.mention.start)
        segments = self.reading.segments
        if a.segment == b.segment:
            between = self.reading.text.plain[first.mention.end : second.mention.start]
            return not _ALTERNATIVE.search(between)
        one, two = segments[first.segment], segments[second.segment]
        if one.kind in ("item", "row") and two.kind in ("item", "row") and one.block == two.block:
            return not re.search(
                r"\b(?:options?|one of|either|choices?|alternatives?|any of|first[- ]line|following)\b",
                one.heading,
                re.IGNORECASE,
            )
        return not _ALTERNATIVE.search(self.reading.text.plain[two.start : second.mention.end + 40])

    def _pair(self, a: Mention, b: Mention, rule: Rule) -> tuple[str, str] | None:
        for left, right in ((rule.drugs, rule.partners), (rule.partners, rule.drugs)):
            one, two = self._member(a, left), self._member(b, right)
            if one and two and one != two:
                return one, two
        return None

    def _member(self, mention: Mention, names: frozenset[str]) -> str | None:
        group = self._group(mention)
        if group is not None:
            return group.label if group.members <= names else None
        return next((drug for drug in mention.ingredients if drug in names), None)

    def _warns_pair(self, drug: str, target: str) -> bool:
        return any(
            drug in s.mention.ingredients and target in self.reading.segments[s.segment].text.lower()
            for s in self.negative
        )

    # DOSE_ABOVE_MAX

    def doses(self) -> Iterator[Flag]:
        seen: set[str] = set()
        for statement in self.positive:
            mention = statement.mention
            if len(mention.ingredients) != 1 or mention.lead in seen:
                continue
            drug = mention.lead
            for rule in self.book.doses:
                if (
                    drug not in rule.drugs
                    or not self._dose_scope(rule, statement.patient)
                    or not self._route_fits(rule, drug)
                ):
                    continue
                excess = self._excess(drug, rule, statement.patient)
                if excess is None:
                    continue
                seen.add(drug)
                place, target = excess
                where = next((s for s in self.positive if s.mention.lead == drug and s.segment == place), statement)
                message = f"advises {target} of {drug}; {_cite(rule)}"
                if target == "weekly drug given daily":
                    message = f"gives {drug}, a once-weekly drug, every day; {_cite(rule)}"
                yield self.flag("DOSE_ABOVE_MAX", where, drug, target, "high", message, rule=rule)
                break

    @staticmethod
    def _dose_scope(rule: Rule, patient: Patient) -> bool:
        # An adult is assumed where no age is known.
        def measure(name: str) -> float | None:
            value = patient.measure(name)
            return 30.0 if value is None and name == "age_years" else value

        return rule.scope.holds(patient.has, measure)

    def _route_fits(self, rule: Rule, drug: str) -> bool:
        if rule.route == "any":
            return True
        places = {link.segment for _, link in self.reading.amounts if drug in link.ingredients}
        routes = {route for place in places for route in self.reading.doses[place].routes}
        return rule.route in routes or not routes & _OTHER_ROUTES

    def _excess(self, drug: str, rule: Rule, patient: Patient) -> tuple[int, str] | None:
        unit = rule.unit
        amounts = [(amount, link.segment) for amount, link in self.reading.amounts if drug in link.ingredients]
        strengths = [a.strength for a, _ in amounts if a.strength is not None]
        weight = patient.measure("weight_kg")
        caps: list[tuple[float, int]] = []
        totals: list[tuple[float, int, bool]] = []
        for amount, place in amounts:
            text = self.reading.segments[place].text
            if re.search(r"\b(?:by|reduc\w+|decreas\w+)\b[^.;]{0,30}$", text[: amount.start]):
                continue  # a change of the dose, not the dose
            mg = amount.mg
            if mg is None and amount.unit in ("tablet", "tab", "capsule", "cap", "caplet", "pill") and strengths:
                mg = amount.high * strengths[0]
            if mg is None:
                continue
            if amount.per_kg != (unit == "mg/kg/day"):
                if not amount.per_kg or weight is None:
                    continue
                mg *= weight
            frequency = self._frequency_of(amount.start, amount.end, place)
            daily = mg if amount.per == "day" else mg / 7 if amount.per == "week" else None
            weekly = amount.per == "week" or (frequency is not None and frequency.weekly)
            if daily is None and frequency is not None and frequency.per_day is not None:
                most = min(
                    (f.per_day for f in self.reading.doses[place].frequencies if f.is_max and f.per_day),
                    default=frequency.per_day,
                )
                daily = mg * min(frequency.per_day, most)
            if daily is None:
                continue
            if amount.is_max:
                caps.append((daily, place))
            else:
                totals.append((daily, place, weekly))
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

    def _frequency_of(self, start: int, end: int, place: int) -> Frequency | None:
        found = self.reading.doses[place]
        others = [a.start for a in found.amounts if a.start > start]
        limit = min(others, default=10**9)
        after = [
            f for f in found.frequencies if end <= f.start < min(limit, end + 70) or (f.start < end and start < f.end)
        ]
        timed = [f for f in after if f.per_day is not None]
        if timed:
            return timed[0]
        before = [f for f in found.frequencies if start - 40 <= f.end <= start and f.per_day is not None]
        return before[-1] if before and not after else None

    # UNKNOWN_DRUG

    def unknown(self, matcher: DrugMatcher) -> Iterator[Flag]:
        seen: set[str] = set()
        text = self.reading.text.plain
        for segment in self.reading.segments:
            for match in _OBJECT.finditer(text, segment.start, segment.end):
                word = match["word"]
                stem = re.search(rf"{_STEMS}$", word, re.IGNORECASE) is not None and len(word) >= 7
                if (
                    not (match["dose"] or stem)
                    or word.lower() in seen
                    or word.lower() in _ORDINARY
                    or matcher.knows(word)
                ):
                    continue
                start, end = match.span("word")
                if any(
                    s.mention.start < end and start < s.mention.end for s in self.reading.statements
                ) or matcher.nearby(word):
                    continue
                if re.search(
                    r"\b(?:not|n't|never|avoid)\b[^.;]{0,20}$", text[segment.start : match.start()], re.IGNORECASE
                ):
                    continue
                seen.add(word.lower())
                first, last = self.reading.text.span(start, end)
                yield Flag(
                    "UNKNOWN_DRUG", "UNKNOWN_DRUG", word.lower(), None, None, first, last, "medium", None, None, None,
                    f"tells the reader to use {word!r}, which is in no list of drug names known here",
                )  # fmt: skip

    # SELF_CONTRADICTION

    def contradictions(self, flags: Sequence[Flag]) -> list[Flag]:
        taken = {flag.drug for flag in flags if flag.status == "inconsistent"}
        found = []
        for statement in self.positive:
            drug = statement.mention.lead
            mention = statement.mention
            if statement.directive.strength != "strong" or drug in taken or mention.pronoun or mention.class_key:
                continue
            for other in self.negative:
                if (
                    other.mention.lead != drug
                    or other.segment == statement.segment
                    or other.mention.text.lower() in ("it", "them", "this")
                ):
                    continue
                conditions = self._conditions_of(statement), self._conditions_of(other)
                same = conditions[0] & conditions[1] or (
                    not any(conditions) and other.directive.bare and not self._qualified(statement)
                )
                if same:
                    taken.add(drug)
                    target = sorted(conditions[0] & conditions[1])[0] if conditions[0] & conditions[1] else None
                    against = self.reading.text.plain[slice(*other.span)].strip()
                    message = f"tells the reader to use {drug} and elsewhere not to ({against!r})"
                    found.append(self.flag("SELF_CONTRADICTION", statement, drug, target, "medium", message))
                    break
        return found

    def _conditions_of(self, statement: Statement) -> set[str]:
        segment = self.reading.segments[statement.segment]
        return {key for key, _, _ in find_conditions(segment.text, self.book.conditions)}

    def _qualified(self, statement: Statement) -> bool:
        text = self.reading.segments[statement.segment].text
        return bool(re.search(r"\b(?:if|unless|when|until|only)\b", text, re.IGNORECASE))

    # BOXED_WARNING_OMITTED

    def boxed(self) -> list[Flag]:
        found = []
        seen: set[str] = set()
        answer = self.reading.text.plain
        for statement in self.positive:
            if (
                statement.directive.strength != "strong"
                or statement.directive.polarity != "positive"
                or statement.directive.deferred
            ):
                continue
            for drug, rule in self._applicable(statement, self.book.boxed):
                if drug in seen or any(
                    p.search(answer) for r in self.book.boxed if rule.drugs & r.drugs for p in r.patterns
                ):
                    continue
                seen.add(drug)
                message = f"starts {drug} without naming the risk of its boxed warning; {_cite(rule)}"
                found.append(
                    self.flag("BOXED_WARNING_OMITTED", statement, drug, rule.target, "info", message, rule=rule)
                )
        return found


def _holds_for_either(rule: Rule, one: Patient, two: Patient) -> bool:
    """Whether the rule's scope is met by what either sentence says of the patient."""

    def measure(name: str) -> float | None:
        value = one.measure(name)
        return two.measure(name) if value is None else value

    return rule.scope.holds(lambda key: one.has(key) or two.has(key), measure)


def _dosage_status(statement: Statement) -> str | None:
    directive = statement.directive
    if directive.strength == "weak":
        return "weak"
    if directive.deferred:
        return "deferred_to_label"
    return "continuation" if directive.as_prescribed else None


def _says(statement: Statement, drug: str) -> str:
    directive = statement.directive
    if directive.polarity == "continuation":
        return f"advises to go on with {drug} in"
    if directive.permissive:
        return f"calls {drug} acceptable for"
    return f"recommends {drug} to" if directive.strength == "strong" else f"offers {drug} as an option to"


def _cite(rule: Rule) -> str:
    name = _SECTION_NAMES.get(rule.section, "")
    document = rule.source.split(":")[0]
    if not rule.confirmed:
        document += " (not confirmed)"
    return f"{document}{', ' + name if name else ''}: {rule.statement}"


def _age(text: str) -> str:
    return (
        re.sub(r"[- ]?(?:years?|yrs?)?[- ]?old$", " years", text, flags=re.IGNORECASE)
        if re.search(r"year|yr", text, re.I)
        else text
    )
