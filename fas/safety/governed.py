"""What a verb of use, of stopping or of advice says about the drug that is its object."""

from __future__ import annotations

import re

from fas.safety.cues import (
    ADVISE_VERBS,
    CLINICIAN,
    CONTINUE_VERBS,
    CUES,
    FINITE_WORDS,
    FORMS,
    GERUNDS,
    LESSENING,
    MODAL,
    NOT,
    RELATIVE_CHANGE,
    STOP_VERBS,
    TALK_VERBS,
    WITH_VERBS,
    YOU,
)
from fas.safety.directive import Directive, Item, Polarity, Strength


def as_object(verb: str, item: Item, context: str, gap: str, before: str) -> Directive | None:
    """The drug is what a verb of use, of stopping or of advice speaks of."""
    if verb in ADVISE_VERBS and re.search(r"\bthat\b", gap):
        return None
    if verb in LESSENING and not re.match(r"(?:your|his|her|the (?:dose|dosage|amount) of)\b", gap):
        return None  # "reduce the risk with", "cut out": nothing is said of how much is taken
    if verb in TALK_VERBS:
        return None if gap in ("", ":") else Directive()
    negated = bool(CUES.negated.search(context)) and not CUES.pseudo_not.search(context)
    if re.search(
        r"\b(?:instead of|rather than|except(?: for)?|other than|not|without|in place of|"
        r"over)(?: (?:the|any|a|an|your|taking|using))* ?$",
        gap,
    ):
        return Directive("strong", "negative")
    if verb in STOP_VERBS:
        return _stopping(verb, item, context, gap, negated)
    if re.search(
        r"\b(?:before|after|during|about|than|between|from|because|against|into|whether|until|interacts?)\b", gap
    ):
        if verb not in ("switch", "change"):
            return None
        if not re.search(r"\bfrom\b.*\b(?:to|over to)(?: \w+)?$", gap):
            return Directive("none")
    if verb in ("switch", "change", "go", "opt", "stay") and not re.search(r"\b(?:to|on|for|with)\b|^$", gap):
        return None
    if verb in ("switch", "change") and re.search(r"\bfrom\b(?!.*\bto\b)", gap):
        return Directive("none")
    if re.search(
        r"\b(?:other|any|another|more|additional) (?:[\w-]+ ){0,2}?(?:medications?|medicines?|drugs?|supplements?|"
        r"painkillers?|vitamins?|tablets?|pills?)\b.*"
        r"\b(?:alongside|along with|together with|with|while (?:on|taking|using))(?: ¤| \(|,)*$",
        gap,
    ) and verb not in ("treat", "manage", "replace", "combine"):
        return Directive("none")  # "take other medicines alongside X": X is not what is taken now
    if re.match(r"(?:me|us|myself)\b", gap):
        return Directive()  # "and put me on X": a story
    if gap.startswith("to "):
        return None  # "try to relax": another verb is meant, and it is none of use
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
    if CUES.more_than.search(gap) or (re.search(r"\w for$", gap) and verb not in ("go", "opt")):
        return Directive("none")  # "add lemons for vitamin C": something else is taken
    if re.search(r"\b(?:stop|avoid|discontinue|quit)(?:ping|ing)? (?:or |and )?$", context):
        return Directive("strong", "negative")
    example = bool(CUES.example.search(gap))
    strength, polarity = _strength(verb, item, context, before)
    if strength == "none":
        return (
            Directive("strong", "negative") if negated and item.tag in ("VB", "VBP", "VBG", "NN") else Directive("none")
        )
    if verb == "go" and gap.startswith("on with"):
        polarity = "continuation"
    if negated:
        return Directive("none") if CUES.more_than.search(gap) else Directive(strength, "negative")
    if strength == "strong" and (example or re.search(r"\bthere(?:'s| is| are| exists?)\b", context)):
        strength = "weak"
    return Directive(strength, polarity, example=example, relative=verb in RELATIVE_CHANGE)


def _stopping(verb: str, item: Item, context: str, gap: str, negated: bool) -> Directive:
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


