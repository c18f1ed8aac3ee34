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

from fas.safety.clauses import CONDITION, Clause, clause_of, clauses
from fas.safety.doses import Doses

if TYPE_CHECKING:
    from spacy.tokens import Doc

Strength = Literal["strong", "weak", "none"]
Polarity = Literal["positive", "negative", "continuation"]

START_VERBS = frozenset(
    "take use start begin try apply inject inhale give add increase double triple raise switch change prescribe administer "
    "initiate choose pick get buy resume restart swallow drink chew dissolve place insert instill rub spread massage "
    "receive combine opt go ingest consume squirt spray replace treat manage supplement premedicate substitute".split()
)
WITH_VERBS = frozenset({"treat", "manage", "supplement", "premedicate", "replace", "substitute"})
CONTINUE_VERBS = frozenset({"continue", "keep", "maintain", "stay", "resume"})
STOP_VERBS = frozenset(
    "avoid stop discontinue hold withhold quit refrain eliminate omit cease abstain skip reject exclude forgo".split()
)
ADVISE_VERBS = frozenset({"recommend", "suggest", "advise", "propose", "prefer"})
IMPERATIVES = START_VERBS | CONTINUE_VERBS | STOP_VERBS | frozenset({"consider", "ask", "talk", "call", "see", "tell", "consult"})

_GERUNDS = {
    **{verb + "ing": verb for verb in IMPERATIVES},
    **{verb[:-1] + "ing": verb for verb in IMPERATIVES if verb.endswith("e") and verb != "see"},
    "beginning": "begin", "getting": "get", "putting": "put", "stopping": "stop", "swapping": "swap", "quitting": "quit",
    "omitting": "omit", "skipping": "skip", "opting": "opt",
}  # fmt: skip
_FORMS = {**_GERUNDS, **{verb: verb for verb in IMPERATIVES | ADVISE_VERBS}}

_YOU = r"(?:you|u|he|she|they|we|your (?:child|son|daughter|baby|wife|husband|mother|father|partner|mom|dad|kid|infant|teen\w*))"
_PEOPLE = (
    r"(?:patients?|people|adults?|women|men|children|kids|individuals|those|persons?|anyone|someone|one|everyone|"
    r"pregnant women|infants|adolescents|teenagers)(?: (?!should|can|could|may|must|will|might|who|need)\w+){0,6}"
)
_CLINICIAN = (
    r"(?:doctors?|physicians?|providers?|pharmacists?|specialists?|clinicians?|dermatologists?|psychiatrists?|pediatricians?|"
    r"dentists?|gynecologists?|cardiologists?|nurses?|they|he or she|professionals?|practitioners?|obstetricians?|gp|vet\w*)"
)
_NOT = r"(?:not|n't|never)"
_MODAL = r"(?:can|could|may|might|should|must|will|'ll|would|'d|need to|needs to|have to|has to|ought to|want to|be able to)"

