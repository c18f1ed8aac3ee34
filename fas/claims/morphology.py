"""The few inflections that rewriting a sentence needs."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

_PARTICIPLES = {
    "be": "been", "become": "become", "begin": "begun", "bite": "bitten", "break": "broken", "bring": "brought",
    "build": "built", "buy": "bought", "catch": "caught", "choose": "chosen", "come": "come", "cut": "cut", "do": "done",
    "draw": "drawn", "drink": "drunk", "drive": "driven", "eat": "eaten", "feel": "felt", "find": "found", "forget": "forgotten",
    "get": "gotten", "give": "given", "go": "gone", "grow": "grown", "have": "had", "hear": "heard", "hold": "held", "keep": "kept",
    "know": "known", "lead": "led", "leave": "left", "let": "let", "lie": "lain", "lose": "lost", "make": "made", "mean": "meant",
    "meet": "met", "pay": "paid", "put": "put", "quit": "quit", "read": "read", "rise": "risen", "run": "run", "say": "said",
    "see": "seen", "seek": "sought", "sell": "sold", "send": "sent", "set": "set", "shake": "shaken", "shut": "shut", "sit": "sat",
    "sleep": "slept", "speak": "spoken", "spend": "spent", "stand": "stood", "swim": "swum", "take": "taken", "teach": "taught",
    "tell": "told", "think": "thought", "throw": "thrown", "understand": "understood", "wake": "woken", "wear": "worn", "write": "written",
}  # fmt: skip
_DOUBLED = frozenset(
    "stop get cut put run sit swim quit set plan drop chat rub dab pat wrap skip slip strip snap sip shop jog hug grab dip "
    "cap clip trim blot begin forget admit permit refer let shut submit prefer spit tap mop scrub scan map grip tip shed".split()
)


def gerund(lemma: str) -> str:
    """The -ing form of a verb, e.g. `stop` -> `stopping`."""
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ing"
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and len(lemma) > 2:
        return lemma[:-1] + "ing"
    if lemma in {"panic", "mimic"}:
        return lemma + "king"
    return lemma + "ing"


def third_person(lemma: str) -> str:
    """The third person singular of a verb, e.g. `carry` -> `carries`."""
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}.get(lemma)
    if irregular:
        return irregular
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"


def participle(lemma: str) -> str:
    """The past participle of a verb, e.g. `take` -> `taken`."""
    if lemma in _PARTICIPLES:
        return _PARTICIPLES[lemma]
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ed"
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + "ed"
