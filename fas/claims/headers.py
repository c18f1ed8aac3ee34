"""A table cell under a header that is no noun (`Used for`, `How often`, `Safe in pregnancy?`), as a sentence.

Before a noun "The ... of" makes a sentence of row, header and cell; before a verb, a question or a preposition not.
"""

from __future__ import annotations

import re

from fas.reading.pattern_tables import patterns_of

HEADERS = patterns_of(__file__)
_QUESTION = {
    "how often": "frequency",
    "how much": "amount",
    "how long": "duration",
    "when": "time",
    "where": "place",
}
_OF_MANY = {"gets": "get", "needs": "need", "takes": "take", "has": "have", "uses": "use"}
_DONE = {"take": "taken", "avoid": "avoided", "use": "used", "give": "given", "stop": "stopped"}
_YES_OR_NO = {"yes": "", "no": "not "}

SUBJECT, VALUE = "{subject}", "{value}"


def sentence_under(header: str, value: str, *, plural: bool) -> list[str] | None:
    """The pieces of a sentence, `SUBJECT` and `VALUE` standing for the row's first cell and the cell.

    Args:
        header: The header, without closing punctuation other than a question mark.
        value: The cell.
        plural: Whether the row's subject is plural.

    Returns:
        None if the header may be a noun; an empty list if it is none and no sentence is known for it.
    """
    asks = header.endswith("?")
    text = " ".join(header.rstrip(" ?").split())
    lowered = text.lower() if not re.search(r"\b[A-Z]{2}", text) else text[:1].lower() + text[1:]
    be = "are" if plural else "is"
    answer = _YES_OR_NO.get(value.lower().rstrip(".!"))
    if re.match(r"(?:is|are) (?:it|they)\s", lowered):  # "Is it safe in pregnancy?"
        lowered = lowered.split(" ", 2)[2]
        asks = True
    if HEADERS.state.fullmatch(lowered):
        if answer is not None:
            return [SUBJECT, f" {be} {answer}{lowered}"]
        ends_open = re.search(r"\s(?:for|in|with|by|as|during|from|at|to|when|on)$", lowered)
        return [SUBJECT, f" {be} {lowered} ", VALUE] if ends_open else []
    if HEADERS.does.fullmatch(lowered):
        return [SUBJECT, f" {lowered} ", VALUE] if answer is None else []
    if re.fullmatch(r"why|what (?:it|they) do(?:es)?|how (?:it|they) works?|how (?:it|they) helps?", lowered):
        if HEADERS.verb_first.match(value):
            return [SUBJECT, " ", VALUE]
        return ["The reason for ", SUBJECT, " is ", VALUE] if lowered == "why" else []
    if does := HEADERS.what_it_does.fullmatch(lowered):
        return [SUBJECT, f" {does[1]} ", VALUE]
    if who := HEADERS.who.fullmatch(lowered):
        verb, *rest = re.sub(r"\s(?:it|them|this)\b", "", who[1]).split()
        verb = verb if HEADERS.one.match(value) else _OF_MANY.get(verb, verb)
        return [VALUE, f" {' '.join([verb, *rest])} ", SUBJECT]
    if to_do := HEADERS.to_do.fullmatch(lowered):
        return [f"The {_QUESTION.get(to_do[1], 'way')} to {to_do[2]} ", SUBJECT, " is ", VALUE]
    if lowered in _QUESTION:
        return [f"The {_QUESTION[lowered]} of ", SUBJECT, " is ", VALUE]
    if do := HEADERS.do.fullmatch(lowered):
        done = _DONE[do[1]]
        if do[2]:
            said = [SUBJECT, f" should {answer or ''}be {done} {do[2]}"]
            return said if answer is not None else [said[0], f"{said[1]} ", VALUE]
        if answer is not None:
            return []
        if do[1] in {"take", "give"}:
            return ["Of ", SUBJECT, ", ", VALUE, f" should be {done}"]
        if do[1] == "avoid":
            return ["With ", SUBJECT, ", ", VALUE, " should be avoided"]
        return [SUBJECT, " should be stopped ", VALUE] if do[1] == "stop" else None
    if HEADERS.where_or_whom.fullmatch(lowered):
        return [SUBJECT, f" {lowered} {be} ", VALUE] if answer is None else []
    if re.match(r"(?:how|when|what|which|why|who|whom|whose|where|does|do|can|is|are)\b", lowered):
        return []
    return [] if asks and answer is not None else None