_NEGATED = re.compile(
    rf"(?:\b{_NOT}|\bcannot|\bno one should|\bnobody should|\bno need to|\bno reason to|\bwithout|\b(?:un(?:safe|wise)|dangerous|"
    rf"inadvisable|risky|harmful|inappropriate) (?:for \w+ )?to|\bagainst|\brefrain from|\binstead of|\brather than)"
    r"(?:(?: \w+ly| also| ever| be| just| start| try| to| take| use| both| either| or| recommend\w*| advis\w+| safe| suitable| "
    r"appropriate| a good idea| okay| ok| for you| for patients| want| have| need| supposed| allowed| begin| the| routinely|"
    r" go| continue| even| self-medicate| combine| give| any| ,)*)$"
)
_PSEUDO_NOT = re.compile(r"\b(?:not only|no contraindications? to|why not|not just|whether or not|nothing wrong with)\b[^.]*$")
_HESITATE = re.compile(rf"\b{_NOT} (?:hesitate|be afraid|forget|fail|worry about)(?: to)?$")
_HYPOTHETICAL = re.compile(
    rf"\b{_CLINICIAN}\b[^.;]{{0,30}}\b(?:may|might|can|could|will|would|'ll|should|has|have|is|are|to)\b[^.;]{{0,25}}$|"
    rf"\b(?:if|whether|in case|suppose|assuming|had|would have|could have|should have|might have|may have)\b[^.;,]*$"
)
_ASK = re.compile(
    r"\b(?:ask|talk|speak|discuss|tell|inform|consult|check|know|wonder|decide|determine|see|find out|question|unclear|unsure)\b"
    r"[^.;]*\b(?:whether|if|about|with your|before|how|when)\b[^.;]*$|\b(?:ask|talk|speak|consult|check|see) (?:to |with )?(?:your|a|the)\b"
    r"[^.;]*\b(?:about|before|regarding|on)\b[^.;]*$"
)
_REPORTED = re.compile(
    r"\b(?:trials?|study|studies|participants?|cohort|randomi[sz]ed|placebo|meta-analysis|review(?:ed)?|researchers|investigators|"
    r"subjects|enrolled|assigned|arm|arms|case report|rats|mice|in vitro|received|were treated|was treated|were given)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\b(?:label(?:ing)?|package insert|prescribing information|leaflet|boxed warning|black box|monograph)\b[^.;]{0,40}"
    r"\b(?:lists?|says?|states?|warns?|reads?|mentions?|includes?|contraindicat\w+|notes?|carries|describes?|:)",
    re.IGNORECASE,
)

_POSITIVE = (
    r"(?:recommended|suitable|appropriate|safe|fine|okay|ok|all right|alright|good|best|right|preferred|effective|acceptable|"
    r"reasonable|ideal|excellent|helpful|indicated|allowed|permitted|useful|sensible|great)"
)
_CHOICE = (
    r"(?:choice|option|alternative|first-line|first line|second-line|bet|pick|(?:usual|typical|good|great|recommended|preferred|best|standard|"
    r"effective|safe|reasonable|suitable|appropriate) (?:\w+ )?(?:start|treatment|therapy|medication|drug|medicine|agent|remedy|approach|idea|dose|one))"
)
_BE = r"(?:is|are|'s|'re|be|would be|should be|will be|may be|might be|can be|could be|seems|remains|looks|has been)"
_DEGREE = r"(?: (?!not\b|n't\b|no\b|never\b|used\b|contraindicated\b)[\w-]+){0,3}?"

