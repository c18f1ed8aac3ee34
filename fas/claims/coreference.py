"""What a claim borrows from what was said before: the name behind a pronoun, and patients for `you`."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from fas.claims.clauses import Clause, Word, inflect_third_person, lower_first, subject_of
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.trees import Sentence, Token

COREFERENCE = load_patterns(__file__)
_PLURALS = {"it": False, "this": False, "they": True, "these": True}
_POINTING = frozenset({"this", "these"})
_VAGUE = frozenset(
    "thing way reason time fact case example day year people person patient study research result evidence answer question doctor "
    "provider number lot part step option one some many most other nobody anybody everybody somebody nothing anything everything".split()
)
_KINDS = frozenset(
    "medication drug medicine condition disease disorder infection treatment syndrome supplement vaccine procedure antibiotic virus "
    "therapy illness surgery test hormone vitamin cancer agent product gene protein enzyme receptor molecule bacteria parasite".split()
)
_POINTING_ELSEWHERE = frozenset("your my his her their its no any this that these those another".split())
_NAME_PARTS = frozenset("det amod compound nummod flat nmod punct".split())
_CONTRACTED = {"'s": "is", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}
_LONGEST_NAME = 10
_OF_USE = frozenset("use take prescribe give administer avoid stop start apply".split())
_OF_A_PATIENT = "a patient's"
_POINTING_BACK = frozenset("it they them this these that those he she".split())
_SAID_OF_IT = frozenset(
    "likely unlikely able used known found shown thought believed expected considered reported said designed prone".split()
)
"""`Zinc is used to ...`: what `it` is, and does."""


@dataclass(frozen=True, slots=True)
class Referent:
    """Something a later pronoun may stand for.

    Attributes:
        text: How it is named within a sentence.
        plural: Whether a plural verb goes with it.
        somebody: Whether it is a person with a name.
    """

    text: str
    plural: bool
    somebody: bool = False


_DOCTOR = Referent("a doctor", False)


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in one answer.

    Attributes:
        topic: What the question is about.
        subject: What the last sentence spoke of; None if nothing can be referred to.
        mentioned: Names of several words in the last sentence, by their noun, which `these changes` may point at.
        beside: Nouns of the last sentence but its predicate: `this drug` may be any of them.
        labelled: Whether the subject is what a label names, which `these are ...` behind it says something of.
        doctor: Whether `they` may be who treats the reader.
        on_behalf: Whether the answer passes on what a doctor said.
    """

    topic: Referent | None = None
    subject: Referent | None = None
    mentioned: dict[str, Referent] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    labelled: bool = False
    doctor: bool = False
    on_behalf: bool = False

    def hear(self, clause: Clause, resolved: Referent | None) -> None:
        """Move on behind a sentence."""
        subject = subject_of(clause.sentence, clause.sentence.root)
        if subject is not None and subject.pos not in {"NOUN", "PROPN"}:
            self.subject = resolved
        else:
            name = None if subject is None else name_referent(clause.sentence, subject)
            self.subject = _agree_with_verb(clause, name)
        nouns = [token for token in clause.sentence.tokens if token.tag in {"NN", "NNS"}]
        self.labelled = False
        names = ((token, name_referent(clause.sentence, token)) for token in nouns)
        self.mentioned = {
            token.lemma: replace(name, text=re.sub(r"^an? ", "the ", name.text))
            for token, name in names
            if name is not None and len(re.sub(r"^(?:an?|the) ", "", name.text).split()) > 1
        }
        self.beside = frozenset(token.lemma for token in nouns)
        self.doctor = self.on_behalf or any(COREFERENCE.practitioner.search(token.text) for token in nouns)


def question_topic(question: str | None) -> Referent | None:
    """What a question is about, if a plain wording names exactly one thing."""
    sentences = [part.strip() for part in re.split(r"(?<=[.?!])\s+", (question or "")[:400]) if part.strip()]
    asked = next((part for part in sentences if part.endswith("?")), sentences[0] if sentences else "")
    match = COREFERENCE.topic.search(asked.rstrip(" ?.!"))
    name = next((group for group in match.groups() if group), "").strip(" ,'\"") if match else ""
    if not name or COREFERENCE.no_topic.search(name):
        return None
    return Referent(name, name.endswith("s") and not name.endswith(("ss", "us", "is", "betes")))


