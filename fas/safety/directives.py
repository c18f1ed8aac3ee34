"""Whether a sentence tells someone to use a drug, not to use it, or neither.

A directive is *strong* (an instruction or a permission addressed to the reader: "take",
"you can take", "is safe for you"), *weak* (an option: "first-line treatment is", "can be
used"), or none (mechanism, history, trial arms, hypotheses). Polarity is positive, negative
(do not take, is contraindicated) or continuation (do not stop, keep taking).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fas.safety.clauses import CONDITION, RELATIVE, Clause, clause_of, clauses
from fas.safety.cues import (
    ADVERSE,
    ADVISABLE,
    ADVISE_VERBS,
    AS_PRESCRIBED,
    ASK,
    BODY_PROCESS,
    CHOICE_IS,
    CLINICIAN,
    CONTINUE_VERBS,
    DEFERRED,
    DESCRIPTIVE,
    ECHOED_QUESTION,
    EXAMPLE,
    FINITE_WORDS,
    FOR_YOU,
    FORMS,
    GERUNDS,
    HEADING_NEGATIVE,
    HEADING_NEUTRAL,
    HEADING_STRONG,
    HEADING_WEAK,
    HESITATE,
    HYPOTHETICAL,
    IMPERATIVES,
    INSTRUCTION_BREAK,
    LABEL,
    LIGHT_ADVERBS,
    LISTING,
    MODAL,
    MODAL_SUBJECT,
    MORE_THAN,
    NEGATED,
    NOT,
    PSEUDO_NOT,
    RELATIVE_CHANGE,
    REPORTED,
    RIGHT_NEGATIVE,
    RIGHT_PERMISSIVE,
    RIGHT_STRONG,
    RIGHT_WEAK,
    STOP_VERBS,
    TALK_VERBS,
    UNQUALIFIED,
    WITH_VERBS,
    YOU,
)
from fas.safety.doses import Doses

if TYPE_CHECKING:
    from spacy.tokens import Doc

Strength = Literal["strong", "weak", "none"]
Polarity = Literal["positive", "negative", "continuation"]


@dataclass(frozen=True, slots=True)
class Directive:
    """What one sentence says about using one drug.

    Attributes:
        strength: strong, weak or none.
        polarity: positive, negative or continuation.
        permissive: It allows use ("is safe in ...") rather than asking for it.
        example: The drug stands as an example ("such as").
        deferred: It sends the reader to the package for the dose.
        as_prescribed: It sends the reader to an existing prescription.
        relative: It changes a dose without naming one ("double your ...").
        bare: A negative without a qualification ("do not take X", not "for more than 10 days").
        clause: First and last-plus-one character of the clause, in the sentence.
    """

    strength: Strength = "none"
    polarity: Polarity = "positive"
    permissive: bool = False
    example: bool = False
    deferred: bool = False
    as_prescribed: bool = False
    relative: bool = False
    bare: bool = False
    clause: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Item:
    """A token, or a drug name taken as one."""

    text: str
    tag: str
    token: int


@dataclass(frozen=True, slots=True)
class Context:
    """What the sentence stands in.

    Attributes:
        heading: Heading or lead-in of a list item, table row or sentence; "" without one.
        in_list: The sentence is a list item or table row.
        asks_for_drug: The question asks what to take or how to treat.
        first: It is the first sentence of the answer.
        has_question: There is a question.
    """

    heading: str = ""
    in_list: bool = False
    asks_for_drug: bool = False
    first: bool = False
    has_question: bool = False


class SentenceReader:
    """Reads the directives of one parsed sentence.

    Args:
        doc: The parse; its text is the sentence.
        spans: Character spans of the drug names in the sentence, ascending.
        doses: Doses found in the sentence.
        context: What it stands in.
    """

    def __init__(self, doc: Doc, spans: Sequence[tuple[int, int]], doses: Doses, context: Context) -> None:
        self.doc = doc
        self.spans = spans
        self.doses = doses
        self.context = context
        self.clauses = clauses(doc, IMPERATIVES)
        self._tokens = [_token_at(doc, start) for start, _ in spans]
        self._covered: dict[int, int] = {}
        for number, (start, end) in enumerate(spans):
            for token in doc:
                if token.idx < end and start < token.idx + len(token):
                    self._covered.setdefault(token.i, number)

    def clause_number(self, number: int) -> int:
        """Index of the clause that holds drug name *number*."""
        return clause_of(self.clauses, self._tokens[number])

    def clause_span(self, clause: Clause) -> tuple[int, int]:
        """Characters of the sentence that *clause* covers."""
        first, last = self.doc[clause.tokens[0]], self.doc[clause.tokens[-1]]
        return first.idx, last.idx + len(last)

    def read(self, number: int) -> Directive:
        """The directive about drug name *number*."""
        clause = self.clauses[self.clause_number(number)]
        items, at = self._items(clause, number)
        left = " ".join(item.text for item in items[:at])
        right = _strip_coordination(" ".join(item.text for item in items[at + 1 :]))
        span = self.clause_span(clause)
        whole = self.doc.text[span[0] : span[1]]
        before = self.doc.text[: self.spans[number][0]].lower()
        made = self._judge(clause, items, at, left, right, before)
        if made.strength == "none" and made.polarity == "positive" and self.context.heading:
            made = self._from_heading(items, at, made)
        tail = self.doc.text[self.spans[number][0] :]
        # "with your levothyroxine": the reader has it already.
        owned = re.search(r"\b(?:your|his|her|their|yer) (?:\w+ )?$", before) is not None and not made.relative
        return Directive(
            made.strength,
            made.polarity,
            made.permissive,
            made.example,
            deferred=bool(DEFERRED.search(tail) or DEFERRED.search(whole)),
            as_prescribed=owned or bool(AS_PRESCRIBED.search(tail) or AS_PRESCRIBED.search(whole)),
            relative=made.relative,
            bare=made.polarity == "negative"
            and not clause.mark
            and UNQUALIFIED.fullmatch(self.doc.text[self.spans[number][1] :]) is not None,
            clause=span,
        )

    def _items(self, clause: Clause, number: int) -> tuple[list[_Item], int]:
        items: list[_Item] = []
        at = 0
        last: int | None = None
        for index in clause.tokens:
            token = self.doc[index]
            name = self._covered.get(index)
            if name is not None:
                if name != last:
                    if name == number:
                        at = len(items)
                    items.append(_Item("§" if name == number else "¤", "NN", index))
                last = name
                continue
            last = None
            if not token.is_space:
                items.append(_Item(token.lower_, token.tag_, index))
        return items, at

    def _judge(self, clause: Clause, items: list[_Item], at: int, left: str, right: str, before: str) -> Directive:
        none = Directive()
        if self.doc.text.rstrip(" *_\"')").endswith("?") or re.match(
            r"\W*(?:question|q\d*)\b", self.doc.text, re.IGNORECASE
        ):
            return none
        if "?" in self.doc.text[self.spans[0][0] :] or ECHOED_QUESTION.match(self.doc.text):
            return none
        if LABEL.search(self.doc.text) and not re.search(r"\byou (?:can|should|may|could)\b", left):
            return none
        governor = _governor(items, at)
        hypothetical = clause.mark.removeprefix("even ") in CONDITION and clause.mark != "even if"
        if governor is None:
            return self._as_subject(items, at, left, right, before, hypothetical or clause.mark in RELATIVE)
        verb, index, gap = governor
        context = " ".join(item.text for item in items[:index])
        if verb in RELATIVE_CHANGE and BODY_PROCESS.match(right):
            return none
        made = self._as_object(verb, items[index], context, gap, before)
        if made is None:
            return self._as_subject(items, at, left, right, before, hypothetical, governed=True)
        if made.polarity == "negative":
            return Directive("none" if hypothetical else made.strength, "negative")
        if clause.mark in RELATIVE or self._is_report():
            return none
        if hypothetical or (ASK.search(before) and not re.search(r"^(?:then |and |please )*$", context)):
            return none
        if made.strength != "none" and re.search(
            r"(?:,|but|and|;) (?:but )?not(?: with)?(?: ¤ (?:or|and))? $", left + " "
        ):
            return Directive("strong", "negative")
        return made

    def _as_object(self, verb: str, item: _Item, context: str, gap: str, before: str) -> Directive | None:
        """The drug is what a verb of use, of stopping or of advice speaks of."""
        if verb in ADVISE_VERBS and re.search(r"\bthat\b", gap):
            return None
        if verb in TALK_VERBS:
            return None if gap in ("", ":") else Directive()
        negated = bool(NEGATED.search(context)) and not PSEUDO_NOT.search(context) and not HESITATE.search(context)
        if re.search(
            r"\b(?:instead of|rather than|except(?: for)?|other than|not|without|in place of|"
            r"over)(?: (?:the|any|a|an|your|taking|using))* ?$",
            gap,
        ):
            return Directive("strong", "negative")
        if verb in STOP_VERBS:
            return self._stopping(verb, item, context, gap, negated)
        if re.search(
            r"\b(?:before|after|during|about|than|between|from|because|against|into|whether|until|interacts?)\b", gap
        ):
            return None if verb not in ("switch", "change") else Directive("none")
        if verb in ("switch", "change", "go", "opt", "stay") and not re.search(r"\b(?:to|on|for|with)\b|^$", gap):
            return None
        if verb in ("switch", "change") and re.search(r"\bfrom\b(?!.*\bto\b)", gap):
            return Directive("none")
        if verb in WITH_VERBS and not re.search(r"\b(?:with|by)\b", gap):
            return None
        if re.search(
            r"\b(?:in|for|to|with) (?:patients?|people|those|women|adults|individuals)\b|"
            r"\b(?:hypersensitivity|allergy|history)\b",
            gap,
        ):
            return None
        if re.match(
            r"(?:(?:special |extra |great )?(?:care|caution)|part|place|time|notice|note|advantage|into account|off)\b",
            gap,
        ):
            return None
        if MORE_THAN.search(gap):
            return Directive("none")
        if re.search(r"\b(?:stop|avoid|discontinue|quit)(?:ping|ing)? (?:or |and )?$", context):
            return Directive("strong", "negative")
        example = bool(EXAMPLE.search(gap))
        strength, polarity = self._strength(verb, item, context, before)
        if strength == "none":
            return (
                Directive("strong", "negative")
                if negated and item.tag in ("VB", "VBP", "VBG", "NN")
                else Directive("none")
            )
        if negated:
            return Directive("none") if MORE_THAN.search(gap) else Directive(strength, "negative")
        if example and strength == "strong":
            strength = "weak"
        return Directive(strength, polarity, example=example, relative=verb in RELATIVE_CHANGE)

    def _stopping(self, verb: str, item: _Item, context: str, gap: str, negated: bool) -> Directive:
        if negated or re.search(r"\b(?:without|before|avoid|prevent)(?: \w+)?$", context):
            return Directive("strong", "continuation") if verb not in ("avoid",) else Directive("none")
        if item.tag in ("VBD", "VBN") and not re.search(r"\bbe$", context):
            return Directive("none")
        if re.search(rf"\b(?:i|we) {NOT}?(?:\w+ )?$", context) and verb != "avoid":
            return Directive("none")
        if re.search(r"\b(?:with|while|when|after|before|by|if)\b", gap) and verb == "avoid":
            # "avoid alcohol while on X": X is not what is avoided.
            return Directive("none")
        if verb == "skip":
            return Directive("none")
        return Directive("strong", "negative")

    def _strength(self, verb: str, item: _Item, context: str, before: str) -> tuple[Strength, Polarity]:
        polarity: Polarity = "continuation" if verb in CONTINUE_VERBS else "positive"
        context = context.strip()
        if re.search(r"\b(?:was|were|had|has been|have been|been|having)(?: \w+ly)?$", context):
            return "none", polarity
        if (
            item.text in ("given", "taken", "used", "started", "took", "gave", "began", "takes", "uses", "gives")
            or item.tag == "VBZ"
        ):
            return "none", polarity
        if verb in ADVISE_VERBS:
            return self._advising(item, context), polarity
        if item.text in GERUNDS:
            return self._gerund(context, polarity)
        if context.endswith(" to") or context == "to":
            return self._infinitive(context[:-2].strip(), before), polarity
        if re.search(
            rf"\b(?:your |the |a )?(?:\w+ )?{CLINICIAN} (?:\w+ )?{MODAL}(?: \w+ly| also| then| first)?$", context
        ) and not re.search(r"\byou(?:r child)? \w+$", context):
            return "none", polarity
        modal = MODAL_SUBJECT.search(context)
        if modal:
            who = modal["who"]
            if re.fullmatch(YOU, who):
                if modal["modal"] in ("would", "'d"):
                    return "none", polarity
                return ("weak" if modal["modal"] == "might" else "strong"), polarity
            if who == "i":
                return ("weak" if modal["modal"] in ("would", "'d") else "none"), polarity
            return ("none" if modal["modal"] in ("would", "'d", "will", "might") else "weak"), polarity
        if re.search(r"\b(?:do|does) (?:not|n't)$|\bnever$|\bnot$", context):
            return "strong", polarity
        if self._is_imperative(context):
            return ("weak" if verb == "consider" else "strong"), polarity
        return "none", polarity

    @staticmethod
    def _is_imperative(context: str) -> bool:
        tail = re.sub(r"[^\w\s'\"¤-]", " ", INSTRUCTION_BREAK.split(LIGHT_ADVERBS.sub("", context))[-1]).strip()
        return not tail or bool(
            re.fullmatch(
                r"(?:\w+ly|for [\w -]{2,40}|in (?:the )?meantime|in this case|at (?:first|home|night)|-|\"|')", tail
            )
        )

    def _advising(self, item: _Item, context: str) -> Strength:
        if re.search(r"\b(?:i|we)(?: \w+ly| would| 'd| do| can| highly| also)*$", context):
            return "strong"
        if re.search(rf"\b{CLINICIAN}(?: \w+ly| also| \w+)?$", context) and re.search(
            r"\b(?:may|might|can|could|will|would|your)\b", context
        ):
            return "none"
        if item.tag in ("VBN", "VBD", "VBG", "VBZ") and not re.search(r"\b(?:is|are)$", context):
            return "none"
        return "weak" if context else "none"

    def _gerund(self, context: str, polarity: Polarity) -> tuple[Strength, Polarity]:
        if re.search(r"\b(?:recommend|suggest|advise)(?: that)?(?: you)?(?: try| start)?$", context):
            return self._advising(
                _Item("recommend", "VB", 0), re.sub(r" ?\b(?:recommend|suggest|advise)\b.*$", "", context)
            ), polarity
        if re.search(r"\b(?:keep|continue|carry on|go on)$", context):
            subject = re.sub(r" ?\b(?:keep|continue|carry on|go on)$", "", context)
            strength, _ = self._strength("continue", _Item("continue", "VB", 0), subject, subject)
            return strength, "continuation"
        if match := re.search(r"\b(?:try|start|begin|consider|resume|by)$", context):
            subject = context[: match.start()].strip()
            if match.group() == "by":
                return ("strong", polarity) if re.search(r"\b(?:start|begin)$", subject) else ("none", polarity)
            strength, _ = self._strength("start", _Item("start", "VB", 0), subject, subject)
            return ("weak" if match.group() == "consider" and strength != "none" else strength), polarity
        return "none", polarity

    def _infinitive(self, context: str, before: str) -> Strength:
        if re.search(
            r"\b(?:how|when|whether|what|which|where|used|refus\w+|decid\w+|forg[eo]t\w*|going|"
            r"planning|unwilling|hesita\w+|afraid|about|due|able)$",
            context,
        ):
            return (
                "strong"
                if re.search(
                    r"\byou(?:'re| are|'ll be| will be| should be) able$|\bhesitate$|n't forget$|not forget$", context
                )
                else "none"
            )
        if re.search(rf"\b{CLINICIAN}\b", context) and not re.search(r"\byou\b|\bit(?:'s| is)\b", context):
            return "none"
        if ADVISABLE.search(context):
            people = re.search(r"\b(?:most people|adults|patients|people|women|children)$", context)
            return "weak" if people else "strong"
        if re.search(r"\b(?:might|may) (?:\w+ )?(?:want|like|wish|choose)$", context):
            return "weak"
        if re.search(r"\b(?:i|we)(?: \w+)? (?:recommend|suggest|advise|want|urge|encourage|ask)(?: you)?$", context):
            return "strong"
        if re.search(r"\b(?:remember|try|continue|start|begin|want|like|wish|choose)$", context):
            return (
                "strong"
                if re.search(
                    r"\byou (?:'ll |'d |\w+ )?(?:may |might |can |should )?(?:also )?(?:want|like|try|"
                    r"choose)$|^(?:please )?(?:remember|try|continue)$",
                    context,
                )
                else "none"
            )
        if re.search(r"\brecommend(?:s|ed)?(?: \w+){0,2}$|\bguidelines\b", context):
            return "weak"
        return "none"

    def _as_subject(
        self,
        items: list[_Item],
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
            return Directive(
                "none" if re.search(r"\b(?:no contraindications? to|no problem)\b", left) else "strong", "negative"
            )
        if re.search(r"\bcontraindications? (?:to|of|for|with|include)[^.;]{0,40}$|\ballerg\w+ to[^.;]{0,40}$", left):
            return Directive("none")
        if RIGHT_NEGATIVE.search(right) and not governed and not re.match(r"\W*(?:to|if) ", right):
            if re.search(r"\b(?:not only|not just|no contraindication)\b", right):
                return Directive("weak")
            if not re.search(
                rf"\b{NOT} (?:work|help|cause|affect|contain|interact|expected|known|associated|"
                r"approved|a(?:n)? (?!good|option)\w+|the same|cure|effective|addictive|usually cause|"
                r"need)\b|n't (?:work|help|cause|affect|contain|interact)",
                right,
            ):
                return Directive("none" if hypothetical else "strong", "negative")
            return Directive("none")
        if re.search(r"\b(?:before|until|prior to)\b[^.;,]*$", left):
            return Directive()
        reported = self._is_report()
        if hypothetical or reported or ASK.search(before):
            return Directive()
        if re.search(r"\b(?:would|could|should|might) have\b", right) or re.search(
            r"\bif your \w+ (?:prescribes|recommends)\b", self.doc.text.lower()
        ):
            return Directive()
        has_dose = self._dose_beside(items[at].token)
        if not governed:
            after = self.doc.text[self.doc[items[at].token].idx :]
            if re.search(
                r"\b(?:should|must|can|may) (?:\w+ )?be\b[^.;]{0,120}\bonly (?:when|if|for|in|by|under|after)\b",
                after,
                re.IGNORECASE,
            ):
                return Directive()
            if RIGHT_STRONG.search(right):
                return Directive("strong", permissive=bool(RIGHT_PERMISSIVE.search(right)))
            if re.search(r"\b(?:considered by|prescribed by|recommended by|up to|discussed with) (?:your|a) ", right):
                return Directive()
            if RIGHT_PERMISSIVE.search(right):
                return Directive("strong" if FOR_YOU.search(f"{left} {right}") or has_dose else "weak", permissive=True)
            if RIGHT_WEAK.search(right) and not DESCRIPTIVE.search(right):
                return Directive("strong" if FOR_YOU.search(f"{left} {right}") or has_dose else "weak")
        if EXAMPLE.search(left) or LISTING.search(left) or CHOICE_IS.search(left):
            if _hypothetical_left(left) or ADVERSE.search(before):
                return Directive()
            return Directive(
                "strong" if FOR_YOU.search(left) and CHOICE_IS.search(left) else "weak",
                example=bool(EXAMPLE.search(left)),
            )
        if governed or DESCRIPTIVE.search(right):
            return Directive()
        return self._elliptical(items, at, left, has_dose)

    def _is_report(self) -> bool:
        text = self.doc.text
        return REPORTED.search(text) is not None and not re.search(r"\byou(?:r)?\b", text, re.IGNORECASE)

    def _elliptical(self, items: list[_Item], at: int, left: str, has_dose: bool) -> Directive:
        if any(item.text in FINITE_WORDS or item.tag in ("VBZ", "VBD", "VBP", "MD") for item in items):
            return Directive()
        if any(item.tag in ("VBG", "VBN") for item in items[:at]) or HEADING_NEUTRAL.search(left):
            return Directive()
        if HEADING_NEGATIVE.search(left):
            return Directive("strong", "negative")
        before = self.doc.text[: self.doc[items[0].token].idx].rstrip()
        if before and not before.endswith(";"):
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
        if near and self.context.first and self.context.asks_for_drug and len(items) <= 12 and not self.context.in_list:
            return Directive("strong")
        return Directive()

    def _from_heading(self, items: list[_Item], at: int, made: Directive) -> Directive:
        if at > 6 or len([i for i in items[:at] if i.tag.startswith("V")]) > 0:
            return made
        return heading_directive(self.context.heading, self._dose_beside(items[at].token)) or made

    def _dose_beside(self, token: int) -> bool:
        """Whether an amount or a frequency stands near the drug name."""
        place = self.doc[token].idx
        # "a pill", "as needed" and "with food" are too little to make a prescription.
        amounts = (a.start for a in self.doses.amounts if self.doc.text[a.start : a.start + 2].lower().strip() != "a")
        timed = (f.start for f in self.doses.frequencies if f.kind in ("times", "every", "latin", "adverb", "per"))
        near = [*amounts, *timed]
        return any(-45 <= start - place <= 60 for start in near)


def heading_directive(heading: str, has_dose: bool) -> Directive | None:
    """What a heading or lead-in says about a drug that stands under it without a verb."""
    if HEADING_NEGATIVE.search(heading):
        return Directive("strong", "negative")
    if HEADING_NEUTRAL.search(heading):
        return None
    if HEADING_STRONG.search(heading):
        return Directive("strong")
    if HEADING_WEAK.search(heading):
        return Directive("strong" if has_dose else "weak")
    return None


def _hypothetical_left(left: str) -> bool:
    return bool(HYPOTHETICAL.search(left))


def _governor(items: list[_Item], at: int) -> tuple[str, int, str] | None:
    """The verb the drug hangs on: its base form, its place, and the words between."""
    for index in range(at - 1, max(-1, at - 13), -1):
        item = items[index]
        if item.text in FORMS and not _used_as_noun(items, index):
            gap = " ".join(i.text for i in items[index + 1 : at])
            return FORMS[item.text], index, gap
        if item.tag.startswith("V") or item.tag == "MD" or item.text in FINITE_WORDS:
            if (
                item.tag == "VBN"
                and index
                and (items[index - 1].tag in ("DT", "PRP$", "JJ") or items[index - 1].text in ("your", "the", "a"))
            ):
                continue
            if item.text in ("following", "using", "extended", "needed", "called", "known", "based", "prescribed"):
                continue
            return None
    return None


def _used_as_noun(items: list[_Item], index: int) -> bool:
    word, before = items[index].text, items[index - 1] if index else None
    after = items[index + 1].text if index + 1 < len(items) else ""
    if word in ("use", "change", "start", "increase", "place", "drink", "spray", "hold") and (
        (
            before is not None
            and (before.tag in ("DT", "PRP$", "JJ", "IN") or before.text in ("the", "your", "of", "long-term"))
        )
        or after == "of"
    ):
        return True
    return word == "get" and after in ("rid", "better", "worse")


def _strip_coordination(right: str) -> str:
    """What follows the drug, without other drugs joined to it, brand names and doses in brackets."""
    right = re.sub(r"\( [^)]{0,60}\)", " ", right)
    return re.sub(r"^(?:\s*(?:,|and|or|and/or|/|\+|plus) (?:also |even )?¤)+", " ", right).strip()


def _token_at(doc: Doc, start: int) -> int:
    for token in doc:
        if token.idx + len(token) > start:
            return token.i
    return len(doc) - 1
