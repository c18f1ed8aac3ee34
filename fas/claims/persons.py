"""Who a clause speaks of and to: what is told of one person is no claim, and `you` and `we` become patients and people."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from fas.claims.clause import CLAUSE, Clause, Word
from fas.reading.trees import Token

_RECOMMEND = frozenset("recommend suggest advise encourage urge".split())
_CARRIED_OUT = frozenset(
    "want hope wish appreciate apologize express acknowledge offer plan schedule discuss ask review examine refer order agree reassure clarify need "
    "understand".split()
)
_STATES = frozenset("have seem sound look mention say describe feel be".split())
_CONDITIONS = frozenset("if unless when whenever whether once after before until".split())


def is_narrative(clause: Clause) -> bool:
    """Whether the clause tells of the writer, of what the reader did or has, or of what a doctor wants.

    What a doctor thinks of the reader's case (`your symptoms may come from a virus`) is a claim.
    """
    subject = clause.subject
    if subject is None or clause.predicate.lemma in _RECOMMEND:
        return False
    root = clause.predicate
    kids = {kid.lower for kid in clause.children(subject.i)}
    tags = {aux.tag for aux in clause.children(root.i, "aux", "cop")} | {root.tag}
    past = "VBD" in tags
    perfect = root.tag == "VBN" and any(aux.lemma in {"have", "'ve"} for aux in clause.children(root.i, "aux"))
    if subject.text in {"I", "i"} or "my" in kids:
        return not _is_numeral(clause.sentence.tokens, subject.i)
    if _treats(clause, subject, kids):
        if any(
            aux.lower in {"may", "can", "might", "could", "should", "must"} for aux in clause.children(root.i, "aux")
        ):
            return False  # what doctors may do
        return root.lemma in _CARRIED_OUT or any(aux.lower == "would" for aux in clause.children(root.i, "aux"))
    yours = subject.lower == "you" or "your" in kids
    if not yours or "MD" in tags or _is_conditional(clause):
        return False
    called = subject.lower == "you" and (clause.child(root.i, "cop") is not None or root.lemma in _STATES)
    going_on = subject.lower == "you" and root.tag == "VBG"
    return past or perfect or going_on or (called and clause.child(root.i, "advcl", "xcomp") is None)


def _treats(clause: Clause, subject: Token, kids: set[str]) -> bool:
    """Whether the subject is the reader's own doctor, or somebody unnamed."""
    if subject.lower in {"they", "he", "she"}:
        return CLAUSE.practitioner.search(clause.replaced.get(subject.i, "doctor")) is not None
    return CLAUSE.practitioner.search(subject.text) is not None and bool(kids & {"your", "the", "his", "her", "their"})


def _is_conditional(clause: Clause) -> bool:
    return any(mark.lower in _CONDITIONS for mark in clause.children(clause.root, "mark", "advmod"))


def _is_numeral(tokens: list[Token], place: int) -> bool:
    """Whether `I` is part of a name (`TFII-I`, `type I`)."""
    if tokens[place].text != "I":
        return False
    joined = place > 0 and tokens[place - 1].text in {"-", "–", "/"} and not tokens[place - 1].space
    return joined or not tokens[place].tag.startswith("PRP")


_BEFORE_OBJECTS = frozenset(
    "help helps helping helped let lets make makes making for with to of from on at by against about".split()
)
_A_PATIENTS = "a patient's"
# What no two readers share; "the" would point at one that was spoken of.
_OF_A_CASE = frozenset(
    "symptom condition concern situation case need history circumstance period anxiety risk age lifestyle preference diagnosis "
    "health result question weight mood diet report medication case partner mother father mom dad son daughter child baby wife husband "
    "brother sister niece nephew grandmother grandfather friend test scan rash pain cough".split()
)


def impersonal(words: list[Word], clause: Clause) -> list[Word]:
    """`you` becomes patients, `your doctor` a doctor, `your liver` the liver."""
    tokens = clause.sentence.tokens
    named = any(word.text.lower() in {"patients", "people"} for word in words)
    result: list[Word] = []
    for number, word in enumerate(words):
        lower = word.text.lower()
        following = words[number + 1].text if number + 1 < len(words) else ""
        if number and word.text[:1].isupper() and words[number - 1].text[:1].isupper():
            result.append(word)  # "Attention Is All You Need": a title's word
        elif lower == "you":
            before = words[number - 1].text.lower() if number else ""
            subject = word.at is not None and tokens[word.at].dep.startswith("nsubj") and before not in _BEFORE_OBJECTS
            text = ("they" if subject else "them") if named else "patients"
            named = True
            result.append(Word(text, word.at))
        elif lower in {"your", "ur"}:
            owner = _owner(words, number, following, named, tokens)
            named = named or owner == _A_PATIENTS
            result.append(Word(owner, word.at))
        elif lower in {"yourself", "yourselves"}:
            result.append(Word("themselves" if named else "oneself", word.at))
        elif word.text in {"we", "We", "us"}:
            result.append(Word("people", word.at))
        elif lower == "our":
            result.append(Word("the", word.at))
        elif (
            lower in {"'re", "’re"}
            and result
            and result[-1].text.lower() not in {"you", "we", "there", "these", "those"}
        ):
            result.append(Word("are", None))
        elif lower in {"'ve", "’ve"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("have", None))
        elif lower in {"'ll", "’ll"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("will", None))
        elif lower in {"'d", "’d"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("would", None))
        else:
            result.append(word)
    return result


def _owner(words: list[Word], number: int, following: str, addressed: bool, tokens: list[Token]) -> str:
    place = words[number].at
    head = tokens[tokens[place].head] if place is not None else None
    noun = head.text if head is not None else following
    if CLAUSE.practitioner.search(following) or (
        CLAUSE.practitioner.search(noun) and not (head is not None and head.tag == "NNS")
    ):
        return "an" if following[:1].lower() in "aeio" else "a"
    if addressed:
        return "their"
    lemma = head.lemma if head is not None else following.lower()
    return _A_PATIENTS if lemma in _OF_A_CASE else "the"
