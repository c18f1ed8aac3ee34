"""Parts of a line that are no part of a claim: markup, links, citations, entities, emoji."""

from __future__ import annotations

import html
import re

from fas.core.records.cited import DOI, DOI_MARK, PMC_MARK, PMID_MARK, doi_end
from fas.text.reading.commands import is_command
from fas.text.reading.mapped import Kept, Mapped

# Each quantifier is bounded, so that no input makes a pattern slower than linear.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:\s+\"[^\"\n]{0,200}\")?\)")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^<>\s]{1,2000}>")
_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|br|p|sub|sup|ul|ol|li|div|span|a|h[1-6]|table|tr|td|th|code|hr)\b[^<>\n]{0,300}/?>",
    re.IGNORECASE,
)
_URL_IN_PARENTHESES = re.compile(
    r"\s?\((?:(?:see|source|from|available at|link)[:\s]{1,3})?(?:https?://|www\.)(?:[^\s()]|\([^\s()]{0,200}\)){1,2000}\)",
    re.IGNORECASE,
)
_URL = re.compile(
    r"(?:\s?(?:source|see|link|more info(?:rmation)?)\s?:\s?)?"
    rf"(?:https?://(?:www\.|dx\.)?doi\.org/(?P<doi>{DOI})|(?:https?://|www\.)[^\s<>\"]{{1,2000}})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\s?(?:\[\^?\d{1,3}(?:\s?[,;–—-]\s?\d{1,3}){0,20}\]|\[citation needed\]|【[^】\n]{1,60}】)")
_NUMBERED_SOURCE = re.compile(r"\b(?:document|passage|snippet|excerpt)s?\Z", re.IGNORECASE)
_LONGEST_SOURCE = 10
_NAME = r"[A-ZÀ-Þ][\w'’-]{1,40}"
_AUTHORS = rf"{_NAME}(?:\s(?:et\sal\.?|(?:and|&)\s{_NAME})|,\s{_NAME}){{0,4}}"
_AUTHOR_YEAR = re.compile(
    rf"\s?\((?:(?:see|e\.g\.,?)\s)?{_AUTHORS},?\s(?:19|20)\d\d[a-z]?(?:;\s{_AUTHORS},?\s(?:19|20)\d\d[a-z]?){{0,6}}\)"
)
_IDENTIFIER = re.compile(rf"\s?(?P<open>[(\[]\s?)?(?:{PMID_MARK}|{PMC_MARK}|{DOI_MARK})[)\]]?", re.IGNORECASE)
_NAMED_IDENTIFIER = re.compile(r"\s?[(\[]\s?|\s?(?:PMID|PMCID|doi)", re.IGNORECASE)
_SOURCE_NOTE = re.compile(
    r"\s?[(\[](?:source|sources|ref|refs|reference|references)\s?:[^()\[\]\n]{1,200}[)\]]", re.IGNORECASE
)
_STRUCK = re.compile(
    r"\s?(?:~~(?=[^\s~])[^~\n]{1,500}?(?<=\S)~~(?!~)|<(s|del|strike)>[^<>\n]{0,500}</\1>)", re.IGNORECASE
)
"""Struck-out text."""
_STRONG = re.compile(r"(\*{2,3}|(?<!\w)\*|_{2,3}|~~)(?=\S)([^*_~\n]{1,500}?)(?<=\S)\1")
_UNDERSCORE = re.compile(r"(?<!\w)_(?=\S)([^_\n]{1,300}?)(?<=\S)_(?!\w)")
_CODE = re.compile(r"(`{1,3})([^`\n]{1,300}?)\1")
_LEFT_OVER = re.compile(
    r"\*{2,}|(?<!\S)[*_`~]{1,3}(?=\w)|(?<=[\w.,:;!?)])(?:[*`~]{1,3}|_{2,3})(?!\S)|\\(?=[*_`#\[\]()~>-])"
)
_LATEX = re.compile(r"\\(?:section|subsection|textbf|textit|emph|item)\*?")
_UNUSABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufffc\ufffd\ud800-\udfff\ufe0e\ufe0f]+"
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u26ff\u2700-\u27bf\u2b00-\u2bff\u231a-\u23ff\U000e0020-\U000e007f]+")
CROSSES = frozenset("❌🚫⛔✗✘✖")
"""Before a command they forbid it: `❌ Take aspirin`."""
# Characters after a cross that are checked for a command.
_CROSSED = 200
# A cross before words that do not forbid already.
_CROSS = re.compile(
    rf"[{''.join(sorted(CROSSES))}]\s*(?!(?:don'?t|do not|never|avoid|no|not|stop)\b)(?=[A-Za-z])", re.IGNORECASE
)
# "prophylaxis.It", "day.2.Take": the space after the stop is missing.
_GLUED = re.compile(
    r"(?<=[A-Za-z)\]%][A-Za-z)\]%])([.?!])(?=[A-Z][a-z']|[A-Z]\s|\d{1,2}\.(?:\d|\s?[A-Z])|[>*•-]\s?[A-Z][a-z])|(?<=[.?!]\d)(\.)(?=[A-Z])"
)
_QUOTES = re.compile("[\u2018\u2019\u201a\u201b\u02bc\u201c\u201d\u201e\u201f]")
_SPACES = re.compile(r"\s+")
_BEFORE_STOP = re.compile(r"(?<=[\w)%])\s+(?=[.,;](?:\s|$))")
_STRAIGHT = str.maketrans("\u2018\u2019\u201a\u201b\u02bc\u201c\u201d\u201e\u201f", "'''''\"\"\"\"")


