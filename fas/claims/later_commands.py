"""Several commands in one sentence, each made a sentence of its own.

Parsers are trained on few imperatives, and join the later ones to whatever stands nearest.
"""

# ruff: noqa: E501 - patterns are easier to check on one line

from __future__ import annotations

import re

from fas.reading.command_words import ADVICE_VERBS, NOUNS_TOO
from fas.reading.mapped import Mapped

# Characters of a sentence whose later commands are looked for.
_LONGEST = 2000
# "Do not smoke and avoid alcohol" does not forbid avoiding it.
_NEVER_FORBIDDEN = frozenset("avoid call contact seek consult limit".split())
_POINTS_AT = re.compile(r"\w+ (?:\w+ )?(?:it|them|this|these|those|one)\b(?!')")
# "Stop the drug and call a doctor if you have black stools": both if. What points at the command before does not.
_CONDITIONED = re.compile(r"\b(?:if|unless|when|until|before|after|while|in case)\b")
_SHARED_TAIL = re.compile(
    r"(?<! as)\s(?:if|when|whenever|in case|until|before|after|as soon as) (?!they\b|it\b|this\b|these\b|that\b|those\b|doing\b|needed\b)"
    r"(?:(?!\s(?:because|since|so) )[^;!?])+?(?=\s*[.!]?$)"
)
_LATER = re.compile(
    r"(,? but (?:instead )?|,? and (?:then )?|, then |, )((?:do not|don't|don’t|never)\s+)?([a-z]+)\b(?=\s+(?!of\b)[\w(])"
)
_OBJECT_NEXT = re.compile(r"\s+(?:the|an?|your|any|all|plenty|for|out|with|\d+)\b")
# What is joined behind one of these may belong to it: "ask your doctor to check it and prescribe ...".
_INNER = re.compile(
    r"\bto (?!your\b|the\b|an?\b|my\b|their\b|you\b|\d)[a-z]+|\b(?:that|which|who|how|what|whether|while|if|when|unless|because|helps?|can|will|may)\b|\b(?:until|before|after) (?:you|they|it|your)\b|[;:]"
)


def one_by_one(text: Mapped) -> Mapped:
    """*text* with later commands as sentences of their own.

    `If it hurts, you should call 911 and chew aspirin` as `If it hurts, you should call 911. If it hurts, you should
    chew aspirin`.
    """
    said = text.text
    if len(said) > _LONGEST:
        return text  # no sentence; pairs of its places would take forever
    front = said.lower().index("you should ") + len("you should ")
    negative = said.startswith("not ", front)
    found = list(_LATER.finditer(said, front))
    listed = re.split(r",\s+(?:and\s+|then\s+)?", said[front:])
    # "avoid smoking, limit alcohol, and exercise regularly": among three, what may be a noun is a verb, too.
    sure = len(listed) > 2 and all(len(part.split()) > 1 and part.split()[0].lower() in ADVICE_VERBS for part in listed)
    places: list[tuple[int, int]] = []
    last = front
    for number, match in enumerate(found):
        between, joined, verb = said[last : match.start()], match.group(1), match.group(3)
        if not (sure and verb in ADVICE_VERBS) and not _is_later_command(match):
            continue
        in_list = joined.strip() != "," or any(other.group(1).strip() != "," for other in found[number + 1 :])
        fewest = 2 + (negative and "but" not in joined)
        if len(between.split()) < fewest or _INNER.search(between) or not in_list:
            break
        if _POINTS_AT.match(said, match.start(3)):
            break  # "clean the wound and keep it dry": the second says what only beside the first
        if negative and "but" not in joined and verb not in _NEVER_FORBIDDEN and match.group(2) is None:
            break  # "do not drink and take paracetamol": forbidden together, or two pieces of advice?
        places.append((match.start(), match.start(2) if match.group(2) else match.start(3)))
        last, negative = match.start(3), match.group(2) is not None
    if not places:
        return text
    begins, ends = [front, *(verb for _, verb in places)], [*(end for end, _ in places), len(text)]
    parts = [_denied(text.slice(start, end)) for start, end in zip(begins, ends, strict=True)]
    before, tail = text.slice(0, front), _condition_behind(said, last)
    if tail is not None:
        condition = text.slice(tail.start(), tail.end())
        parts = [
            part if n == len(parts) - 1 or _CONDITIONED.search(part.text) else Mapped.join([part, condition])
            for n, part in enumerate(parts)
        ]
    return Mapped.join([before, parts[0], *(piece for part in parts[1:] for piece in (". ", before, part))])


def _condition_behind(said: str, start: int) -> re.Match[str] | None:
    """What limits the last command, which begins at *start*; nothing in brackets does."""
    for found in _SHARED_TAIL.finditer(said, start):
        if said.count("(", start, found.start()) == said.count(")", start, found.start()):
            return found
    return None


def _denied(command: Mapped) -> Mapped:
    """`don't exceed 5 mg` as it goes behind `you should`."""
    prohibition = re.match(r"(?:do not|don't|don’t|never)\s+", command.text)
    if prohibition is None:
        return command
    return Mapped.join([command.slice(0, prohibition.end()).standing_for("not "), command.slice(prohibition.end())])


def _is_later_command(match: re.Match[str]) -> bool:
    """Whether the word after a comma or conjunction is a verb beyond doubt."""
    verb = match.group(3)
    if verb not in ADVICE_VERBS:
        return False
    if match.group(2) is not None:
        return True
    if verb not in NOUNS_TOO or "but" in match.group(1):
        return True
    return _OBJECT_NEXT.match(match.string, match.end()) is not None