_RIGHT_NEGATIVE = re.compile(
    rf"\b(?:contra-?indicated|(?:is|are|was|were|be|'s|do|does|can|could|should|must|may|would|will|has|have|ca|wo) ?{_NOT}|cannot|"
    rf"should(?: \w+)? be (?:avoided|stopped|discontinued|withheld|held|reserved)|(?:must|to|can|may|best|should|usually|generally|are|is) "
    rf"(?:be )?(?:avoided|stopped|discontinued|withheld|held)|unsafe|dangerous|harmful|fatal|inappropriate|unsuitable|inadvisable|"
    rf"ruled out|off[- ]limits|out of the question|never|a bad (?:idea|choice)|(?:was|were|been) withdrawn|no longer)\b|"
    rf"\bn't\b"
)
_RIGHT_STRONG = re.compile(
    rf"\b{_BE}{_DEGREE} {_POSITIVE}?(?: ?[\w-]+){{0,5}}? ?(?:for you|in your case|for your (?!doctor)|to (?:take|use|start|give|try|continue))\b|"
    rf"\b(?:should|must|needs? to|has to|have to) (?:\w+ly )?be (?:started|initiated|given|administered|added|prescribed|begun|increased|tried)\b|"
    rf"\b(?:would|will|should|can) (?:suit|help|work (?:well )?for) you\b|\bis what you (?:need|should)\b"
)
_RIGHT_PERMISSIVE = re.compile(
    rf"\b{_BE}{_DEGREE} (?:safe|fine|okay|ok|all right|acceptable|appropriate|suitable|well tolerated|compatible)\b|"
    rf"\b(?:can|may|could) (?:still |also |\w+ly )?be (?:\w+ly )?(?:used|taken|given|continued|prescribed)\b|\bno problem\b|"
    rf"\bposes? no (?:risk|problem)|\bno (?:risk|harm) (?:to|in|for)\b"
)
_RIGHT_WEAK = re.compile(
    rf"\b{_BE}{_DEGREE} {_POSITIVE}\b|\b{_BE}(?: [\w-]+){{0,5}} {_CHOICE}\b|\bworks? (?:well|best|great)\b|"
    rf"\b(?:can|may|could|will|should) (?:also |often |usually |\w+ly )?(?:help|relieve|treat|work|be (?:\w+ly )?(?:used|taken|given|tried|applied|effective|helpful|added|prescribed|continued|started))\b|"
    rf"\b(?:helps?|relieves?) (?:with|to|relieve|reduce|your|the|pain|fever|symptoms)\b|\b(?:should|must) be (?:used|taken|applied)\b|\bposes? no\b|\bno problem\b|\bis the way to go\b"
)
_DESCRIPTIVE = re.compile(
    r"^(?:,? ?(?:\([^)]*\) ?)?)(?:(?:is|are|was|were)(?: \w+){0,2} (?:used|given|taken|prescribed|approved|indicated|marketed|sold|known|associated|"
    r"metabolized|excreted|available|thought|believed|designed|an?n? (?!\w*\s?(?:good|safe|reasonable|excellent|effective|option|alternative|choice))\w+))\b"
)
_LISTING = re.compile(
    r"\b(?:options?|treatments?|medications?|medicines?|choices?|therap(?:y|ies)|drugs?|remed(?:y|ies)|antibiotics?|alternatives?|"
    r"relievers?|agents?|first-line|painkillers?|creams?|inhibitors?|blockers?|antihistamines?|antidepressants?|nsaids?|class)\b"
    r"[^.;]{0,60}\b(?:include|includes|including|are|is|be|such as|like|e\.g\.|:|,)[^.;]{0,60}$"
)
_EXAMPLE = re.compile(r"(?:\bsuch as|\blike|\bincluding|\be\.g\.|\bfor example|\bi\.e\.)(?:[^.;]{0,60})$")
_CHOICE_IS = re.compile(
    r"\b(?:first[- ](?:line|choice)|second[- ]line|treatment|drug|medication|therapy|choice|option|antibiotic|medicine)\b[^.;]{0,60}"
    r"\b(?:is|are|would be|includes?|consists? of)(?: (?:a|an|the|usually|often|typically|generally|oral|intravenous|high-dose|low-dose))*$"
)
_FOR_YOU = re.compile(r"\b(?:for|in) (?:you|your)\b")
_MORE_THAN = re.compile(
    r"\b(?:more than|longer than|over|above|extra|additional|a double|double|two doses|exceed\w*|too much|missed|higher than|greater than|"
    r"all(?: of)? your|full bottle|overdos\w+)\b[^.;]*$"
)
_DEFERRED = re.compile(
    r"\b(?:as|per|follow(?:ing)?|according to) (?:directed|indicated|instructed|stated|described|the)?(?: ?(?:on|by|in|to|the))*"
    r" (?:package|packaging|label|box|bottle|instructions|directions|leaflet|product)\b|\bper (?:label|package)\b|"
    r"\bfollow(?:ing)? (?:the )?(?:\w+ )?(?:package|label|dosage|dosing) (?:\w+ )?(?:instructions|directions)",
    re.IGNORECASE,
)
_AS_PRESCRIBED = re.compile(
    r"\b(?:(?:exactly )?as (?:your (?:doctor|physician|provider)|prescribed|directed|instructed)|as (?:usual|before|normal)|"
    r"(?:prescribed|directed|instructed|recommended|told|ordered) by (?:your|a|the) (?:doctor|physician|provider|healthcare))",
    re.IGNORECASE,
)
_RELATIVE_CHANGE = frozenset({"double", "triple", "increase", "raise"})


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
            deferred=bool(_DEFERRED.search(tail) or _DEFERRED.search(whole)),
            as_prescribed=owned or bool(_AS_PRESCRIBED.search(tail) or _AS_PRESCRIBED.search(whole)),
            relative=made.relative,
            bare=made.polarity == "negative" and not right.strip(" .!,") and not clause.mark,
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
        if self.doc.text.rstrip(" *_\"')").endswith("?"):
            return none
        if _LABEL.search(self.doc.text) and not re.search(r"\byou (?:can|should|may|could)\b", left):
            return none
        governor = _governor(items, at)
        hypothetical = clause.mark.removeprefix("even ") in CONDITION and clause.mark != "even if"
        if governor is None:
            return self._as_subject(items, at, left, right, before, hypothetical)
        verb, index, gap = governor
        context = " ".join(item.text for item in items[:index])
        made = self._as_object(verb, items[index], context, gap, before)
        if made is None:
            return self._as_subject(items, at, left, right, before, hypothetical, governed=True)
        if made.polarity == "negative":
            return Directive("none" if hypothetical else made.strength, "negative")
        if hypothetical or (_ASK.search(before) and not re.search(r"^(?:then |and |please )*$", context)):
            return none
        if made.strength != "none" and re.search(r"(?:,|but|and|;) (?:but )?not(?: with)?(?: ¤ (?:or|and))? $", left + " "):
            return Directive("strong", "negative")
        return made

    def _as_object(self, verb: str, item: _Item, context: str, gap: str, before: str) -> Directive | None:
        """The drug is what a verb of use, of stopping or of advice speaks of."""
        negated = bool(_NEGATED.search(context)) and not _PSEUDO_NOT.search(context) and not _HESITATE.search(context)
        if re.search(r"\b(?:instead of|rather than|except(?: for)?|other than|not|without|in place of|over)(?: (?:the|any|a|an|your|taking|using))* ?$", gap):
            return Directive("strong", "negative")
        if verb in STOP_VERBS:
            return self._stopping(verb, item, context, gap, negated)
        if re.search(r"\b(?:before|after|during|about|than|between|from|because|against|into|whether|until|interacts?)\b", gap):
            return None if verb not in ("switch", "change") else Directive("none")
        if verb in ("switch", "change", "go", "opt", "stay") and not re.search(r"\b(?:to|on|for|with)\b|^$", gap):
            return None
        if verb in ("switch", "change") and re.search(r"\bfrom\b(?!.*\bto\b)", gap):
            return Directive("none")
        if verb in WITH_VERBS and not re.search(r"\b(?:with|by)\b", gap):
            return None
        if re.match(r"(?:care|caution|part|place|time|notice|note|advantage|into account|off)\b", gap):
            return None
        if _MORE_THAN.search(gap):
            return Directive("none")
        if re.search(r"\b(?:stop|avoid|discontinue|quit)(?:ping|ing)? (?:or |and )?$", context):
            return Directive("strong", "negative")
        example = bool(_EXAMPLE.search(gap))
        strength, polarity = self._strength(verb, item, context, before)
        if strength == "none":
            return Directive("strong", "negative") if negated and item.tag in ("VB", "VBP", "VBG", "NN") else Directive("none")
        if negated:
            return Directive("none") if _MORE_THAN.search(gap) else Directive(strength, "negative")
        if example and strength == "strong":
            strength = "weak"
        return Directive(strength, polarity, example=example, relative=verb in _RELATIVE_CHANGE)

    def _stopping(self, verb: str, item: _Item, context: str, gap: str, negated: bool) -> Directive:
        if negated or re.search(r"\b(?:without|before|avoid|prevent)(?: \w+)?$", context):
            return Directive("strong", "continuation") if verb not in ("avoid",) else Directive("none")
        if item.tag in ("VBD", "VBN") and not re.search(r"\bbe$", context):
            return Directive("none")
        if re.search(rf"\b(?:i|we) {_NOT}?(?:\w+ )?$", context) and verb != "avoid":
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
        if item.text in ("given", "taken", "used", "started", "took", "gave", "began", "takes", "uses", "gives") or item.tag == "VBZ":
            return "none", polarity
        if verb in ADVISE_VERBS:
            return self._advising(item, context), polarity
        if item.text in _GERUNDS:
            return self._gerund(context, polarity)
        if context.endswith(" to") or context == "to":
            return self._infinitive(context[:-2].strip(), before), polarity
        if re.search(rf"\b(?:your |the |a )?(?:\w+ )?{_CLINICIAN} (?:\w+ )?{_MODAL}(?: \w+ly| also| then| first)?$", context) and not re.search(
            r"\byou(?:r child)? \w+$", context
        ):
            return "none", polarity
        modal = re.search(rf"\b(?P<who>{_YOU}|{_PEOPLE}|i|it) (?:\w+ly |also |then |still |just )?(?P<modal>{_MODAL})(?: {_NOT})?(?: \w+ly| also| just| then| still| either| safely| probably| first| simply| be| be able to| always| even| continue to| try to| at least)*$", context)  # fmt: skip
        if modal:
            who = modal["who"]
            if re.fullmatch(_YOU, who):
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
        tail = re.split(r"[,;:)(]|\b(?:and|then|or|please|instead|first|next|also|just|only|simply|always|yes|no|okay|sure|so|well|finally|therefore|otherwise|initially|definitely|now|today|afterwards?|carefully|gently|continue to|try to|remember to|make sure to|be sure to|important to)\b", context)[-1]  # fmt: skip
        return not tail.strip() or bool(re.fullmatch(r"(?:\w+ly|for [\w -]{2,40}|in (?:the )?meantime|in this case|at (?:first|home|night)|-|\"|')", tail.strip()))

    def _advising(self, item: _Item, context: str) -> Strength:
        if re.search(r"\b(?:i|we)(?: \w+ly| would| 'd| do| can| highly| also)*$", context):
            return "strong"
        if re.search(rf"\b{_CLINICIAN}(?: \w+ly| also| \w+)?$", context) and re.search(r"\b(?:may|might|can|could|will|would|your)\b", context):
            return "none"
        if item.tag in ("VBN", "VBD", "VBG", "VBZ") and not re.search(r"\b(?:is|are)$", context):
            return "none"
        return "weak" if context else "none"

    def _gerund(self, context: str, polarity: Polarity) -> tuple[Strength, Polarity]:
        if re.search(r"\b(?:recommend|suggest|advise)(?: that)?(?: you)?(?: try| start)?$", context):
            return self._advising(_Item("recommend", "VB", 0), re.sub(r" ?\b(?:recommend|suggest|advise)\b.*$", "", context)), polarity
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
        if re.search(r"\b(?:how|when|whether|what|which|where|used|refus\w+|decid\w+|forg[eo]t\w*|going|planning|unwilling|hesita\w+|afraid|about|due|able)$", context):
            return "strong" if re.search(r"\byou(?:'re| are|'ll be| will be| should be) able$|\bhesitate$|n't forget$|not forget$", context) else "none"
        if re.search(rf"\b{_CLINICIAN}\b", context) and not re.search(r"\byou\b|\bit(?:'s| is)\b", context):
            return "none"
        if re.search(r"\b(?:safe|fine|ok|okay|alright|right|best|better|reasonable|recommended|advised|appropriate|acceptable|important|necessary|idea|helpful|advisable|possible|allowed|free|need|needs|have|ought|sure|beneficial|wise|worth|crucial|essential|good|welcome|permitted|encouraged)(?: (?:for|in) (?:you|your \w+|most people|adults|patients|people|women|children|pregnant women))?(?: to start| to try)?$", context):  # fmt: skip
            people = re.search(r"\b(?:most people|adults|patients|people|women|children)$", context)
            return "weak" if people else "strong"
        if re.search(r"\b(?:i|we)(?: \w+)? (?:recommend|suggest|advise|want|urge|encourage|ask)(?: you)?$", context):
            return "strong"
        if re.search(r"\b(?:remember|try|continue|start|begin|want|like|wish|choose)$", context):
            return "strong" if re.search(r"\byou (?:\w+ )?(?:may |might |can |should )?(?:also )?(?:want|like|try|choose)$|^(?:please )?(?:remember|try|continue)$", context) else "none"
        if re.search(r"\brecommend(?:s|ed)?(?: \w+){0,2}$|\bguidelines\b", context):
            return "weak"
        return "none"

    def _as_subject(
        self, items: list[_Item], at: int, left: str, right: str, before: str, hypothetical: bool, *, governed: bool = False
    ) -> Directive:
        """The drug is what the sentence is about, or stands without a verb."""
        if re.search(r"\b(?:instead of|rather than|except(?: for)?|other than|without|no|avoid(?:ing)?|in place of)(?: (?:the|any|a|an|your|taking|using|¤|and|or|,))* ?$", left):
            return Directive("none" if re.search(r"\b(?:no contraindications? to|no problem)\b", left) else "strong", "negative")
        if re.search(r"\bcontraindications? (?:to|of|for|with|include)[^.;]{0,40}$|\ballerg\w+ to[^.;]{0,40}$", left):
            return Directive("none")
        if _RIGHT_NEGATIVE.search(right) and not governed and not re.match(r"\W*(?:to|for|if) ", right):
            if re.search(r"\b(?:not only|not just|no contraindication)\b", right):
                return Directive("weak")
            if not re.search(rf"\b{_NOT} (?:work|help|cause|affect|contain|interact|expected|known|associated|approved|a(?:n)? (?!good|option)\w+|the same|cure|effective|addictive|usually cause|need)\b|n't (?:work|help|cause|affect|contain|interact)", right):
                return Directive("none" if hypothetical else "strong", "negative")
            return Directive("none")
        reported = _REPORTED.search(self.doc.text) is not None and not re.search(r"\byou(?:r)?\b", self.doc.text.lower())
        if hypothetical or reported or _ASK.search(before):
            return Directive()
        if re.search(rf"\b(?:would|could|should|might) have\b", right) or re.search(r"\bif your \w+ (?:prescribes|recommends)\b", self.doc.text.lower()):
            return Directive()
        has_dose = self._dose_beside(items[at].token)
        if not governed:
            if _RIGHT_STRONG.search(right):
                return Directive("strong", permissive=bool(_RIGHT_PERMISSIVE.search(right)))
            if re.search(rf"\b(?:considered by|prescribed by|recommended by|up to|discussed with) (?:your|a) ", right):
                return Directive()
            if _RIGHT_PERMISSIVE.search(right):
                return Directive("strong" if _FOR_YOU.search(right) or has_dose else "weak", permissive=True)
            if _RIGHT_WEAK.search(right) and not _DESCRIPTIVE.search(right):
                return Directive("strong" if _FOR_YOU.search(right) or has_dose else "weak")
        if _EXAMPLE.search(left) or _LISTING.search(left) or _CHOICE_IS.search(left):
            if _hypothetical_left(left):
                return Directive()
            return Directive("strong" if _FOR_YOU.search(left) and _CHOICE_IS.search(left) else "weak", example=bool(_EXAMPLE.search(left)))
        if governed or _DESCRIPTIVE.search(right):
            return Directive()
        return self._elliptical(items, at, left, has_dose)

    def _elliptical(self, items: list[_Item], at: int, left: str, has_dose: bool) -> Directive:
        if any(item.tag.startswith("V") and item.text in _FINITE_WORDS or item.tag in ("VBZ", "VBD", "MD") for item in items):
            return Directive()
        opening = re.sub(r"\b(?:yes|no|oral|topical|iv|intravenous|the|a|an|low-dose|high-dose|either|and|then|or|with|plus|of|first|try|¤)\b|[^\w\s]", " ", left)
        near = len([word for word in opening.split() if not re.search(r"\d|^(?:mg|mcg|g|tablets?|one|two|to|daily)$", word)]) <= 2
        if has_dose and near:
            return Directive("strong" if self.context.asks_for_drug or not self.context.has_question or self.context.in_list else "weak")
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
        near = [*((a.start, a.end) for a in self.doses.amounts), *((f.start, f.end) for f in self.doses.frequencies)]
        return any(-45 <= start - place <= 60 for start, _ in near)


