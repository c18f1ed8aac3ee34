"""From a scientific sentence to a claim: lead-ins and statistics off, main verb found.

What cannot be told for sure is said so: `is_claim` refuses a sentence that points elsewhere,
and `main_verb` gives None where a word may be a noun or a participle.
"""

from __future__ import annotations

import re

from benchmarks.embedded_models.nli.phrases import read

WORDS = read("perturb")

def any_of(words: str) -> str:
    """A pattern of the list *words* of `words/perturb.toml`, those first that stand first."""
    return f"(?:{'|'.join(map(re.escape, WORDS[words]))})"


_VERB_OF_SAYING = any_of("saying") + "s?"
_LEADS = [re.compile(pattern) for pattern in (
    r"^(?:[A-Z][A-Za-z]+(?: [A-Za-z]+){0,2}|[A-Z][A-Z /&,]+[A-Z]): ?(?=[A-Z])",
    rf"^{any_of('sections')}(?: AND \w+)? (?=[A-Z])",
    r"^\(?\d+\)? ",
    rf"^{any_of('openers')},? ",
    r"^(?:[Hh]ere,? )?[Ww]e (?:further |also |then |now |next |therefore |previously |recently |have |here )*"
    + _VERB_OF_SAYING + r"(?: here| previously)? that,? ",
    r"^(?:(?:[Tt]aken together|[Oo]verall|[Tt]ogether|[Cc]ollectively),? )?(?:[Oo]ur|[Tt]hese|[Tt]his|[Tt]he|[Tt]hose)"
    r"(?: (?:present|current|new|in vivo|in vitro|combined|overall|main|clinical|preliminary))?"
    r" (?:results|findings?|data|study|studies|observations?|analys[ie]s|experiments|evidence|work|trial|review|report)"
    r"(?: presented here| from this study| of this study| further| also| thus| therefore| strongly| clearly| together| now)*"
    r" (?:have )?" + _VERB_OF_SAYING + r" that,? ",
    r"^(?:[Ii]t (?:was|is|has been) (?:also |further |well |now )?(?:found|shown|concluded|known|observed|established|demonstrated) that) ",
    r"^(?:[Tt]here (?:is|was) (?:strong |good |clear )?evidence that) ",
)]
_PARENTHESIS = re.compile(r"(?<=[a-z])\(\d+(?:[,–-] ?\d+)*\)|\s+[(\[][^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*[)\]]")
_STATISTIC = re.compile(
    r"[,;]? ?(?:\b[Pp] ?(?:-value|value)? ?[<>=≤≥] ?0?[.·] ?\d+|(?:with )?95% ?(?:CI|confidence interval)[^,;.]*\d[.·]?\d*[^,;.]*)"
)
_TAIL = re.compile(
    r"(?:;| - | -- |, (?:which|suggesting|indicating|whereas|while|although|thereby|thus|but|implying|demonstrating|consistent with)\b)"
    r".*$"
)
_BAD_START = re.compile(
    r"^(?:This|These|Those|Such|It|They|Their|Its|His|Her|He|She|Both|Our|We|Here|Each|Another|Other|To|Using|Whether|How|"
    r"What|Why|Although|While|Because|Since|If|When|As|By|Further|More|Most|Some|Many|Several|One|Two|That|There (?!was no|were no|is no)|"
    r"Then|So|All (?:of )?(?:these|this|the)|The (?:former|latter|aim|purpose|objective|goal|primary|secondary|main|present|current|"
    r"study|trial|patients|participants|results?|same|other|two|three|authors?|effects? of this)|Of |Among these|Background|Objectives?|Methods?|"
    r"Patients (?:were|received|underwent)|Participants|Subjects|Data|Results|Studies|Main outcome)\b"
)
_BAD_ANYWHERE = re.compile(
    r"\b(?:we|our|us|I|this|those|such|its|their|they|it|these|here|herein|respectively|aforementioned|the (?:latter|former)|"
    r"aim(?:s|ed)?|whether|unknown|unclear|elusive|controversial|should|hypothesi[sz]ed?|further (?:research|stud)\w*|needed to|"
    r"warranted|discuss\w*|compared (?:the|two)|investigated|examined|studied|"
    r"(?:RESULTS?|METHODS?|CONCLUSIONS?|BACKGROUND|OBJECTIVES?|FINDINGS|INTERPRETATION|DESIGN|SETTING|MEASUREMENTS|RATIONALE|"
    r"AIMS?|CONTEXT|PURPOSE|INTRODUCTION|PATIENTS|SIGNIFICANCE|IMPORTANCE|RATIONALE|MATERIALS))\b|[?!:]|±|\+/-|95%"
)
_DESIGN = re.compile(rf"\b{any_of('design')}\b")


