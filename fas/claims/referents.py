"""What a sentence names that later pronouns may stand for, and what has been spoken of so far."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fas.claims.clause import CLAUSE, Clause, Word
from fas.claims.topics import Referent
from fas.reading.trees import Sentence, Token

SINGULAR = frozenset({"it"})
PLURAL = frozenset({"they"})
DOCTOR = Referent("a doctor", False, person=True)
VAGUE = frozenset(
    "it this that these those they he she we i you there one some many most others which who something anything everything someone "
    "anyone everyone nobody anybody everybody somebody nothing all both each none another people patients thing things case way reason time fact example day year "
    "person study studies research doctor physician provider goal bottom line answer question problem issue key point news "
    "please following number lot part rest result".split()
)
KIND = frozenset(
    "medication drug medicine condition disease disorder infection treatment syndrome supplement vaccine procedure antibiotic virus "
    "therapy illness surgery test hormone vitamin antidepressant cancer bacteria parasite injury agent product remedy pill".split()
)
RELATIONAL = frozenset(
    "symptom effect cause treatment diagnosis complication sign prognosis prevention onset severity risk".split()
)
_FOREMOST = frozenset(
    "main most primary major biggest greatest leading chief key principal only first first-line preferred usual typical commonest".split()
)
_OF_SOMEBODY = frozenset("your my our his her their its no any this that these those another other".split())
_QUANTIFIERS = frozenset("most many several some such certain various few numerous more other different".split())
_LONGEST_NAME = 12
_THINGS = frozenset({"nsubj", "obj", "obl", "ROOT", "conj", "nmod"})


def subject_referent(sentence: Sentence, resolved: Referent | None, root: int | None = None) -> Referent | None:
    """What the subject of *sentence* names, for pronouns in the next one.

    Args:
        sentence: The sentence.
        root: Place of the predicate, if not the sentence's root (a reported clause).
        resolved: What its subject stands for, if that is a pronoun that was resolved.
    """
    subject = sentence.child(sentence.root if root is None else root, "nsubj")
    if subject is None and root in {None, sentence.root}:
        # The parser hung the subject elsewhere, or took the name that the sentence begins with for its root.
        first = (token for token in sentence.tokens[:4] if token.dep.startswith("nsubj"))
        name = sentence.tokens[0] if sentence.tokens[0].tag == "NNP" and sentence.root == 0 else None
        subject = next(first, name)
    if subject is None:
        return None
    if subject.pos not in {"NOUN", "PROPN"}:
        return resolved if subject.lower in SINGULAR | PLURAL else None
    if subject.lemma in KIND and any(kid.lower in {"this", "these", "that"} for kid in sentence.children(subject.i)):
        return resolved
    if CLAUSE.practitioner.search(subject.text):
        return named(sentence, subject)
    predicate = sentence.tokens[subject.head]
    if (
        subject.lemma not in RELATIONAL
        and any(sentence.tokens[place].lower in _FOREMOST for place in sentence.subtree(subject.i) if place < subject.i)
        and predicate.pos in {"NOUN", "PROPN"}
        and sentence.child(predicate.i, "cop") is not None
        and not sentence.negated(predicate.i)
    ):
        return named(sentence, predicate)  # "The main concern is lactic acidosis": that is what is spoken of
    if subject.lemma in KIND and any(
        kid.lower in {"a", "an", "some", "another", "certain", "several", "various", "other"}
        for kid in sentence.children(subject.i)
    ):
        return None  # "there is a rare condition": what it is called stands elsewhere
    if subject.lemma in VAGUE or subject.lower in VAGUE:
        return None
    return named(sentence, subject)


def named(sentence: Sentence, noun: Token) -> Referent | None:
    """What the noun phrase around *noun* names; None if it names nothing that a pronoun may stand for later."""
    if CLAUSE.practitioner.search(noun.text) and noun.tag == "NN":
        article = "an" if noun.lower[0] in "aeio" else "a"
        return Referent(f"{article} {noun.lower}", False, person=True)
    if any(kid.lower in _OF_SOMEBODY for kid in sentence.children(noun.i)):
        return None
    places, several = {noun.i}, False
    for kid in sentence.children(noun.i):
        base = kid.dep.split(":")[0]
        if base == "conj":
            # "Saxenda, or liraglutide, is ..." names one thing twice.
            joined = {cc.lower for cc in sentence.children(kid.i, "cc")}
            if "or" in joined and noun.i + 1 < len(sentence.tokens) and sentence.tokens[noun.i + 1].text == ",":
                continue
            if joined != {"and"} or noun.i > kid.i or len(sentence.children(noun.i, "conj")) > 1:
                return None
            places |= set(range(min(places), max(sentence.subtree(kid.i)) + 1))
            several = True
        if (kid.i < noun.i and base in {"det", "amod", "compound", "nummod", "flat", "nmod", "punct"}) or (
            kid.i > noun.i
            and (
                base in {"flat", "nummod"}
                or (base == "nmod" and sentence.tokens[min(sentence.subtree(kid.i))].lower == "of")
            )
        ):
            places |= sentence.subtree(kid.i)
    if len(places) > (14 if several else 8) or max(places) - min(places) + 1 != len(places):
        return None
    text = sentence.unit.text[sentence.tokens[min(places)].start : sentence.tokens[max(places)].end]
    first = sentence.tokens[min(places)]
    if first.i == 0 and first.tag not in {"NNP", "NNPS"} and not any(c.isupper() for c in first.text[1:]):
        text = text[:1].lower() + text[1:]
    return Referent(text, several or noun.tag in {"NNS", "NNPS"})


def kinds_named(sentence: Sentence, resolved: Referent | None = None) -> dict[str, Referent | None]:
    """Nouns beside the subject that `this hormone` in the next sentence may point at, and what they are called.

    `GLP-1` for `It mimics a hormone called GLP-1` and for `It mimics GLP-1, a hormone`, None for `It mimics a hormone`.
    """
    subject = sentence.child(sentence.root, "nsubj")
    about = sentence.subtree(subject.i) if subject is not None else set()
    found: dict[str, Referent | None] = {}
    root = sentence.tokens[sentence.root]
    if sentence.child(root.i, "cop") is not None:
        about = about | {root.i}
        # "Insulin is a hormone": `this hormone` is insulin.
        single = any(kid.lower in {"a", "an"} for kid in sentence.children(root.i, "det"))
        if subject is not None and not sentence.negated(root.i) and (single or root.tag == "NNS"):
            of = resolved or named(sentence, subject) if subject.pos in {"NOUN", "PROPN"} else resolved
            if of is not None and of.text.lower() != root.lower and of.plural == (root.tag == "NNS"):
                found[root.lemma] = of
    for token in sentence.tokens:
        if token.tag != "NN" or token.lemma not in KIND or token.i in about:
            continue
        if token.dep == "compound" or sentence.child(token.i, "cop") is not None:
            continue  # "the drug metformin", "which is a drug"
        above = sentence.tokens[token.head]
        name = above if token.dep == "appos" and above.pos in {"NOUN", "PROPN"} else None
        for calling in sentence.children(token.i, "acl"):
            if calling.lower in {"called", "named", "termed"}:
                name = next((kid for kid in sentence.children(calling.i) if kid.pos in {"NOUN", "PROPN"}), name)
        found[token.lemma] = named(sentence, name) if name is not None else None
    for token in sentence.tokens:
        if token.tag in {"NN", "NNS"} and found.get(token.lemma) is None and token.lemma not in RELATIONAL | VAGUE:
            described = _described(sentence, token)
            if described is not None:
                found[token.lemma] = described
    return found


def _described(sentence: Sentence, noun: Token) -> Referent | None:
    """The noun with what says which are meant (`medications used for scabies`), for `these medications` later."""
    if noun.dep == "compound" or any(
        kid.lower in _OF_SOMEBODY for kid in sentence.children(noun.i, "det", "nmod", "amod") if kid.i < noun.i
    ):
        return None
    inside = sentence.subtree(noun.i)
    first = last = noun.i
    while first - 1 in inside and sentence.tokens[first - 1].dep.split(":")[0] in {"amod", "compound", "nmod", "punct"}:
        first -= 1
    while last + 1 in inside and sentence.tokens[last + 1].text not in {",", "(", ";", ":", "–", "—", "-", "."}:
        if sentence.tokens[last + 1].tag == "CC" and sentence.tokens[sentence.tokens[last + 1].head].head == noun.i:
            break
        last += 1
    while first < noun.i and sentence.tokens[first].lower in _QUANTIFIERS:
        first += 1
    words = sentence.tokens[first : last + 1]
    if first == last or len(words) > _LONGEST_NAME or words[0].pos == "PUNCT" or any(w.tag == "PRP" for w in words):
        return None
    if sentence.tokens[last].tag in {"IN", "DT", "TO", "CC", "WDT"}:
        return None
    text = sentence.unit.text[words[0].start : words[-1].end]
    if not any(c.isupper() for c in words[0].text[1:]) and not words[0].tag.startswith("NNP"):
        text = text[:1].lower() + text[1:]
    return Referent(text if noun.tag == "NNS" else f"the {text}", noun.tag == "NNS")


def practitioner(sentence: Sentence) -> Referent | None:
    """Whoever treats patients, if the sentence names one: `consult your healthcare provider` -> a provider."""
    found = [token for token in sentence.tokens if token.tag == "NN" and CLAUSE.practitioner.search(token.text)]
    return named(sentence, found[0]) if len(found) == 1 and found[0].dep != "compound" else None


def leads_away(sentence: Sentence, topic: Referent | None) -> bool:
    """Whether the sentence names a thing that is not the topic, so that `it` in the next one may be either."""
    if topic is None or topic.text.lower() in sentence.text.lower():
        return False
    nouns = (token for token in sentence.tokens if token.pos in {"NOUN", "PROPN"})
    return any(token.lemma not in VAGUE and token.dep.split(":")[0] in _THINGS for token in nouns)


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in one answer.

    Attributes:
        topic: What the question is about.
        subject: The subject of the last sentence, or None if it was nothing to refer to.
        lost: Whether the last sentence spoke of something that a pronoun may mean as well as the topic.
        kinds: What `this hormone` stands for where the last sentence spoke of a hormone beside its subject, by the
            noun; None for one that has no name.
        on_behalf: Whether the answer passes on what a doctor said of this reader.
        adviser: Who treats patients by the last sentence, as `they` may in the next.
        person: Who is spoken of as `he` or `she`.
    """

    topic: Referent | None = None
    subject: Referent | None = None
    lost: bool = False
    kinds: Mapping[str, Referent | None] = field(default_factory=dict)
    on_behalf: bool = False
    adviser: Referent | None = None
    person: Referent | None = None

    def forget(self) -> None:
        """Nothing that was said before may be meant by what comes next, but the topic and the person."""
        self.subject, self.lost, self.adviser = None, False, None
        self.kinds = {}


def specified(words: list[Word], clause: Clause, topic: Referent | None) -> list[Word]:
    """`Common side effects include nausea` about metformin as `Common side effects of metformin include nausea`."""
    subject = clause.subject
    if topic is None or subject is None or subject.lemma not in RELATIONAL:
        return words
    kids = clause.sentence.children(subject.i)
    if any(kid.dep.split(":")[0] in {"nmod", "acl", "appos", "conj", "nummod"} for kid in kids):
        return words
    if any(
        kid.dep.split(":")[0] in {"compound", "flat"} and kid.lower not in {"side", "risk", "core", "key"}
        for kid in kids
    ):
        return words
    if any(kid.tag in {"NNP", "NNPS", "HYPH"} for kid in kids):
        return words
    if any(
        kid.lower in {"this", "these", "no", "any", "your", "its", "their", "that", "those", "each", "a", "an"}
        for kid in kids
    ):
        return words
    if topic.text.lower() in clause.text().lower():
        return words
    place = next((n for n, word in enumerate(words) if word.at == subject.i), None)
    if place is None or (place + 1 < len(words) and words[place + 1].text in {"(", ","}):
        return words
    return [*words[: place + 1], Word(f"of {topic.text}"), *words[place + 1 :]]