_FINITE_WORDS = frozenset("is are was were be has have had do does did can may should must will would could take use give cause causes".split())
_HEADING_NEGATIVE = re.compile(
    r"\b(?:avoid|do not|don't|never|not (?:to take|recommended|safe|take|use)|contraindicated|unsafe|stop|stay away|should not|dangerous|interact\w*|"
    r"contraindications?|medications to avoid|cannot|shouldn't|harmful)\b",
    re.IGNORECASE,
)
_HEADING_STRONG = re.compile(
    r"\b(?:you (?:can|could|should|may|must) (?:\w+ )?(?:take|use|try|start)|(?:take|use|try|start|prescribe|give)(?: one| either| any| the| some)?(?: of)?"
    r"(?: the| these)?(?: following)?|i (?:recommend|suggest|would recommend)|we recommend|your (?:plan|prescription|regimen))\b",
    re.IGNORECASE,
)
_HEADING_WEAK = re.compile(
    r"\b(?:options?|treatments?|medications?|medicines?|choices?|therap(?:y|ies)|first[- ](?:line|choice)|recommended|preferred|alternatives?|remed(?:y|ies)|"
    r"antibiotics?|safe|relief|management|drugs?)\b",
    re.IGNORECASE,
)
_HEADING_NEUTRAL = re.compile(
    r"\b(?:side effects?|interactions?|causes?|risk factors?|examples? of|may cause|can cause|ask|tell your|history|studied|trial|such as|what (?:is|are)|"
    r"how|why|mechanism|warnings?|precautions?|types? of|classes|include[sd]? in the study|symptoms)\b",
    re.IGNORECASE,
)