def name_referent(sentence: Sentence, noun: Token) -> Referent | None:
    """What the noun phrase around *noun* names; None if nothing that a pronoun may stand for later."""
    joined = sentence.children(noun.i, "conj")
    joining = {cc.lower for cc in sentence.children(joined[-1].i, "cc")} if joined else {"and"}
    if noun.lemma in _VAGUE or COREFERENCE.practitioner.search(noun.text) or joining != {"and"}:
        return None
    places = {noun.i}.union(*(sentence.subtree(kid.i) for kid in joined))
    for kid in sentence.children(noun.i):
        if kid.lower in _POINTING_ELSEWHERE:
            return None
        inside = sentence.subtree(kid.i)
        of = kid.dep.startswith("nmod") and sentence.tokens[min(inside)].lower == "of"
        if of or (kid.i < noun.i and kid.dep.split(":")[0] in _NAME_PARTS):
            places |= inside
    if len(places) > _LONGEST_NAME:
        return None
    first = sentence.tokens[min(places)]
    text = sentence.unit.text[first.start : sentence.tokens[max(places)].end]
    if first.i == 0 and not first.tag.startswith("NNP"):
        text = lower_first(text)
    somebody = noun.tag == "NNP" and noun.i > 0 and first.i == 0
    return Referent(text, bool(joined) or noun.tag in {"NNS", "NNPS"}, somebody)


def _agree_with_verb(clause: Clause, name: Referent | None) -> Referent | None:
    """The subject in the number that its verb has: `Diabetes is ...` is one."""
    verb = next((one.tag for one in [*clause.helping(), clause.predicate] if one.tag in {"VBZ", "VBP"}), None)
    return name if name is None or verb is None else replace(name, plural=verb == "VBP")


def resolve(clause: Clause, discourse: Discourse) -> tuple[Clause, Referent | None]:
    """The sentence with the name of what its subject stands for, and that name; as it was where that is not sure."""
    sentence = clause.sentence
    subject = subject_of(sentence, sentence.root)
    if subject is None or subject.dep == "expl":
        return clause, None
    root = sentence.tokens[sentence.root]
    referent = discourse.subject or discourse.topic
    if _is_named_in_front(sentence, subject):
        return clause, None
    if subject.lower in {"he", "she"} and referent is not None and referent.somebody:
        return _put_name(clause, subject, referent), referent
    unnamed = discourse.on_behalf and (referent is None or not referent.plural)
    if subject.lower == "they" and discourse.doctor and (unnamed or _does_what_people_do(sentence, root)):
        verb = next((kid for kid in [*sentence.children(root.i, "aux", "cop"), root] if kid.tag == "VBP"), None)
        clause = _put_name(clause, subject, _DOCTOR)
        return clause.reworded({} if verb is None else {verb.i: inflect_third_person(verb.lemma)}), None
    if subject.lower in _PLURALS:
        shown = subject.lower in _POINTING
        if referent is None or referent.plural != _PLURALS[subject.lower] or _points_forward(sentence, subject, root):
            return clause, None
        defines = discourse.labelled and root.pos == "NOUN"
        if (shown and not defines) or (subject.lower == "they" and _does_what_people_do(sentence, root)):
            return clause, None
        if root.lemma in _OF_USE and COREFERENCE.relational.search(referent.text):
            return clause, None  # "The most common side effect is nausea. It should not be taken ...": not the effect
        return _put_name(clause, subject, referent), referent
    for kid in sentence.children(subject.i, "det"):
        meant = discourse.mentioned.get(subject.lemma)
        if referent is not None and subject.lemma in _KINDS and subject.lemma not in discourse.beside:
            meant = meant if subject.lemma in referent.text.lower() else referent
        others = sentence.subtree(subject.i) - {kid.i}
        phrase = " ".join(sentence.tokens[place].lower for place in sorted(others))
        if kid.lower not in _POINTING or meant is None or meant.plural != (subject.tag == "NNS"):
            continue
        if len(others) == 1 or phrase in meant.text.lower() != phrase:
            gone = (others | {kid.i}) - {subject.i}
            return replace(_put_name(clause, subject, meant), keep=clause.keep - gone), meant
    return clause, None


def _put_name(clause: Clause, place: Token, referent: Referent) -> Clause:
    """*referent* in the place of a pronoun; a verb that was contracted with it is spelled out."""
    made, tokens = {place.i: referent.text}, clause.sentence.tokens
    if place.i + 1 < len(tokens):
        after = tokens[place.i + 1]
        full = _CONTRACTED.get(after.lower.replace("’", "'"))
        if full is not None:
            made[after.i] = full
    return clause.reworded(made)


def _does_what_people_do(sentence: Sentence, root: Token) -> bool:
    return COREFERENCE.human.search(root.lemma) is not None and not sentence.children(root.i, "aux:pass")


def _is_named_in_front(sentence: Sentence, subject: Token) -> bool:
    """Whether a clause before the subject names something that it may stand for (`if the rash spreads, it ...`)."""
    fronted = [kid for kid in sentence.children(sentence.root, "advcl", "obl") if kid.i < subject.i]
    return any(
        sentence.tokens[place].pos in {"NOUN", "PROPN"} and sentence.tokens[place].dep.startswith("nsubj")
        for kid in fronted
        for place in sentence.subtree(kid.i)
    )


