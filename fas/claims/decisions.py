"""A bare decision (`Yes.`, `The answer is B. no.`) read as what it says of a yes/no question.

Only where the words of the question give the statement by themselves: one question that begins
with its auxiliary, whose subject stands right behind it and is no pronoun, and that asks for no
choice. Everything else is left without a claim.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fas.claims.clause import finished
from fas.claims.frames import opening
from fas.claims.mapped import Mapped
from fas.claims.morphology import third_person
from fas.claims.parsed import NEGATIONS, Sentence, parse

if TYPE_CHECKING:
    from spacy.language import Language

_DECISION = re.compile(
    r"^(?:(?:the|my) )?(?:(?:correct|best|final|right|short|overall|most \w+) ){0,2}(?:(?:answer|choice|option)(?: to (?:the|this|your) question(?: ['\"][^'\"]{1,300}['\"])?)?"
    r"(?: (?:is|would be|should be|must be)(?: likely| most likely| probably)?)?\s?:?\s)?"
    r"[\"'(]*+(?:(?:option )?[A-E][.):]++\s?)?[\"'(]*+(yes|no)[\"')]*\s?[.!]*$",
    re.IGNORECASE,
)
# "No, it does not.", "Yes, they are!"
_ECHO = re.compile(
    r"^[\"'(]*(yes|no)[,;:–—-]? *(?:it|they|you|we|i|he|she|this|that|these|those|there) (?:\w+ly |indeed )?(?:is|are|was|were|do|does|did|can|could|should|will|would|may|might|must|has|have|ca|wo)"
    r"(not| not|n['’]t)?(?: \w+ly| indeed)?[\"')]*\s?[.!]*$",
    re.IGNORECASE,
)
_ASKED = re.compile(r"([^.?!\n]*\?)[^\w.!?]*(?:answer[^\w.!?]*)?$", re.IGNORECASE)
_FARTHEST = 600
"""Characters that a question and what stands between it and its answer may have."""
_UNSAFE = re.compile(
    r"(?<![\w-])(?:i|me|my|mine|you|your|we|us|our|he|she|his|her|they|them|this|that|these|those|or|versus|vs|any|ever|anyone|anything)(?![\w-])|[:;]",
    re.IGNORECASE,
)
_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
_MOST_WORDS = 40
# What can follow a subject: with another tag, the parser did not see where the subject ends.
_BEHIND_BE = frozenset({"VBN", "VBG", "VBD", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "DT"})
_BEHIND = dict.fromkeys(("is", "are", "was", "were"), _BEHIND_BE) | dict.fromkeys(
    ("can", "could", "should", "will", "may"), frozenset({"VB"})
)
_BEHIND |= dict.fromkeys(("has", "have"), frozenset({"VBN"})) | dict.fromkeys(
    ("do", "does", "did"), frozenset({"VB", "VBP"})
)


def decision(text: str) -> bool | None:
    """Whether *text*, or what is behind its opening, says no more than yes (True) or no (False); None for anything else.

    >>> decision("The answer is B. no."), decision("Overall, yes!"), decision("Yes, it helps.")
    (False, True, None)
    >>> decision("No, it does not."), decision("No, they are."), decision("Yes, you can!")
    (False, None, True)
    """
    echo = _ECHO.match(text.strip())
    if echo is not None:
        yes = echo.group(1).lower() == "yes"
        return yes if yes == (echo.group(2) is None) else None  # "No, they are.": of what else was asked?
    match = _DECISION.match(text.strip()) or _DECISION.match(text[opening(text) :].strip())
    return None if match is None else match.group(1).lower() == "yes"


def question_before(text: str, place: int) -> str | None:
    """The question of *text* that ends right before *place*; None if something else stands there.

    What is decided behind `Is it addictive?` is that, and not what the answer as a whole was asked.

    >>> question_before("Aspirin helps. Is it addictive? No.", 32)
    'Is it addictive?'
    """
    match = _ASKED.search(text[max(0, place - _FARTHEST) : place])
    return None if match is None else match.group(1).strip()


def decided(question: str | None, answer: bool, nlp: Language) -> str | None:
    """What *answer* to *question* states; None where no simple rule is safe.

    Args:
        question: What was asked.
        answer: True for yes.
        nlp: The parser.
    """
    text = " ".join((question or "").split())
    words = text.split()
    if not text.endswith("?") or text.count("?") > 1 or not 3 <= len(words) <= _MOST_WORDS:
        return None
    if words[0].lower() not in _BEHIND or _UNSAFE.search(text):
        return None
    auxiliary, *rest = text.rstrip("? ").split(" ")
    if set(map(str.lower, rest)) & NEGATIONS:
        return None  # "Is aspirin not safe?": what yes means is not safe to say
    if rest[0].lower() == "there":
        return _existing(auxiliary.lower(), rest[1:], answer)
    end = subject_end(auxiliary.lower(), rest, nlp)
    return None if end is None else _stated(auxiliary.lower(), rest[:end], rest[end:], answer)


def says_again(statement: str, texts: Sequence[str]) -> bool:
    """Whether one of *texts* has all words of *statement* and is denied or not like it.

    >>> says_again("Aspirin is effective in gout.", ["Aspirin is indeed effective in gout.", "It is cheap."])
    True
    >>> says_again("Aspirin is effective in gout.", ["Aspirin is not effective in gout."])
    False
    """
    words, denied = _words(statement)
    return any(words <= others and denied == also for others, also in map(_words, texts))


def _words(text: str) -> tuple[frozenset[str], bool]:
    words = frozenset(re.findall(r"[^\W_]+", text.lower()))
    return frozenset(word.rstrip("s") for word in words - _LITTLE), bool(words & NEGATIONS or "n't" in text)


_LITTLE = (
    frozenset("a an the is are was were do does did of in for to with on by be been can has have".split()) | NEGATIONS
)


def _existing(auxiliary: str, rest: list[str], answer: bool) -> str | None:
    """`Is there a role for X` as `There is a role for X`."""
    if auxiliary not in {"is", "are", "was", "were"} or len(rest) < 2:
        return None
    if not answer and rest[0].lower() in {"a", "an"}:
        return finished(f"There {auxiliary} no {' '.join(rest[1:])}")
    return finished(f"There {auxiliary}{'' if answer else ' not'} {' '.join(rest)}")


def _stated(auxiliary: str, subject: list[str], rest: list[str], answer: bool) -> str:
    """The statement of subject, auxiliary and what follows."""
    verb = "" if auxiliary == "do" and answer else auxiliary
    if auxiliary == "does" and answer:
        verb, rest = "", [third_person(rest[0]), *rest[1:]]
    denied = [] if answer else ["not"]
    if verb == "can" and denied:
        verb, denied = "cannot", []
    words = [*subject, verb, *denied, *rest]
    return finished(" ".join(word for word in words if word))


def subject_end(auxiliary: str, words: list[str], nlp: Language) -> int | None:
    """How many of *words* are the subject, found by trying.

    Parsers are trained on few questions. Each place that the auxiliary of the statement may have gives a text; the
    one place at which the parser finds all before it to be the subject is taken, none if there are several.
    """
    ends = range(1, len(words))
    texts = [Mapped.whole(" ".join([*words[:end], auxiliary, *words[end:]]) + ".") for end in ends]
    fitting: dict[int, str | None] = {}
    for end, sentences in zip(ends, parse(texts, nlp), strict=True):
        tag = _behind(sentences[0], len(texts[end - 1].text), " ".join(words[:end])) if len(sentences) == 1 else None
        # `fas.claims.questions` also asks about modals that this module reads no question with: "would", "might", "must".
        if tag in _BEHIND.get(auxiliary, _BEHIND["will"]):
            fitting[end] = tag
    if len(fitting) > 1:  # an article right behind a noun begins something else
        fitting = {end: tag for end, tag in fitting.items() if tag == "DT"}
    return next(iter(fitting)) if len(fitting) == 1 else None


def _behind(sentence: Sentence, length: int, subject: str) -> str | None:
    """Tag of the word behind the auxiliary, if all before the auxiliary is the subject of the sentence's predicate."""
    tokens = sentence.tokens
    place = next((token.i for token in tokens if token.start == len(subject) + 1), None)
    noun = sentence.child(sentence.root, "nsubj", "csubj")
    if place is None or noun is None or tokens[-1].end != length or place + 2 >= len(tokens):
        return None
    if (
        noun.pos not in {"NOUN", "PROPN"}
        or tokens[place - 1].pos not in _NOMINAL
        or sentence.subtree(noun.i) != set(range(place))
    ):
        return None
    helps = tokens[place].head == sentence.root and tokens[place].dep.split(":")[0] in {"aux", "cop"}
    return tokens[place + 1].tag if helps else None