def strip_lead(sentence: str) -> tuple[str, str]:
    """*sentence* as (lead-in, body): section labels, discourse openers and "we found that" are the lead-in."""
    body, changed = sentence, True
    while changed:
        changed = False
        for lead in _LEADS:
            match = lead.match(body)
            if match and len(body) - match.end() > 20:
                body, changed = body[match.end():], True
    return sentence[: len(sentence) - len(body)], body


def upper_first(text: str) -> str:
    """*text* with a capital at its start, unless it starts with a symbol like "mTOR" or "p53"."""
    return text if re.match(r"[a-z]{1,3}[A-Z0-9-]", text) else text[:1].upper() + text[1:]


def tidy(body: str, *, cut_tail: bool = False) -> str:
    """*body* without parentheses and test statistics, as a sentence of its own.

    Args:
        body: A sentence after `strip_lead`.
        cut_tail: Also drop a last clause that adds to the main one (", which ...", "; ...").
    """
    text = _PARENTHESIS.sub("", body)
    text = _STATISTIC.sub("", text)
    if cut_tail:
        shorter = _TAIL.sub("", text)
        if len(shorter.split()) >= 6:
            text = shorter
    text = re.sub(r"\s+([,.;])", r"\1", " ".join(text.split())).rstrip(" .,;")
    return upper_first(text) + "."


def is_claim(text: str, *, design: bool = False) -> bool:
    """Whether *text* can stand alone as a claim: 6 to 34 words, a finite verb, nothing that points elsewhere.

    Args:
        text: A sentence made by `tidy`.
        design: Let sentences about a study's design pass ("50 patients were randomized").
    """
    words = text.split()
    if not 6 <= len(words) <= 34 or _BAD_START.match(text) or _BAD_ANYWHERE.search(text[:-1]):
        return False
    if not design and _DESIGN.search(text):
        return False
    if text.count("(") != text.count(")") or re.search(r"[\[\]*~=<>@]|\b(?:CONTACT|AVAILABILITY|SUPPLEMENTARY|http)", text):
        return False
    return main_verb(text) is not None


# -- verbs ----------------------------------------------------------------------------------

_AUX = re.compile(r"\b(?:is|are|was|were|can|has|have|had)\b")
NOT_BEFORE, NOT_AFTER_PAST = frozenset(WORDS["not_before"]), frozenset(WORDS["not_after_past"])


def forms(base: str) -> tuple[str, str]:
    """Third person singular and past tense of a verb of the word list."""
    if base in WORDS["irregular"]:
        third, past = WORDS["irregular"][base]
        return third, past
    if base.endswith("e"):
        return base + "s", base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies", base[:-1] + "ied"
    return base + ("es" if re.search(r"(?:s|x|ch|sh)$", base) else "s"), base + "ed"


BASES = sorted({*WORDS["verbs"], *WORDS["irregular"]} - {"have"})
_THIRD = {forms(base)[0]: base for base in BASES}
_PAST = {forms(base)[1]: base for base in BASES}
_TOKEN = re.compile(r"[A-Za-z][\w'-]*")


def main_verb(text: str) -> tuple[str, int, int, str] | None:
    """The main verb, as ("aux" | "third" | "past", start, end, base form), if it can be told."""
    tokens = list(_TOKEN.finditer(text))
    for i, token in enumerate(tokens):
        word = token.group()
        if i == 0:
            continue
        if _AUX.fullmatch(word):
            return "aux", token.start(), token.end(), word
        before = tokens[i - 1].group().lower()
        if before.endswith("ly") and i > 1:
            before = tokens[i - 2].group().lower()
        after = tokens[i + 1].group().lower() if i + 1 < len(tokens) else ""
        adjacent = text[tokens[i - 1].end(): token.start()]
        if before in NOT_BEFORE or adjacent != " " or text[token.end(): token.end() + 1] not in (" ", "."):
            continue
        if word in WORDS["nouns"] and (not after or after in WORDS["after_noun"]):
            continue
        if word in _THIRD and not after.endswith("ed"):
            return "third", token.start(), token.end(), _THIRD[word]
        if word in _PAST and after not in NOT_AFTER_PAST and after:
            return "past", token.start(), token.end(), _PAST[word]
    return None