def _points_forward(sentence: Sentence, subject: Token, root: Token) -> bool:
    """`It is recommended to ...`, `it is likely that ...`: the pronoun stands for what follows."""
    later = [kid for kid in sentence.children(root.i, "ccomp", "csubj", "xcomp", "advcl") if kid.i > root.i]
    marks = {mark.lower for kid in later for mark in sentence.children(kid.i, "mark")}
    if subject.lower != "it":
        return False
    if marks & {"that", "whether", "if"} and (root.pos != "VERB" or root.tag == "VBN"):
        return True
    stated = root.pos in {"ADJ", "NOUN"} or root.tag in {"VBN", "VBZ"}
    return bool(marks & {"to", "for", "that"}) and stated and root.lower not in _SAID_OF_IT


def resolve_within(parts: list[Clause]) -> list[Clause]:
    """Later parts of a sentence whose subject is `it` or `they`, with the subject of its first part."""
    if parts[0].subject is None or parts[0].children(parts[0].root, "ccomp"):
        return parts  # "evidence suggests that zinc helps, but it ...": the evidence or zinc?
    sentence = parts[0].sentence
    first = sentence.tokens[parts[0].subject]
    referent = name_referent(sentence, first) if first.pos in {"NOUN", "PROPN"} else None
    if first.lower in _PLURALS and first.i in parts[0].replaced:
        referent = Referent(parts[0].replaced[first.i], _PLURALS[first.lower])
    return [parts[0], *(_name_subject(part, referent) for part in parts[1:])]


def _name_subject(part: Clause, referent: Referent | None) -> Clause:
    subject = None if part.subject is None else part.sentence.tokens[part.subject]
    if subject is None or referent is None or subject.lower not in {"it", "they"} or subject.dep == "expl":
        return part
    human = referent.plural and COREFERENCE.human.search(part.predicate.lemma)
    if human or _PLURALS[subject.lower] != referent.plural or _points_forward(part.sentence, subject, part.predicate):
        return part
    return _put_name(part, subject, referent)


def needs_first(part: Clause, first: Clause) -> bool:
    """Whether a later part of a sentence has a pronoun for its subject or object that only an earlier part explains."""
    for place in sorted(part.keep - first.keep):
        token = part.sentence.tokens[place]
        if place in part.replaced or token.pos in {"NOUN", "PROPN"}:
            return False
        if token.lower in _POINTING_BACK:
            forward = token.i == part.subject and _points_forward(part.sentence, token, part.predicate)
            return not forward and token.dep.split(":")[0] in {"nsubj", "obj", "obl", "iobj", "nmod"}
    return False


def replace_persons(words: list[Word], clause: Clause) -> list[Word]:
    """`you` becomes patients, `your doctor` a doctor, `your liver` the liver."""
    tokens = clause.sentence.tokens
    named_before = any(word.text.lower() in {"patients", "people"} for word in words)
    made: list[Word] = []
    for number, word in enumerate(words):
        lower = word.text.lower().replace("’", "'")
        before = made[-1].text if made else ""
        if word.text[:1].isupper() and before[:1].isupper() and number > 1:
            made.append(word)  # "Attention Is All You Need": a title's word
        elif lower == "you":
            subject = word.at is not None and tokens[word.at].dep.startswith("nsubj")
            made.append(Word(("they" if subject else "them") if named_before else "patients", word.at))
            named_before = True
        elif lower in {"your", "ur"}:
            owner = _name_owner(words, number, tokens, named_before)
            named_before = named_before or owner == _OF_A_PATIENT
            made.append(Word(owner, word.at))
        elif lower == "yourself":
            made.append(Word("themselves" if named_before else "oneself", word.at))
        elif lower in {"we", "us"} and word.text != "US":
            made.append(Word("people", word.at))
        elif lower == "our":
            made.append(Word("the", word.at))
        elif lower in _CONTRACTED and before in {"patients", "they", "people"}:
            made.append(Word(_CONTRACTED[lower], None))
        else:
            made.append(word)
    return made


def _name_owner(words: list[Word], number: int, tokens: list[Token], named_before: bool) -> str:
    place = words[number].at
    head = tokens[tokens[place].head] if place is not None else None
    following = words[number + 1].text if number + 1 < len(words) else ""
    if COREFERENCE.practitioner.search(following) or (head is not None and COREFERENCE.practitioner.search(head.text)):
        return "" if head is not None and head.tag == "NNS" else "an" if following[:1].lower() in "aeio" else "a"
    if named_before:
        return "their"
    return _OF_A_PATIENT if head is not None and COREFERENCE.of_a_case.search(head.lemma) else "the"
