"""Dependency trees written by hand, so that the rules are tested without a trained parser."""

# ruff: noqa: E501 - a tree is easier to read on one line

from fas.reading.mapped import Mapped
from fas.reading.trees import Sentence, Token, part_of_speech

_LEMMAS = {
    "is": "be", "are": "be", "was": "be", "were": "be", "has": "have", "causes": "cause", "reduces": "reduce", "relieves": "relieve",
    "helps": "help", "blocks": "block", "reducing": "reduce", "include": "include", "includes": "include", "taking": "take",
    "recommends": "recommend", "explained": "explain", "effects": "effect", "symptoms": "symptom", "signs": "sign", "sold": "sell",
    "prevents": "prevent", "thins": "thin", "shown": "show", "lasts": "last", "drinking": "drink", "drugs": "drug", "occurs": "occur",
}  # fmt: skip


def tree(text: str, annotation: str, start: int = 0) -> Sentence:
    """A sentence from its text and one `TAG/relation/head` a word, heads counted from 1, 0 for the root."""
    tokens: list[Token] = []
    place = root = 0
    for number, entry in enumerate(annotation.split()):
        word, tag, dep, head = entry.rsplit("/", 3)
        begin = text.index(word, place)
        place = begin + len(word)
        if head == "0":
            root = number
        lower = word.lower()
        tokens.append(
            Token(
                i=number,
                text=word,
                lemma=_LEMMAS.get(lower, lower),
                tag=tag,
                pos=part_of_speech(tag, dep),
                dep=dep,
                head=number if head == "0" else int(head) - 1,
                start=begin,
                end=place,
                space=text[place : place + 1] == " ",
            )
        )
    for token in tokens:
        if token.head != token.i:
            tokens[token.head].kids.append(token.i)
    return Sentence(Mapped.whole(text, start), tokens, root)