def clean(text: Mapped) -> Mapped:
    """*text* without markup, struck-out text, links, URLs, citations and characters without meaning.

    Entities become their character, curly quotes straight ones, runs of white space one
    space; every character that stays keeps its place in the source.
    """
    text = text.sub(_UNUSABLE, lambda match: " " if "\x00" in match.group() else "")
    if "~~" in text.text or "</" in text.text:
        text = text.sub(_STRUCK, lambda match: "")
    if "&" in text.text:
        text = text.sub(_ENTITY, _decode_entity)
    if "<" in text.text:
        text = text.sub(_AUTOLINK, lambda match: "").sub(_TAG, lambda match: " ")
    if "[" in text.text or "【" in text.text:
        text = text.sub(_IMAGE, lambda match: "").sub(_LINK, _keep_link_text).sub(_NUMBERED, _drop_number)
    if "(" in text.text or "[" in text.text:
        text = text.sub(_URL_IN_PARENTHESES, lambda match: "").sub(_AUTHOR_YEAR, lambda match: "")
        text = text.sub(_SOURCE_NOTE, lambda match: "")
    text = text.sub(_URL, _drop_url).sub(_IDENTIFIER, _drop_identifier)
    if "\\" in text.text:
        text = text.sub(_LATEX, lambda match: "")
    for _ in range(3):  # ***bold italic*** and bold within italic are nested at most so deep
        before = text.text
        text = text.sub(_STRONG, lambda match: match.span(2)).sub(_UNDERSCORE, lambda match: match.span(1))
        if text.text == before:
            break
    text = text.sub(_CODE, lambda match: match.span(2)).sub(_LEFT_OVER, lambda match: "")
    text = text.sub(
        _CROSS, lambda match: "Do not " if is_command(text.text[match.end() : match.end() + _CROSSED]) else " "
    )
    text = text.sub(_EMOJI, lambda match: " ")
    text = text.sub(_QUOTES, lambda match: match.group().translate(_STRAIGHT))
    text = text.sub(_SPACES, lambda match: match.span() if match.group() == " " else " ")
    text = text.sub(_GLUED, lambda match: f"{match.group()} ")
    return text.sub(_BEFORE_STOP, lambda match: "").strip()


def _decode_entity(match: re.Match[str]) -> str | Kept:
    character = html.unescape(match.group())
    # An unknown name is ordinary text; a surrogate or NUL must not come back in through the entity.
    if character == match.group() or _UNUSABLE.fullmatch(character):
        return match.span() if character == match.group() else ""
    return character


def _drop_number(match: re.Match[str]) -> str | Kept:
    """Drop a citation, but keep the number of a named document (`Document [2] reports`)."""
    named = _NUMBERED_SOURCE.search(match.string[max(0, match.start() - _LONGEST_SOURCE) : match.start()])
    return match.span() if named else ""


def _keep_link_text(match: re.Match[str]) -> str | Kept:
    label = match.group(1)
    if re.fullmatch(r"\^?\d{1,3}|source|link|here|ref", label.strip(), re.IGNORECASE) or "://" in label:
        return ""
    return match.span(1)


def _drop_identifier(match: re.Match[str]) -> str | Kept:
    """Drop an identifier that is named or in brackets, but keep a bare one, which may be a part of its sentence."""
    if not _NAMED_IDENTIFIER.match(match.group()):
        return match.span()
    end = match.start("doi") + doi_end(match["doi"]) if match["doi"] else match.end()
    end += bool(match["open"] and match["doi"] and match.string[end : end + 1] in (")", "]"))
    return (end, match.end()) if end < match.end() else ""


def _drop_url(match: re.Match[str]) -> str | Kept:
    if match["doi"]:
        end = match.start("doi") + doi_end(match["doi"])
        return (end, match.end()) if end < match.end() else ""
    stop = re.search(r"[.,;:!?)\]]+$", match.group())
    return (match.start() + stop.start(), match.end()) if stop else ""
