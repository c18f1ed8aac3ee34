"""Pronouns and bare nouns given what they stand for, where a simple rule is safe."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from dataclasses import dataclass

from fas.claims.clause import PRACTITIONER, Clause, Word
from fas.claims.parsed import Sentence, Token
from fas.claims.topics import Referent, is_plural_name

_SINGULAR = frozenset({"it"})
_PLURAL = frozenset({"they"})
_VAGUE = frozenset(
    "it this that these those they he she we i you there one some many most others which who something anything everything someone "
    "anyone everyone nothing all both each none another people patients thing things case way reason time fact example day year "
    "person study studies research doctor physician provider goal bottom line answer question problem issue key point news "
    "please following number lot part rest result".split()
)
_KIND = frozenset(
    "medication drug medicine condition disease disorder infection treatment syndrome supplement vaccine procedure antibiotic virus "
    "therapy illness surgery test hormone vitamin antidepressant cancer bacteria parasite injury agent product remedy pill".split()
)
_HUMAN = frozenset(
    "consider recommend suggest believe think want like advise prefer discuss understand hope ask tell say mention note explain emphasize "
    "offer plan schedule perform prescribe agree feel know look wish decide refer examine order monitor adjust".split()
)
_POINTING = frozenset(
    "recommend suggest advise think believe know estimate expect consider say seem appear happen take cost turn depend matter assume understand "
    "accept hope".split()
)
_RAISING = frozenset("know think believe consider say estimate expect assume understand".split())
_RELATIONAL = frozenset(
    "symptom effect cause treatment diagnosis complication sign prognosis prevention onset severity risk".split()
)
_OF_USE = frozenset("use take prescribe give administer avoid stop start apply".split())


@dataclass(slots=True)
class Discourse:
    """What has been spoken of so far in one answer.

    Attributes:
        topic: What the question is about, or what the answer began by defining.
        question: What was asked.
        subject: The subject of the last sentence, or None if it was nothing to refer to.
        lost: Whether the last sentence spoke of something that a pronoun may mean as well as the topic.
        said: The last sentence as one statement, for one that points back at it.
        stood: The last statement that did not itself point back, if nothing came between.
        begun: Whether anything was claimed yet.
        adviser: The practitioner whom the last sentence names, if it is one.
        on_behalf: Whether the answer passes on what a doctor said of this reader.
    """

    topic: Referent | None = None
    subject: Referent | None = None
    question: str | None = None
    lost: bool = False
    said: str | None = None
    stood: str | None = None
    begun: bool = False
    adviser: Referent | None = None
    on_behalf: bool = False

    def forget(self) -> None:
        """Nothing that was said before may be meant by what comes next, but the topic."""
        self.subject, self.lost, self.said, self.stood, self.adviser = None, False, None, None, None


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
        named = sentence.tokens[0] if sentence.tokens[0].tag == "NNP" and sentence.root == 0 else None
        subject = next(first, named)
    if subject is None:
        return None
    if subject.pos not in {"NOUN", "PROPN"}:
        return resolved if subject.lower in _SINGULAR | _PLURAL else None
    if subject.lemma in _KIND and any(kid.lower in {"this", "these", "that"} for kid in sentence.children(subject.i)):
        return resolved
    if PRACTITIONER.search(subject.text):
        return _named(sentence, subject)
    if subject.lemma in _KIND and any(
        kid.lower in {"a", "an", "some", "another"} for kid in sentence.children(subject.i)
    ):
        return None  # "there is a rare condition": what it is called stands elsewhere
    if subject.lemma in _VAGUE or subject.lower in _VAGUE:
        return None
    return _named(sentence, subject)


def _named(sentence: Sentence, noun: Token) -> Referent | None:
    if PRACTITIONER.search(noun.text) and noun.tag == "NN":
        article = "an" if noun.lower[0] in "aeio" else "a"
        return Referent(f"{article} {noun.lower}", False, person=True)
    if any(
        kid.lower
        in {
            "your",
            "my",
            "our",
            "his",
            "her",
            "their",
            "its",
            "no",
            "any",
            "this",
            "that",
            "these",
            "those",
            "another",
            "other",
        }
        for kid in sentence.children(noun.i)
    ):
        return None
    places = {noun.i}
    for kid in sentence.children(noun.i):
        base = kid.dep.split(":")[0]
        if base == "conj":
            # "Saxenda, or liraglutide, is ..." names one thing twice.
            same = any(cc.lower == "or" for cc in sentence.children(kid.i, "cc"))
            if same and noun.i + 1 < len(sentence.tokens) and sentence.tokens[noun.i + 1].text == ",":
                continue
            return None
        if (kid.i < noun.i and base in {"det", "amod", "compound", "nummod", "flat", "nmod", "punct"}) or (
            kid.i > noun.i
            and (base == "flat" or (base == "nmod" and sentence.tokens[min(sentence.subtree(kid.i))].lower == "of"))
        ):
            places |= sentence.subtree(kid.i)
    if len(places) > 8 or max(places) - min(places) + 1 != len(places):
        return None
    text = sentence.unit.text[sentence.tokens[min(places)].start : sentence.tokens[max(places)].end]
    first = sentence.tokens[min(places)]
    if first.i == 0 and first.tag not in {"NNP", "NNPS"} and not any(c.isupper() for c in first.text[1:]):
        text = text[:1].lower() + text[1:]
    return Referent(text, noun.tag in {"NNS", "NNPS"})


def defined_topic(sentence: Sentence, question: str | None = None) -> Referent | None:
    """What a sentence of the form `X is a ...` defines, or the one thing of the question that is its subject."""
    root = sentence.tokens[sentence.root]
    subject = sentence.child(root.i, "nsubj")
    alone = subject is not None and subject.tag in {"NN", "NNP"} and not sentence.children(subject.i)
    asked = subject is not None and question is not None and subject.lower in re.findall(r"\w[\w-]*", question.lower())
    if subject is not None and alone and asked and subject.lemma not in _VAGUE and subject.lemma not in _RELATIONAL:
        return _named(sentence, subject)
    if subject is not None and alone and subject.tag == "NNP":
        return Referent(subject.text, False)  # a name by itself: "Like all drugs, Saxenda has side effects"
    if (
        subject is None
        or subject.pos not in {"NOUN", "PROPN"}
        or subject.lemma in _VAGUE
        or subject.lemma in _RELATIONAL
    ):
        return None
    determiner = sentence.child(root.i, "det")
    if (
        root.pos != "NOUN"
        or sentence.child(root.i, "cop") is None
        or determiner is None
        or determiner.lower not in {"a", "an"}
    ):
        return None
    return _named(sentence, subject)


def resolve_subject(sentence: Sentence, discourse: Discourse) -> tuple[dict[int, str], set[int], Referent | None]:
    """Wording for the subject of *sentence* if it is a pronoun or `this drug` that can be resolved.

    Returns:
        Replacements by token, tokens that fall away, and what the subject stands for.
    """
    subject = sentence.child(sentence.root, "nsubj")
    if subject is None:
        return {}, set(), None
    plural = subject.lower in _PLURAL
    if subject.lower == "it" and _stands_for_what_follows(sentence, sentence.root):
        return {}, set(), None
    fronted = [kid for kid in sentence.children(sentence.root, "advcl") if kid.i < subject.i]
    nearer = [inner for kid in fronted for inner in sentence.children(kid.i, "nsubj")]
    if any(inner.pos in {"NOUN", "PROPN"} or inner.lower in {"this", "that", "these", "those"} for inner in nearer):
        return {}, set(), None  # "if the stool is dark, it ...": the nearer noun may be meant
    if plural and discourse.adviser is not None and not discourse.on_behalf:
        root = sentence.tokens[sentence.root]
        if root.lemma in _TREATING and any(kid.tag == "MD" for kid in sentence.children(root.i, "aux")):
            return {subject.i: discourse.adviser.text}, set(), discourse.adviser
    if plural and discourse.on_behalf and sentence.tokens[sentence.root].pos not in {"VERB", "AUX"}:
        return {}, set(), None  # "they are concerned": whoever was asked
    if (
        plural
        and sentence.tokens[sentence.root].lemma in _HUMAN
        and not (discourse.subject and discourse.subject.person)
    ):
        return {}, set(), None
    if subject.lower in _SINGULAR | _PLURAL:
        referent = _matching(discourse, plural)
        before = discourse.subject
        if before is not None and before.person:
            # `they` may be one person; only where the verb is the same for both.
            modal = any(kid.tag == "MD" for kid in sentence.children(sentence.root, "aux"))
            referent = before if plural and modal else None
        if referent is not None:
            referent = _fits(sentence, referent, discourse)
        return ({subject.i: referent.text}, set(), referent) if referent else ({}, set(), None)
    demonstrative = next((kid for kid in sentence.children(subject.i, "det") if kid.lower in {"this", "these"}), None)
    if demonstrative is not None and subject.lemma in _KIND and len(sentence.subtree(subject.i)) == 2:
        referent = _matching(discourse, demonstrative.lower == "these")
        return ({subject.i: referent.text}, {demonstrative.i}, referent) if referent else ({}, set(), None)
    before = discourse.subject
    phrase = sentence.subtree(subject.i)
    if demonstrative is not None and before is not None and demonstrative.i == min(phrase) and max(phrase) == subject.i:
        bare = re.sub(r"^(?:some|many|several|the|these) ", "", before.text)
        name = bare.lower().split(" of ")[0].split()
        said = [sentence.tokens[place].lower for place in sorted(phrase) if place != demonstrative.i]
        # "cluster headaches ... These headaches ...", "side effects of X ... These side effects ..."
        if len(bare.split()) > len(said) and name[-len(said) :] == said:
            return {subject.i: bare}, phrase - {subject.i}, Referent(bare, before.plural)
    return {}, set(), None


_HANDLED = _OF_USE | frozenset(
    "drink swallow chew store keep crush combine mix eat inject inhale increase reduce need".split()
)


def resolve_object(sentence: Sentence, discourse: Discourse) -> dict[int, str]:
    """Wording for `it` or `them` as what is taken or used (`take it with food`), if nothing nearer can be meant."""
    for token in sentence.tokens:
        if token.pos in {"NOUN", "PROPN"} and sentence.unit.span(token.start, token.end) is not None:
            break
        plural = {"it": False, "them": True}.get(token.lower)
        if plural is None or not token.dep.startswith("obj") or sentence.tokens[token.head].lemma not in _HANDLED:
            continue
        referent = _matching(discourse, plural)
        if referent is None or referent.person:
            break
        fitting = _fits(sentence, referent, discourse, token.head)
        return {token.i: fitting.text} if fitting is not None else {}
    return {}


_CONTRACTED = {"'s": "is", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}


def spelled_out(sentence: Sentence, replaced: dict[int, str]) -> dict[int, str]:
    """*replaced* with the verb that was contracted with a pronoun (`it's`), which cannot be with a name."""
    full = dict(replaced)
    for place in replaced:
        if place + 1 < len(sentence.tokens) and sentence.tokens[place + 1].tag in {"VBZ", "VBP", "MD", "VBD"}:
            word = _CONTRACTED.get(sentence.tokens[place + 1].lower.replace("’", "'"))
            if word is not None:
                full[place + 1] = word
    return full


_TREATING = _HUMAN | frozenset(
    "assess evaluate diagnose take conduct test check help determine provide give guide run treat review make able offer".split()
)


def practitioner(sentence: Sentence) -> Referent | None:
    """Whoever treats patients, if the sentence names one: `consult your healthcare provider` -> a healthcare provider."""
    found = [token for token in sentence.tokens if token.tag == "NN" and PRACTITIONER.search(token.text)]
    found = [token for token in found if not token.dep.startswith(("nmod:poss", "compound", "amod"))]
    if len(found) != 1:
        return None
    noun = found[0]
    left = [kid for kid in sentence.children(noun.i, "compound", "amod") if kid.i < noun.i]
    first = min([noun.i, *(place for kid in left for place in sentence.subtree(kid.i))])
    text = sentence.unit.text[sentence.tokens[first].start : noun.end].lower()
    return Referent(f"{'an' if text[0] in 'aeiou' else 'a'} {text}", False, person=True)


def resolve_within(parts: list[Clause]) -> list[Clause]:
    """Later clauses of a sentence whose subject is `it` or `they`, with the subject of its first clause."""
    if len(parts) < 2 or (first := parts[0].subject) is None or first.pos not in {"NOUN", "PROPN"}:
        return parts
    sentence = parts[0].sentence
    referent = None if first.lemma in _VAGUE else _named(sentence, first)
    if referent is None or referent.person:
        return parts
    resolved = [parts[0]]
    for part in parts[1:]:
        subject = part.subject
        pronoun = subject is not None and subject.lower in (_PLURAL if referent.plural else _SINGULAR)
        human = referent.plural and part.predicate.lemma in _HUMAN
        if (
            subject is None
            or not pronoun
            or human
            or subject.dep == "expl"
            or _stands_for_what_follows(sentence, part.root)
        ):
            resolved.append(part)
        else:
            resolved.append(part.reworded(spelled_out(sentence, {subject.i: referent.text})))
    return resolved


def _stands_for_what_follows(sentence: Sentence, place: int) -> bool:
    """`It is recommended to ...`, `it is likely that ...`: the pronoun points forward."""
    root = sentence.tokens[place]
    if root.lower in {"done", "used", "given", "taken", "made", "meant", "prescribed", "performed", "designed", "worn"}:
        return False
    content = sentence.children(root.i, "ccomp", "csubj", "xcomp", "advcl")
    if not any(
        kid.i > root.i and any(mark.lower in {"to", "that", "for", "if"} for mark in sentence.children(kid.i, "mark"))
        for kid in content
    ):
        return False
    if root.lower in {"likely", "unlikely", "able", "unable", "sure", "certain", "due", "prone"}:
        return any(mark.lower == "that" for kid in content for mark in sentence.children(kid.i, "mark"))
    if root.pos in {"ADJ", "NOUN"}:
        return True
    marks = {mark.lower for kid in content if kid.i > root.i for mark in sentence.children(kid.i, "mark")}
    if root.lemma in _RAISING and sentence.child(root.i, "aux:pass", "cop") is not None:
        return "that" in marks  # "it is known to cause": the pronoun is what causes
    return root.lemma in _POINTING and bool(marks & {"to", "that", "for"} or root.lemma not in {"consider", "take"})


def _matching(discourse: Discourse, plural: bool) -> Referent | None:
    candidate = discourse.subject or (None if discourse.lost else discourse.topic)
    asked = discourse.topic
    if plural and candidate is not None and not candidate.plural and asked is not None and " and " in asked.text:
        return asked  # one of the two was named last; `they` are both
    return candidate if candidate is not None and candidate.plural == plural else None


_THINGS = frozenset({"nsubj", "obj", "obl", "ROOT", "conj", "nmod"})


def leads_away(sentence: Sentence, topic: Referent | None) -> bool:
    """Whether the sentence names a thing that is not the topic, so that `it` in the next one may be either."""
    if topic is None or topic.text.lower() in sentence.text.lower():
        return False
    nouns = (token for token in sentence.tokens if token.pos in {"NOUN", "PROPN"})
    return any(token.lemma not in _VAGUE and token.dep.split(":")[0] in _THINGS for token in nouns)


def is_of_another(clause: Clause, discourse: Discourse) -> bool:
    """Whether the last sentence was about an effect, and the predicate is said of what is used."""
    if discourse.subject is None or clause.predicate.lemma not in _OF_USE:
        return False
    head = re.split(r"\s(?:of|for|in|with)\s", discourse.subject.text)[0].split()[-1].lower().rstrip("s")
    return head in _RELATIONAL


def _fits(sentence: Sentence, referent: Referent, discourse: Discourse, verb: int | None = None) -> Referent | None:
    """*referent*, unless it is an effect and the predicate speaks of what is used: then the topic."""
    head = re.split(r"\s(?:of|for|in|with)\s", referent.text)[0].split()[-1].lower().rstrip("s")
    if head not in _RELATIONAL:
        return referent
    if sentence.tokens[sentence.root if verb is None else verb].lemma not in _OF_USE:
        return referent
    _, of, whole = referent.text.partition(" of ")
    topic = Referent(whole, is_plural_name(whole)) if of else discourse.topic
    return topic if topic is not None and topic.plural == referent.plural else None


def specified(words: list[Word], clause: Clause, topic: Referent | None) -> list[Word]:
    """`Common side effects include nausea` about metformin as `Common side effects of metformin include nausea`."""
    subject = clause.subject
    if topic is None or subject is None or subject.lemma not in _RELATIONAL:
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
        kid.lower in {"this", "these", "no", "any", "your", "its", "their", "that", "those", "each", "other", "a", "an"}
        for kid in kids
    ):
        return words
    if topic.text.lower() in clause.text().lower():
        return words
    place = next((n for n, word in enumerate(words) if word.at == subject.i), None)
    if place is None or (place + 1 < len(words) and words[place + 1].text in {"(", ","}):
        return words
    return [*words[: place + 1], Word(f"of {topic.text}"), *words[place + 1 :]]
