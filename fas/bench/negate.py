"""Edits of a text, and a rule for them: the negation of what a sentence states ("causes", "does not cause").

The verb and its auxiliaries are found in the parse. Nothing is offered where the negation would say nothing
against the sentence ("some are"), would have to reach further than the verb ("not only"), or would break it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Token

Kind = Literal["negation", "number", "drug", "direction"]
KINDS: tuple[Kind, ...] = ("negation", "number", "drug", "direction")


class Edit(NamedTuple):
    """Replace `text[start:end]` by `after`; offsets are code points of the whole answer."""

    kind: Kind
    start: int
    end: int
    after: str


def end_of(token: Token) -> int:
    """One past the token's last character."""
    return int(token.idx + len(token.text))


def match_case(model: str, word: str) -> str:
    """*word* with the capitals of *model*.

    >>> match_case("Take", "do not take"), match_case("IBUPROFEN", "codeine"), match_case("aspirin", "NSAIDs")
    ('Do not take', 'CODEINE', 'NSAIDs')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word


_NEGATORS = frozenset("not n't never no none nothing nobody neither nor cannot hardly rarely seldom without".split())
# "Some are not" does not contradict "some are".
_PARTIAL = frozenset("some few several many certain any either both each another other others".split())
_WEAK_MODALS = frozenset(("may", "might", "could"))
_FINITE = frozenset("is are was were has have had does do did can should must will would shall".split())
_UNMOVED = frozenset("sometimes only both either still already ever just not".split())
# "Not only", "not necessarily": taking the negation away changes nothing, or breaks the sentence.
_SCOPED = frozenset("only necessarily just always all every yet usually typically enough so too merely".split())
_IRREGULAR = {"has": "have", "goes": "go", "does": "do", "had": "have", "found": "find", "led": "lead", "gave": "give"}
_IRREGULAR |= {"became": "become", "began": "begin", "took": "take", "made": "make", "came": "come", "got": "get"}


def negations(tokens: Sequence[Token], text: str) -> Iterator[Edit]:
    """Edits that turn what *tokens*, a sentence without its conditional clauses, say into the opposite; at most one."""
    root = _find_root(tokens)
    if root is None:
        return
    inside = {token.i: token for token in tokens}
    subjects = [child for child in root.children if child.dep_.startswith(("nsubj", "csubj"))]
    if any(child.dep_ == "expl" for child in root.children):
        return
    if any(token.lower_ in _PARTIAL for subject in subjects for token in subject.subtree):
        return
    negators = [inside[t.i] for t in root.subtree if t.lower_ in _NEGATORS and t.i in inside]
    # The word that carries tense: the first auxiliary, else the copula, else the verb itself.
    helpers = (child for child in root.children if child.dep_.startswith(("aux", "cop")) and child.i < root.i)
    finite = next(helpers, root)
    if finite.i not in inside:
        return
    if negators:
        if len(negators) == 1 and negators[0].lower_ == "not":
            yield from _remove_negation(finite, negators[0], text)
    elif finite.lower_ in _WEAK_MODALS:
        yield Edit("negation", finite.idx, end_of(finite), match_case(finite.text, "cannot"))
    elif finite.lower_ in _FINITE and (finite != root or root.lower_ in ("is", "are", "was", "were")):
        after = finite.nbor() if finite.i + 1 < len(finite.doc) else None
        if after is None or after.lower_ in _UNMOVED:
            return
        # "is also used" becomes "is also not used".
        last = after if after.lower_ == "also" else finite
        joined = "not" if finite.lower_ == "can" and last == finite else " not"
        yield Edit("negation", finite.idx, end_of(last), text[finite.idx : end_of(last)] + joined)
    else:
        before = [subject.right_edge for subject in subjects if subject.i < root.i]
        # A comma in between: the verb is probably a participle ("warts, also called condylomas").
        apart = any("," in text[end_of(edge) : root.idx] for edge in before)
        yield from _negate_with_do(root, tokens, has_subject=bool(before) and not apart)


def _find_root(tokens: Sequence[Token]) -> Token | None:
    inside = {token.i for token in tokens}
    first = next((token for token in tokens if token.head == token or token.head.i not in inside), None)
    return first if first is not None and first.head == first else None


def _remove_negation(finite: Token, negator: Token, text: str) -> Iterator[Edit]:
    """Take "not" away."""
    after = negator.nbor() if negator.i + 1 < len(negator.doc) else None
    if negator.i != finite.i + 1 or after is None or after.lower_ in _SCOPED or "," in text[finite.idx : after.idx]:
        return
    if finite.lower_ in ("do", "does") and after.tag_ in ("VB", "VBP") and after.text.isalpha():
        plain = after.lower_ if finite.lower_ == "do" else _inflect(after.lower_)
        yield Edit("negation", finite.idx, end_of(after), match_case(finite.text, plain))
    elif finite.lower_ in _FINITE:
        yield Edit("negation", finite.idx, end_of(negator), finite.text)


def _negate_with_do(root: Token, tokens: Sequence[Token], *, has_subject: bool) -> Iterator[Edit]:
    """Negate a verb that stands alone."""
    word = root.lower_
    if not word.isalpha():
        return
    if root.tag_ == "VB" and not has_subject and root == tokens[0]:
        yield Edit("negation", root.idx, end_of(root), match_case(root.text, f"do not {word}"))
    elif has_subject and root.tag_ == "VBP" and root.lemma_.lower() == word:
        yield Edit("negation", root.idx, end_of(root), f"do not {word}")
    elif has_subject and root.tag_ in ("VBZ", "VBD"):
        lemma = _IRREGULAR.get(word) or _uninflect(word, root.lemma_.lower(), past=root.tag_ == "VBD")
        if lemma:
            yield Edit("negation", root.idx, end_of(root), f"{'does' if root.tag_ == 'VBZ' else 'did'} not {lemma}")


def _uninflect(word: str, lemma: str, *, past: bool) -> str | None:
    """The lemma, if *word* is a regular form of it."""
    forms = {lemma + "ed", lemma + "d", lemma[:-1] + "ied", lemma + lemma[-1:] + "ed"} if past else set()
    return lemma if word in (forms or {_inflect(lemma)}) else None


def _inflect(verb: str) -> str:
    """The form after he, she, it.

    >>> [_inflect(verb) for verb in ("cause", "carry", "pass", "have")]
    ['causes', 'carries', 'passes', 'has']
    """
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"
