"""What a question and a short answer state together (QA2D: Demszky, Guu and Liang 2018, arXiv:1809.02922).

    Is X used for Y?         Yes.     X is used for Y.
    Which gene causes X?     ABC1     ABC1 causes X.
    What is the cause of X?  stress   The cause of X is stress.
    List symptoms of X.      a, b     Symptoms of X include a. Symptoms of X include b.
    Where does X bind?       CD3      X binds in CD3.
    X is used for which Y?   gout     X is used for gout.

A yes or no to a question of another shape stands behind it (`Does X ease Y? Yes.`), a phrase states nothing there.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fas.claims.checkworthiness import is_placeholder, is_talk, opening
from fas.claims.clauses import finish_sentence, subject_of
from fas.claims.questions import NOUNS, QUESTIONS, ParsedQuestion, asks_for_thing, read_question
from fas.core.records import Answer, Claim
from fas.text.reading.document import read
from fas.text.reading.mapped import Mapped
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import FINITE, Sentence, parse

if TYPE_CHECKING:
    from spacy.language import Language

QA2D = load_patterns(__file__)
MOST_WORDS = 120
"""An answer of more words is no short one."""
_MOST_WORDS_OF_AN_ITEM = 30
_HEDGES = (
    (QA2D.likely, "probably"),
    (QA2D.usually, "usually"),
    (QA2D.sometimes, "sometimes"),
    (QA2D.perhaps, "possibly"),
)


def read_decision(text: str) -> tuple[bool, str] | None:
    """Whether *text* says no more than yes or no, and the adverb that weakens it; None for more.

    >>> read_decision("Yes."), read_decision("The answer is B. no."), read_decision("Not usually."), read_decision("Yes, it helps.")
    ((True, ''), (False, ''), (False, 'usually'), None)
    """
    plain = " ".join(re.sub(r"[*_`]+", "", text.replace("’", "'")).split())
    match = QA2D.decides.match(plain)
    if match is None:
        return None
    said, rest = match[1].lower(), plain[match.end() :].strip(" .,!;:–—-\"')")
    yes = not re.match(
        r"(?:no|nope|in(?=correct)|false|wrong|negative|never|definitely not|certainly not|absolutely not|un(?=likely)|not|rarely|hardly|seldom|i do(?:n't| not) )",
        said,
    )
    echoes = QA2D.echo.fullmatch(rest) is not None and (QUESTIONS.denied.search(rest) is not None) != yes
    if rest and not echoes:
        return None
    hedge = next((adverb for words, adverb in _HEDGES if words.search(said)), "")
    return yes, hedge


def state_decision(question: str | None, text: str, nlp: Language) -> str | None:
    """What the decision *text* says of *question*; None where *text* is none, empty where nothing is sure."""
    found = read_decision(text)
    if found is None:
        return None
    asked = read_question(question or "", nlp)
    if asked is None or not asked.auxiliary or not asked.sure or asked.unnamed or QA2D.unsure.search(question or ""):
        return ""
    return finish_sentence(asked.decide(yes=found[0], hedge=found[1]))


def short_claims(answer: Answer, nlp: Language) -> list[Claim] | None:
    """What a short *answer* says together with its question; None where it is no short answer, [] where it says nothing."""
    text, question = answer.prediction, " ".join((answer.question or "").split())
    if not question or len(text.split()) > MOST_WORDS or "?" in text:
        return None
    blocks = [block for block in read(text).prose if block.kind != "row"]
    lines = [block.text for block in blocks if block.kind != "heading"] or [block.text for block in blocks]
    if not lines or any(QA2D.sentences.search(line.text) or is_talk(line.text) for line in lines):
        return None
    if len(lines) == 1 and read_decision(lines[0].text) is not None:
        asked, (yes, hedge) = read_question(question, nlp), read_decision(lines[0].text) or (True, "")
        unnamed = asked is not None and asked.unnamed
        said = (
            finish_sentence(asked.decide(yes=yes, hedge=hedge))
            if asked is not None and asked.auxiliary and not unnamed
            else ""
        )
        if not said:
            if asks_for_thing(question) or unnamed:
                return []  # "Which gene?" "Yes.", "Is it safe?" "Yes.": says nothing that could be checked
            said = f"{question.rstrip(' ?.!:')}? {lines[0].text.strip(' .')}."
        return _make_claims([(said, lines[0])])
    parsed = parse(lines, nlp)
    told = [_is_sentence(line.text, sentences, question) for line, sentences in zip(lines, parsed, strict=True)]
    if 2 * sum(told) >= len(told):
        return None
    asked = read_question(question, nlp)
    if asked is not None and asked.auxiliary and asked.before == "there":
        asked = ParsedQuestion(f"{QA2D.any.sub('', asked.after)} include")  # "Are there any tools?"
    chosen = _choose(question, lines[0].text.strip(" ."), nlp) if len(lines) == 1 else ""
    if chosen and (asked := read_question(chosen, nlp)) is not None and asked.auxiliary:
        return _make_claims([(finish_sentence(asked.decide(yes=True)), lines[0])])
    if asked is None or asked.auxiliary:
        return None
    stated = lines[0].slice(opening(lines[0].text))
    pieces = lines if len(lines) > 1 else split_items(stated)
    pieces = [piece.strip(" .,;!") for piece in pieces if not is_placeholder(piece.text)]
    if any(len(piece.text.split()) > _MOST_WORDS_OF_AN_ITEM for piece in pieces):
        return None
    return _make_claims([(finish_sentence(asked.fill(piece.text)), piece) for piece in pieces]) or None


def _choose(question: str, said: str, nlp: Language) -> str:
    """The *question* with the one of its alternatives that is *said*; empty where that is none, or only part of one."""
    tokens = [token for sentence in parse([Mapped.whole(question)], nlp)[0] for token in sentence.tokens]
    naming = NOUNS | {"JJ"}
    for match in QA2D.choice.finditer(question):
        before = {token.tag for token in tokens if token.end == match.start() - 1}
        behind = {token.tag for token in tokens if token.start == match.end() + 1}
        one = next((t for t in tokens if match.start() <= t.start < match.end() and t.lower == said.lower()), None)
        shared = one is not None and (one.tag == "JJ" or one.end == match.end() or not behind & naming)
        if one is not None and shared and (one.tag == "JJ" or not before & naming):
            return question[: match.start()] + one.text + question[match.end() :]
    return ""


def split_items(line: Mapped) -> list[Mapped]:
    """What a line lists: what semicolons part, else what commas part outside of brackets and numbers."""
    parts = _split(line, ";")
    if len(parts) == 1:
        parts = _split(line, ",")
        if len(parts) == 2 and QA2D.apposed.match(parts[1].text) is not None:
            parts = [line]
    trimmed = [part.strip().sub(QA2D.edge, lambda match: "").strip(' \t.,;!"') for part in parts]
    return [part for part in trimmed if re.search(r"\w", part.text)]


def _split(line: Mapped, mark: str) -> list[Mapped]:
    text, depth, begin, parts = line.text, 0, 0, []
    for place, character in enumerate(text):
        depth = max(0, depth + (character in "([{") - (character in ")]}"))
        number = text[place + 1 : place + 2].isdigit()
        if character == mark and not depth and not number:
            parts.append(line.slice(begin, place))
            begin = place + 1
    return [*parts, line.slice(begin)]


def _is_sentence(text: str, parsed: list[Sentence], question: str) -> bool:
    """Whether a line is a sentence: a finite verb with its subject, or the verb and more of its question."""
    for sentence in parsed:
        if subject_of(sentence, sentence.root) is not None and sentence.children(sentence.root, "obj"):
            return True
        for token in sentence.tokens:
            verb = sentence.tokens[token.head] if token.dep.split(":")[0] in {"aux", "cop"} else token
            subject = subject_of(sentence, verb.i)
            if token.tag not in FINITE or verb.dep.startswith("acl") or subject is None or subject.tag in {"WDT", "WP"}:
                continue
            if len(text.split()) > 2 or subject.pos == "PRON":
                return True
    said, asked = (set(re.findall(r"[^\W_]{4,}", one.lower())) for one in (text, question))
    return len(text.split()) >= 4 and len(said & asked) >= 0.35 * len(said) and QA2D.verb_like.search(text) is not None


def _make_claims(stated: list[tuple[str, Mapped]]) -> list[Claim]:
    found = []
    for text, source in stated:
        span = source.span()
        if text and span is not None:
            found.append(Claim(text, span.start, span.end))
    return found
