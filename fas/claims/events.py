"""What a sentence tells, as the subject of the next (`This can lead to falls`).

`This` alone points at what was told: the thing that the sentence before defines, or else what happens in it, put as a
gerund (`Alcohol dehydrates the body. This ...` -> `alcohol dehydrating the body`). Nothing is asserted by it again, and
no claim gets a second predicate.
"""

from __future__ import annotations

from fas.claims.clause import Clause, Word, spell
from fas.claims.morphology import gerund
from fas.claims.topics import Referent
from fas.reading.trees import FINITE, NEGATIONS, Token

_LONGEST = 14
_DEFINING = frozenset("refer define denote describe involve".split())
# "This includes", "this means", "this happens when": of a thing, of what was said, or of one of several.
_OF_A_THING = frozenset(
    "include involve refer mean describe consist comprise contain occur happen depend be apply".split()
)
_NO_DOER = frozenset("it this that these those they he she we i you there one some others which who what".split())


def defined(clause: Clause, subject: Referent | None) -> Referent | None:
    """The subject of a sentence that says what it is (`X is a procedure`, `X refers to ...`), if it is one thing."""
    root = clause.predicate
    called = root.pos == "NOUN" and clause.child(root.i, "cop") is not None and clause.child(root.i, "det") is not None
    if subject is None or subject.plural or subject.person or subject.text.lower() == "the one":
        return None
    if not called and root.lemma not in _DEFINING:
        return None
    return None if clause.negated else subject


def points_at_event(clause: Clause) -> bool:
    """Whether `this`, the subject that *clause* begins with, does something (no `this is common`, `this means`)."""
    root, subject = clause.predicate, clause.subject
    if subject is None or any(token.pos not in {"ADV", "PUNCT"} for token in clause.sentence.tokens[: subject.i]):
        return False
    return root.pos == "VERB" and root.lemma not in _OF_A_THING


def event(clause: Clause) -> str | None:
    """What happens in *clause*, a statement with one predicate, as a noun phrase; None if it takes many words."""
    subject, root = clause.subject, clause.predicate
    if subject is None or subject.dep.startswith(("csubj", "expl")) or root.i < subject.i:
        return None
    if subject.lower in _NO_DOER and subject.i not in clause.replaced:
        return None
    if clause.children(root.i, "ccomp", "parataxis", "conj") or any(
        clause.children(kid.i, "mark") for kid in clause.children(root.i, "advcl") if kid.tag in FINITE | {"VB", "VBP"}
    ):
        return None
    chain = [*clause.children(root.i, "aux", "cop"), root] if root.pos in {"VERB", "AUX"} else []
    chain = chain or clause.children(root.i, "aux", "cop")
    if not chain or chain[0].tag not in FINITE or any(verb.i in clause.replaced for verb in chain):
        return None
    return _as_gerund(clause, subject, chain)


def _as_gerund(clause: Clause, subject: Token, chain: list[Token]) -> str | None:
    """The words from the subject on, the first full verb of *chain* as a gerund."""
    progressive = len(chain) > 1 and chain[-1].tag == "VBG" and chain[-2].lemma == "be"
    left_out = {verb.i for verb in chain[:-1] if verb.tag == "MD" or verb.lemma == "do"}
    left_out |= {chain[-2].i} if progressive else set()
    verb = next(verb for verb in chain if verb.i not in left_out)
    start = min(clause.part(subject.i))
    words: list[Word] = []
    for word in clause.words():
        if word.at is not None and (word.at < start or word.at in left_out):
            continue
        if word.at == verb.i:
            word = Word(verb.lower if progressive else gerund(_base(verb)), word.at)
        elif word.text.lower() in NEGATIONS:
            word = Word("not", word.at)
        words.append(word)
    text = spell(words, clause.sentence).strip(" .,;:!")
    first = clause.sentence.tokens[start]
    if not text or len(text.split()) > _LONGEST or "," in text:
        return None
    lowered = first.i == 0 and not first.tag.startswith("NNP") and not any(c.isupper() for c in text.split()[0][1:])
    return text[0].lower() + text[1:] if lowered else text


def _base(verb: Token) -> str:
    return {"'s": "be", "'re": "be", "'ve": "have", "has": "have", "is": "be", "are": "be"}.get(verb.lower, verb.lemma)