def heading_directive(heading: str, has_dose: bool) -> Directive | None:
    """What a heading or lead-in says about a drug that stands under it without a verb."""
    if _HEADING_NEGATIVE.search(heading):
        return Directive("strong", "negative")
    if _HEADING_NEUTRAL.search(heading):
        return None
    if _HEADING_STRONG.search(heading):
        return Directive("strong")
    if _HEADING_WEAK.search(heading):
        return Directive("strong" if has_dose else "weak")
    return None


def _hypothetical_left(left: str) -> bool:
    return bool(_HYPOTHETICAL.search(left))


def _governor(items: list[_Item], at: int) -> tuple[str, int, str] | None:
    """The verb the drug hangs on: its base form, its place, and the words between."""
    for index in range(at - 1, max(-1, at - 13), -1):
        item = items[index]
        if item.text in _FORMS and not _used_as_noun(items, index):
            gap = " ".join(i.text for i in items[index + 1 : at])
            return _FORMS[item.text], index, gap
        if item.tag.startswith("V") or item.tag == "MD" or item.text in _FINITE_WORDS:
            if item.tag == "VBN" and index and (items[index - 1].tag in ("DT", "PRP$", "JJ") or items[index - 1].text in ("your", "the", "a")):
                continue
            if item.text in ("following", "using", "extended", "needed", "called", "known", "based", "prescribed"):
                continue
            return None
    return None


def _used_as_noun(items: list[_Item], index: int) -> bool:
    word, before = items[index].text, items[index - 1] if index else None
    after = items[index + 1].text if index + 1 < len(items) else ""
    if word in ("use", "change", "start", "increase", "place", "drink", "spray", "hold") and (
        (before is not None and (before.tag in ("DT", "PRP$", "JJ", "IN") or before.text in ("the", "your", "of", "long-term"))) or after == "of"
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