def _strength(verb: str, item: Item, context: str, before: str) -> tuple[Strength, Polarity]:
    polarity: Polarity = "continuation" if verb in CONTINUE_VERBS else "positive"
    context = context.strip()
    if re.search(r"\b(?:was|were|had|has been|have been|been|having)(?: \w+ly)?$", context):
        return "none", polarity
    if (
        item.text in ("given", "taken", "used", "started", "took", "gave", "began", "takes", "uses", "gives")
        or item.tag == "VBZ"
    ):
        return "none", polarity
    if verb == "need":
        named = re.search(rf"\b{YOU}(?: (?:\w+ly|also|will|really|just))*$", context)
        return ("strong" if named and item.text == "need" else "none"), polarity
    if verb in ADVISE_VERBS:
        strength = _advising(item, context)
        return ("weak" if verb == "prefer" and strength == "strong" else strength), polarity
    if item.text in GERUNDS:
        return _gerund(context, polarity)
    if context.endswith(" to") or context == "to":
        return _infinitive(context[:-2].strip(), before), polarity
    if re.search(
        rf"\b(?:your |the |a )?(?:\w+ )?{CLINICIAN} (?:\w+ )?{MODAL}(?: \w+ly| also| then| first)?$", context
    ) and not re.search(r"\byou(?:r child)? \w+$", context):
        return "none", polarity
    modal = CUES.modal_subject.search(context)
    if modal:
        who = modal["who"]
        if re.fullmatch(YOU, who):
            if modal["modal"] in ("would", "'d") or (who == "we" and modal["modal"] in ("will", "'ll")):
                return "none", polarity
            return ("weak" if modal["modal"] == "might" else "strong"), polarity
        if who == "i":
            return ("weak" if modal["modal"] in ("would", "'d") else "none"), polarity
        return ("none" if modal["modal"] in ("would", "'d", "will", "might") else "weak"), polarity
    if re.search(r"\b(?:do|does) (?:not|n't)$|\bnever$|\bnot$", context):
        return "strong", polarity
    if _is_imperative(context):
        return ("weak" if verb == "consider" else "strong"), polarity
    return "none", polarity


def _is_imperative(context: str) -> bool:
    tail = re.sub(r"[^\w\s'\"¤-]", " ", CUES.instruction_break.split(CUES.light_adverbs.sub("", context))[-1]).strip()
    return not tail or bool(
        re.fullmatch(
            r"(?:\w+ly|(?:step |day |week |phase )?\d+(?: ?- ?\d+)?|for [\w -]{2,40}|(?:after|before|during|"
            r"following|at|on|in|from|until|with|around|besides|to)"
            r" (?:(?:the|your|an?|each|every|this|that|his|her|all|any|his) )?(?!(?:to|you|people|patients|who|"
            r"i|we)\b)[\w-]+"
            r"(?: (?:the|your|an?|of|this|to|and|in) [\w-]+| [\w-]+)?|in (?:the )?meantime|in this case|at "
            r"(?:first|home|night)|-|\"|')",
            tail,
        )
    )


def _advising(item: Item, context: str) -> Strength:
    if re.search(r"\b(?:i|we)(?: \w+ly| would| 'd| do| can| highly| also)*$", context):
        return "strong"
    if re.search(rf"\b{CLINICIAN}(?: \w+ly| also| \w+)?$", context) and re.search(
        r"\b(?:may|might|can|could|will|would|your)\b", context
    ):
        return "none"
    if item.tag in ("VBN", "VBD", "VBG", "VBZ") and not re.search(r"\b(?:is|are)$", context):
        return "none"
    if not context or re.search(r"[:;.]$", context.strip()):
        # "Recommend § 10 mg daily", as clinicians note it; "recommended" stands in a heading or a report.
        return "strong" if item.text in ("recommend", "suggest", "advise", "propose") else "none"
    return "weak"


def _gerund(context: str, polarity: Polarity) -> tuple[Strength, Polarity]:
    if re.search(r"\b(?:i|we)(?: am| 'm| are| 're)(?: now| also)?$", context):
        return "weak", polarity  # "I am prescribing §": or it is the writer who takes it
    if re.search(r"\b(?:recommend|suggest|advise)(?: that)?(?: you)?(?: try| start)?$", context):
        return _advising(
            Item("recommend", "VB", 0), re.sub(r" ?\b(?:recommend|suggest|advise)\b.*$", "", context)
        ), polarity
    if re.search(r"\b(?:keep|continue|carry on|go on)$", context):
        subject = re.sub(r" ?\b(?:keep|continue|carry on|go on)$", "", context)
        strength, _ = _strength("continue", Item("continue", "VB", 0), subject, subject)
        return strength, "continuation"
    if match := re.search(r"\b(?:try|start|begin|consider|resume|by)$", context):
        subject = context[: match.start()].strip()
        if match.group() == "by":
            return ("strong", polarity) if re.search(r"\b(?:start|begin)$", subject) else ("none", polarity)
        strength, _ = _strength("start", Item("start", "VB", 0), subject, subject)
        return ("weak" if match.group() == "consider" and strength != "none" else strength), polarity
    return "none", polarity


def _infinitive(context: str, before: str) -> Strength:
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
    if re.search(r"\b(?:might|may) (?:\w+ )?(?:need|have|want|like|wish|choose)$", context):
        return "weak"
    if CUES.advisable.search(context):
        people = re.search(r"\b(?:most people|adults|patients|people|women|children)$", context)
        return "weak" if people else "strong"
    if re.search(
        r"\b(?:i|we)(?: \w+)? (?:(?:recommend|suggest|advise)(?: you)?|(?:want|urge|encourage|ask) you)$", context
    ):
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


def governor(items: list[Item], at: int) -> tuple[str, int, str] | None:
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


def _used_as_noun(items: list[Item], index: int) -> bool:
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
    if word in ("double", "triple") and index + 1 < len(items) and items[index + 1].tag.startswith("NN"):
        return after not in ("§", "¤")  # "triple therapy", "double blind"; "double lisinopril" is an order
    return word == "get" and after in ("rid", "better", "worse")
