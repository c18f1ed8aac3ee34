"""What a verb of use, of stopping or of advice says about the drug that is its object."""

from __future__ import annotations

import re

from fas.safety.cues import (
    ADVISE_VERBS,
    CONTINUE_VERBS,
    CUES,
    FINITE_WORDS,
    FORMS,
    GERUNDS,
    LESSENING,
    RELATIVE_CHANGE,
    STOP_VERBS,
    TALK_VERBS,
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
        return Directive()
    negated = bool(CUES.negated.search(context)) and not CUES.pseudo_not.search(context)
    if re.search(
        r"\b(?:instead of|rather than|except(?: for)?|other than|not|without|in place of|"
        r"over)(?: (?:the|any|a|an|your|taking|using))* ?$",
        gap,
    ):
        return Directive("strong", "negative")
    if verb in STOP_VERBS:
        return _stopping(verb, context, gap, negated)
    if re.search(
        r"\b(?:before|after|during|about|than|between|from|because|against|into|whether|until|interacts?)\b", gap
    ) and not re.search(r"\bfrom\b.*\b(?:to|over to)(?: \w+)?$", gap):
        return Directive("none")
    example = bool(CUES.example.search(gap))
    strength, polarity = _strength(verb, item, context, before)
    if strength == "none":
        return Directive("strong" if negated else "none", "negative" if negated else "positive")
    if negated:
        return Directive(strength, "negative")
    if strength == "strong" and example:
        strength = "weak"
    return Directive(strength, polarity, example=example, relative=verb in RELATIVE_CHANGE)


def _stopping(verb: str, context: str, gap: str, negated: bool) -> Directive:
    if negated:
        return Directive("strong", "continuation") if verb not in ("avoid",) else Directive("none")
    if re.search(r"\b(?:with|while|when|after|before|by|if)\b", gap) and verb == "avoid":
        # "avoid alcohol while on X": X is not what is avoided.
        return Directive("none")
    return Directive("strong", "negative")


def _strength(verb: str, item: Item, context: str, before: str) -> tuple[Strength, Polarity]:
    polarity: Polarity = "continuation" if verb in CONTINUE_VERBS else "positive"
    context = context.strip()
    if verb == "need":
        named = re.search(rf"\b{YOU}(?: (?:\w+ly|also|will|really|just))*$", context)
        return ("strong" if named else "none"), polarity
    if verb in ADVISE_VERBS:
        return _advising(context), polarity
    if item.text in GERUNDS:
        return _gerund(context, polarity)
    if context.endswith(" to") or context == "to":
        return _infinitive(context[:-2].strip()), polarity
    modal = CUES.modal_subject.search(context)
    if modal:
        who = modal["who"]
        if re.fullmatch(YOU, who):
            return ("weak" if modal["modal"] == "might" else "strong"), polarity
        if who == "i":
            return ("weak" if modal["modal"] in ("would", "'d") else "none"), polarity
        return "weak", polarity
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


def _advising(context: str) -> Strength:
    if not context or re.search(r"\b(?:i|we)(?: \w+ly| would| 'd| do| can| highly| also)*$|[:;.]$", context):
        return "strong"  # "Recommend § 10 mg daily", as clinicians note it
    return "weak"


def _gerund(context: str, polarity: Polarity) -> tuple[Strength, Polarity]:
    if re.search(r"\b(?:i|we)(?: am| 'm| are| 're)(?: now| also)?$", context):
        return "weak", polarity  # "I am prescribing §": or it is the writer who takes it
    if re.search(r"\b(?:recommend|suggest|advise)(?: that)?(?: you)?(?: try| start)?$", context):
        return _advising(re.sub(r" ?\b(?:recommend|suggest|advise)\b.*$", "", context)), polarity
    if match := re.search(r"\b(?:try|start|begin|consider|resume)$", context):
        subject = context[: match.start()].strip()
        strength, _ = _strength("start", Item("start", "VB", 0), subject, subject)
        return ("weak" if match.group() == "consider" and strength != "none" else strength), polarity
    return "none", polarity


def _infinitive(context: str) -> Strength:
    if re.search(r"\b(?:might|may) (?:\w+ )?(?:need|have|want|like|wish|choose)$", context):
        return "weak"
    if CUES.advisable.search(context):
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
    return "none"


def governor(items: list[Item], at: int) -> tuple[str, int, str] | None:
    """The verb the drug hangs on: its base form, its place, and the words between."""
    for index in range(at - 1, max(-1, at - 13), -1):
        item = items[index]
        if item.text in FORMS and not _used_as_noun(items, index):
            gap = " ".join(i.text for i in items[index + 1 : at])
            return FORMS[item.text], index, gap
        if item.tag.startswith("V") or item.text in FINITE_WORDS:
            if item.tag == "VBN" and index and items[index - 1].tag in ("DT", "PRP$", "JJ"):
                continue
            if item.text in ("following", "using", "extended", "needed", "called", "known", "based", "prescribed"):
                continue
            return None
    return None


def _used_as_noun(items: list[Item], index: int) -> bool:
    word, before = items[index].text, items[index - 1] if index else None
    after = items[index + 1].text if index + 1 < len(items) else ""
    if word in ("use", "change", "start", "increase", "place", "drink", "spray", "hold") and (
        (before is not None and before.tag in ("DT", "PRP$", "JJ", "IN")) or after == "of"
    ):
        return True
    return word == "get" and after in ("rid", "better", "worse")
