"""Things named in full once and by a bare noun later: `the disease` behind `celiac disease`, `he` behind a name."""

from __future__ import annotations

import re
from functools import lru_cache

from fas.claims.clause import Clause
from fas.claims.discourse import Discourse
from fas.claims.referents import KIND, RELATIONAL, VAGUE
from fas.claims.topics import Referent
from fas.reading.trees import Sentence, Token

_DISEASES = frozenset("disease condition disorder illness syndrome defect infection".split())
_DRUGS = frozenset("drug medication medicine antibiotic antidepressant antihistamine inhibitor".split())
_LONGEST_NAME = 4
# "the" alone points back only with nouns of a kind; others may be anybody's ("the liver").
_POINTED_AT = (KIND | RELATIONAL | _DRUGS | _DISEASES) | frozenset(
    "study trial technique method device program protein gene enzyme mutation receptor tumor lesion cyst mass diet "
    "relationship association stitch wound injury compound molecule cell organism substance ingredient strain".split()
)


@lru_cache(8)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def named_again(clause: Clause, discourse: Discourse) -> Clause:
    """*clause* with the full name of what it calls by a bare noun, if the answer had one before."""
    sentence = clause.sentence
    replaced: dict[int, str] = {}
    gone: set[int] = set()
    for token in sentence.tokens:
        shown = _shown(sentence, token)
        if shown is None or token.i in clause.replaced or token.i not in clause.keep:
            continue
        if token.lemma not in _POINTED_AT and shown.lower in {"the", "that"}:
            continue
        if any(other.lemma == token.lemma for other in sentence.tokens[: token.i]):
            continue
        name = discourse.known.get(token.lemma) or _of_its_kind(token, discourse)
        if name is None or name.plural != (token.tag == "NNS") or name.text.lower() in sentence.text.lower():
            continue
        replaced[token.i] = name.text
        gone.add(shown.i)
    return clause.without(gone).reworded(replaced) if replaced else clause


def _of_its_kind(token: Token, discourse: Discourse) -> Referent | None:
    """What `the condition` or `the medication` is, if the answer says of one thing what sort of it it is."""
    for several in (_DISEASES, _DRUGS):
        if token.lemma in several:
            known = (discourse.known[noun] for noun in sorted(several) if noun in discourse.known)
            found = {name.text: name for name in known}
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def remember(sentence: Sentence, discourse: Discourse) -> None:
    """Keep what *sentence* names in full, and whom it names.

    A name of which the question has every word, or one with a noun in it and no `a` (`the herpes simplex virus`), can
    be pointed at by its last word; what is called by a kind (`X is a disease`) only where the question is about X.
    """
    question = _words(discourse.question or "")
    for noun, name in discourse.kinds.items():
        if name is not None and not name.person and _words(name.text) <= question:
            discourse.known[noun] = name
            discourse.asked_for.add(noun)
    for token in sentence.tokens:
        if token.tag not in {"NN", "NNS"} or token.lemma in VAGUE or token.lemma in discourse.asked_for:
            continue
        name = _full_name(sentence, token, question)
        if name is not None:
            discourse.known[token.lemma] = name
    subject = sentence.child(sentence.root, "nsubj")
    if subject is not None and subject.tag == "NNP":
        inside = sorted(sentence.subtree(subject.i))
        named = [place for place in inside if sentence.tokens[place].tag == "NNP"]
        known = discourse.person is not None and discourse.person.text in (discourse.question or "")
        if len(named) > 1 and named == inside[: len(named)] and named[-1] - named[0] + 1 == len(named) and not known:
            words = sentence.tokens[named[0] : named[-1] + 1]
            discourse.person = Referent(sentence.unit.text[words[0].start : words[-1].end], False)


def _full_name(sentence: Sentence, noun: Token, question: frozenset[str]) -> Referent | None:
    """The noun with all that specifies it from the left (`middle ear infection`), if that names one thing."""
    left = [kid for kid in sentence.children(noun.i) if kid.i < noun.i and kid.dep not in {"case", "punct", "cc"}]
    before = [kid for kid in left if kid.dep != "det"]
    if noun.dep == "compound" or not before or any(kid.dep not in {"amod", "compound", "flat"} for kid in before):
        return None
    places = {noun.i}.union(*(sentence.subtree(kid.i) for kid in before))
    first = min(places)
    words = sentence.tokens[first : noun.i + 1]
    if (
        len(places) != len(words)
        or len(words) > _LONGEST_NAME
        or any(word.tag in {"JJR", "JJS", "VBG"} for word in words)
    ):
        return None
    asked = {word.lower for word in words if word.text.isalnum()} <= question
    vague = any(kid.lower in {"a", "an", "any", "some", "another", "each", "every", "no"} for kid in left)
    if not asked and (vague or not any(kid.dep in {"compound", "flat"} for kid in before)):
        return None
    text = sentence.unit.text[words[0].start : noun.end]
    if not words[0].tag.startswith("NNP") and not any(c.isupper() for c in words[0].text[1:]):
        text = text[:1].lower() + text[1:]
    the = "the " if any(kid.lower in {"the", "this"} for kid in left) and noun.tag == "NN" else ""
    if asked and noun.tag == "NN" and any(kid.lower in {"a", "an"} for kid in left):
        the = "the "
    return Referent(f"{the}{text}", noun.tag == "NNS")


def _shown(sentence: Sentence, noun: Token) -> Token | None:
    """The `the`, `this` or `these` of a noun with nothing else."""
    if noun.tag not in {"NN", "NNS"} or noun.dep == "compound" or noun.lemma in VAGUE:
        return None
    kids = [kid for kid in sentence.children(noun.i) if kid.dep.split(":")[0] not in {"case", "punct", "cop"}]
    if noun.i == sentence.root or len(kids) != 1 or kids[0].i != noun.i - 1:
        return None
    return kids[0] if kids[0].lower in {"the", "this", "these", "that", "those"} else None
