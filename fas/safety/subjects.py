"""What a sentence says about a drug that is its subject, or that stands without a verb."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fas.reading.pattern_tables import patterns_of
from fas.safety.cues import CUES, FINITE_WORDS, NOT
from fas.safety.directive import Context, Directive, Item
from fas.safety.doses import Doses

if TYPE_CHECKING:
    from spacy.tokens import Doc


SUBJECTS = patterns_of(__file__)


_PROVISOS = frozenset({"permitting", "allowing", "pending", "assuming", "according", "depending"})


class Surroundings:
    """A sentence around a drug name: its parse, its doses, and what it stands in.

    Args:
        doc: The parse.
        doses: Doses found in the sentence.
        context: What it stands in.
    """

    def __init__(self, doc: Doc, doses: Doses, context: Context) -> None:
        self.doc = doc
        self._text: str = doc.text  # spaCy puts it together anew each time
        self.doses = doses
        self.context = context

    def as_subject(
        self,
        items: list[Item],
        at: int,
        left: str,
        right: str,
        before: str,
        hypothetical: bool,
        *,
        governed: bool = False,
    ) -> Directive:
        """The drug is what the sentence is about, or stands without a verb."""
        if re.search(
            r"\b(?:instead of|rather than|except(?: for)?|other than|without|no|not|neither|avoid(?:ing)?|"
            r"in place of)(?: (?:the|any|a|an|your|taking|using|¤|and|or|,))* ?$",
            left,
        ):
            return Directive("strong", "negative")
        if CUES.right_negative.search(right) and not governed and not re.match(r"\W*(?:to|if) ", right):
            if not re.search(
                rf"\b{NOT} (?:work|help|cause|affect|contain|interact|interfere|clash|conflict|weaken|cross|reach|"
                rf"pass|enter|harm|expected|known|"
                rf"associated|"
                r"approved|a(?:n)? (?!good|option)\w+|the same|cure|effective|addictive|usually cause|"
                r"need|(?:\w+ly )?(?:prescribed|intended|marketed|sold|available|covered))\b|"
                r"n't (?:work|help|cause|affect|contain|interact)",
                right,
            ):
                return Directive("none" if hypothetical else "strong", "negative")
            return Directive("none")
        reported = self.is_report()
        if hypothetical or reported or CUES.ask.search(before):
            return Directive()
        has_dose = self._dose_beside(items[at].token)
        if not governed:
            prescribed = has_dose and self._timed_beside(items[at].token)
            if CUES.right_strong.search(right):
                changed = re.search(r"\bbe (?:\w+ly )?(?:increased|doubled|raised|tripled)\b", right) is not None
                return Directive("strong", permissive=bool(CUES.right_permissive.search(right)), relative=changed)
            if CUES.right_permissive.search(right):
                return Directive(
                    "strong" if CUES.for_you.search(f"{left} {right}") or prescribed else "weak", permissive=True
                )
            if CUES.right_weak.search(right) and not CUES.descriptive.search(right):
                return Directive("strong" if CUES.for_you.search(f"{left} {right}") or prescribed else "weak")
        if has_dose and not governed and SUBJECTS.helps.search(right):
            return Directive("weak")
        if CUES.listing.search(left) or CUES.choice_is.search(left):
            if CUES.adverse.search(before):
                return Directive()
            return Directive("weak", example=bool(CUES.example.search(left)))
        if not governed and self._is_prescription(items, at, right):
            return Directive("weak")
        if governed or CUES.descriptive.search(right):
            return Directive()
        return self._elliptical(items, at, left, has_dose)

    def after_colon(self, items: list[Item], at: int) -> bool:
        """Whether a colon introduces § with its amount and how often ("... needs treating: § 5 mg at night")."""
        colon = next((n for n in range(at - 1, max(-1, at - 7), -1) if items[n].text.endswith(":")), None)
        if not colon or any(
            item.tag in ("VBZ", "VBP", "VBD", "VBN", "VBG", "VB", "MD") for item in items[colon + 1 : at]
        ):
            return False
        if any(item.tag in ("VBZ", "VBP", "VBD", "MD") for item in items[at + 1 :]) or not self._dose_beside(
            items[at].token
        ):
            return False
        return self._timed_beside(items[at].token)

    def is_verdict(self, left: str, right: str, before: str, items: list[Item]) -> bool:
        """Whether a label announces § as what is recommended, and nothing more is said of it ("My pick: §")."""
        if CUES.right_negative.search(right):
            return False
        if SUBJECTS.agreed.search(before):
            return True
        if any(item.tag in ("VBZ", "VBP", "VBD", "MD") for item in items):
            return False
        return bool(SUBJECTS.pick.search(left) or (self.context.asks_for_drug and SUBJECTS.answer.search(left)))

    def _is_prescription(self, items: list[Item], at: int, right: str) -> bool:
        """Whether the clause opens with the drug, its amount and how often, and speaks well or plainly of it.

        "§ 500 mg twice daily ticks all the boxes" offers it, whatever the predicate, unless that warns, tells the
        past, describes or asks.
        """
        words = " ".join(item.text for item in items[:at])
        if (at > 3 and not (SUBJECTS.dose_of.fullmatch(words) or SUBJECTS.fronted.fullmatch(words))) or any(
            item.tag.startswith("V") for item in items[:at]
        ):
            return False
        place = self.doc[items[at].token].idx
        beside = any((-30 if at > 3 else 0) <= a.start - place <= 40 for a in self.doses.amounts if a.unit != "%")
        if not (beside and self._timed_beside(items[at].token)):
            return False
        verbs = [item for item in items[at + 1 :] if item.tag in ("VBZ", "VBP", "VBD", "MD")]
        if not verbs or any(item.tag == "VBD" and item.text != "ought" for item in verbs):
            return False  # without a verb it is read as an ellipsis, in the past as a report
        # "increases the distance you can walk" speaks well of it.
        return not (
            CUES.descriptive.search(right)
            or SUBJECTS.speaks_ill.search(SUBJECTS.benefit.sub(" ", SUBJECTS.more_of_life.sub(" ", self._text)))
        )

    def is_report(self) -> bool:
        """Whether the sentence reports what others did or found, and addresses nobody."""
        text = self._text
        return CUES.reported.search(text) is not None and not re.search(r"\byou(?:r)?\b", text, re.IGNORECASE)

    def _elliptical(self, items: list[Item], at: int, left: str, has_dose: bool) -> Directive:
        if any(item.text in FINITE_WORDS or item.tag in ("VBZ", "VBD", "VBP", "MD") for item in items):
            return Directive()
        if any(
            item.tag in ("VBG", "VBN") and item.text not in _PROVISOS for item in items[:at]
        ) or CUES.heading_neutral.search(left):
            return Directive()
        if CUES.heading_negative.search(left):
            return Directive("strong", "negative")
        if SUBJECTS.composition.search(self._text):
            return Directive()
        before = self._text[: self.doc[items[0].token].idx].rstrip()
        if before and not before.endswith(";") and not SUBJECTS.step.fullmatch(before):
            return Directive()
        opening = re.sub(
            r"\b(?:yes|no|oral|topical|iv|intravenous|the|a|an|low-dose|high-dose|either|and|then|or|"
            r"with|plus|of|first|try|¤)\b|[^\w\s]",
            " ",
            left,
        )
        near = (
            len(
                [
                    word
                    for word in opening.split()
                    if not re.search(r"\d|^(?:mg|mcg|g|tablets?|one|two|to|daily)$", word)
                ]
            )
            <= 2
        )
        if has_dose and near:
            return Directive(
                "strong"
                if self.context.asks_for_drug or not self.context.has_question or self.context.in_list
                else "weak"
            )
        if self.context.in_list and self.context.heading:
            return Directive()
        if near and self.context.first and self.context.asks_for_drug and not self.context.in_list:
            rest = " ".join(item.text for item in items[at + 1 :])
            return Directive(
                "strong" if SUBJECTS.names_only.fullmatch(rest) or self._timed_beside(items[at].token) else "none"
            )
        return Directive()

    def from_heading(self, items: list[Item], at: int, made: Directive) -> Directive:
        """What the heading says of a drug that opens its sentence; *made* where it says nothing."""
        right = " ".join(item.text for item in items[at + 1 :])
        says = any(item.tag in ("VBZ", "VBP", "VBD", "MD") for item in items)
        if self._text.rstrip().endswith("?") or (says and not self.context.in_list):
            return made
        if items and items[0].text in ("limit", "reduce", "less", "cut", "minimise", "minimize", "restrict"):
            return made  # "limit caffeine" stands in a plan, and is no advice to take it
        if re.match(r"(?:reduction|restriction|avoidance|cessation|withdrawal|levels?|monitoring|intake)\b", right):
            return made  # "caffeine reduction": less of it, or a measurement
        # "Sneezing | §": a complaint in the first cell is no verb of the drug.
        if at > 6 or (at > 3 and any(item.tag.startswith("V") for item in items[:at])):
            return made
        return heading_directive(self.context.heading) or made

    def _dose_beside(self, token: int) -> bool:
        """Whether an amount or a frequency stands near the drug name."""
        place = self.doc[token].idx
        # "a pill", "as needed" and "with food" are too little to make a prescription.
        # A percentage is the strength of a product, and part of its name.
        amounts = (
            a.start
            for a in self.doses.amounts
            if a.unit != "%" and self._text[a.start : a.start + 2].lower().strip() != "a"
        )
        timed = (f.start for f in self.doses.frequencies if f.kind in ("times", "every", "latin", "adverb", "per"))
        near = [*amounts, *timed]
        return any(-45 <= start - place <= 60 for start in near)

    def _timed_beside(self, token: int) -> bool:
        """Whether how often it is taken stands near the drug name."""
        place = self.doc[token].idx
        return any(-45 <= frequency.start - place <= 90 for frequency in self.doses.frequencies)


def heading_directive(heading: str) -> Directive | None:
    """What a heading or lead-in says about a drug that stands under it without a verb."""
    if CUES.heading_negative.search(heading):
        return Directive("strong", "negative")
    if CUES.heading_strong.search(heading):
        return Directive("strong")
    return Directive("weak") if CUES.heading_weak.search(heading) else None
