"""A generator of PubMed files of any size: abstracts of about 200 words over a Zipf vocabulary."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = 150_000
EXPONENT = 1.05
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def vocabulary() -> list[str]:
    """Different words, the most frequent ones short."""
    words = []
    for number in range(VOCABULARY):
        word, rest = "", number + len(_SYLLABLES)
        while rest:
            rest, syllable = divmod(rest, len(_SYLLABLES))
            word += _SYLLABLES[syllable]
        words.append(word)
    return words


def documents(n: int, words: list[str], *, seed: int, first: int = 1) -> Iterator[tuple[int, str, str, int]]:
    """PMID, title, abstract and year of *n* records."""
    chances = 1 / np.arange(1, VOCABULARY + 1) ** EXPONENT
    cumulative = np.cumsum(chances / chances.sum())
    generator = np.random.default_rng([seed, first])
    lengths = np.clip(generator.normal(200, 60, size=n), 30, 500).astype(int)
    years = generator.integers(1975, 2027, size=n)
    for i in range(n):
        drawn = np.searchsorted(cumulative, generator.random(lengths[i] + 12))
        text = [words[min(j, VOCABULARY - 1)] for j in drawn.tolist()]
        yield first + i, " ".join(text[:12]), " ".join(text[12:]), int(years[i])


def write_pubmed_files(folder: Path, n: int, *, per_file: int = 30_000, seed: int = 0) -> list[Path]:
    """Baseline files of *n* records in all; files that are there already are kept."""
    words = vocabulary()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, first in enumerate(range(1, n + 1, per_file), 1):
        path = folder / f"pubmed26n{number:04d}.xml.gz"
        paths.append(path)
        if path.exists():
            continue
        partial = path.with_suffix(".partial")
        with gzip.open(partial, "wt", encoding="utf-8", compresslevel=1) as stream:
            stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n')
            count = min(per_file, n - first + 1)
            for pmid, title, abstract, year in documents(count, words, seed=seed, first=first):
                stream.write(
                    f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID><Article>'
                    f"<Journal><JournalIssue><PubDate><Year>{year}</Year></PubDate></JournalIssue></Journal>"
                    f"<ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{abstract}</AbstractText></Abstract>"
                    "<Language>eng</Language><PublicationTypeList><PublicationType>Journal Article</PublicationType>"
                    "</PublicationTypeList></Article></MedlineCitation></PubmedArticle>\n"
                )
            stream.write("</PubmedArticleSet>\n")
        partial.rename(path)
    return paths
