"""Read the treebanks and texts the parser is trained and measured on.

Everything here turns files of the data folder (``FAS_DATA_DIR``) into `Sentence` objects; nothing here knows spaCy.
"""

import gzip
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CRAFT_SPLIT_SEED = 20261121
CRAFT_TEST, CRAFT_DEV = 12, 8


def data_dir() -> Path:
    """The folder with ``train/`` in it: ``FAS_DATA_DIR``, by default ``../shared/data`` seen from the repository root."""
    default = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    path = Path(os.environ.get("FAS_DATA_DIR", default))
    if not (path / "train").is_dir():
        raise FileNotFoundError(f"{path} has no folder train/; set FAS_DATA_DIR to the data folder")
    return path


@dataclass(slots=True)
class Sentence:
    """One sentence of a treebank. ``heads`` are positions in the sentence; the root is its own head.

    ``tags`` and ``lemmas``, or ``heads`` and ``deps``, are empty where the source does not give them.
    """

    words: list[str]
    spaces: list[bool]
    tags: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    deps: list[str] = field(default_factory=list)
    doc: str = ""
    paragraph: bool = False
    """Whether a paragraph starts with this sentence."""


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file (gzipped or not).

    The parts of a multiword token ("do" + "n't") keep no space between them when they spell the surface form, so
    that the text of a sentence is the text people wrote. Empty nodes of the enhanced graph are left out.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    doc, paragraph = "", True
    rows: list[list[str]] = []
    ranges: dict[int, tuple[int, str, bool]] = {}
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                if rows:
                    yield _sentence(rows, ranges, doc, paragraph)
                    rows, ranges, paragraph = [], {}, False
            elif line.startswith("#"):
                if line.startswith("# newdoc"):
                    doc, paragraph = line.partition("=")[2].strip(), True
                elif line.startswith("# newpar"):
                    paragraph = True
            else:
                cells = line.split("\t")
                if "-" in cells[0]:
                    first, last = map(int, cells[0].split("-"))
                    ranges[first] = (last, cells[1], "SpaceAfter=No" not in cells[9])
                elif "." not in cells[0]:
                    rows.append(cells)
    if rows:
        yield _sentence(rows, ranges, doc, paragraph)


def _sentence(rows: list[list[str]], ranges: dict[int, tuple[int, str, bool]], doc: str, paragraph: bool) -> Sentence:
    words = [cells[1].replace(" ", " ").replace(" ", " ") for cells in rows]
    spaces = ["SpaceAfter=No" not in cells[9] for cells in rows]
    for first, (last, surface, space) in ranges.items():
        parts = range(first - 1, last)
        if "".join(words[i] for i in parts) == surface:
            for i in parts:
                spaces[i] = False
            spaces[last - 1] = space
    heads = [int(cells[6]) - 1 for cells in rows]
    lemmas = ["" if cells[2] == "_" and cells[1] != "_" else cells[2] for cells in rows]
    return Sentence(
        words=words,
        spaces=spaces,
        tags=[cells[4] for cells in rows],
        lemmas=lemmas,
        heads=[i if head < 0 else head for i, head in enumerate(heads)],
        deps=["ROOT" if cells[7] == "root" else cells[7] for cells in rows],
        doc=doc,
        paragraph=paragraph,
    )


def ewt(split: str) -> list[Sentence]:
    """UD English EWT, ``train``, ``dev`` or ``test``."""
    return list(read_conllu(data_dir() / f"train/ud_english_ewt/en_ewt-ud-{split}.conllu.gz"))


def gum(split: str) -> list[Sentence]:
    """UD English GUM, ``dev`` or ``test``; for validation only, its licence forbids more."""
    return list(read_conllu(data_dir() / f"train/ud_english_gum/en_gum-ud-{split}.conllu.gz"))


def craft(split: str) -> list[Sentence]:
    """CRAFT, split by article: 77 for ``train``, 8 for ``dev``, 12 for ``test``. Its labels are ClearNLP's, not UD's."""
    sentences = list(read_conllu(data_dir() / "train/craft_deps/craft_all_97.conllu.gz"))
    articles = sorted({s.doc for s in sentences})
    random.Random(CRAFT_SPLIT_SEED).shuffle(articles)
    parts = {
        "test": articles[:CRAFT_TEST],
        "dev": articles[CRAFT_TEST : CRAFT_TEST + CRAFT_DEV],
        "train": articles[CRAFT_TEST + CRAFT_DEV :],
    }
    wanted = set(parts[split])
    return [s for s in sentences if s.doc in wanted]


def abstracts() -> Iterator[tuple[str, list[str]]]:
    """Yield (identifier, pieces of text) of the scientific abstracts: SciFact's corpus, then Evidence Inference's.

    A piece is a sentence in the first and a section in the second, without its heading.
    """
    with gzip.open(data_dir() / "train/scifact/corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield f"scifact:{row['doc_id']}", row["abstract"]
    with gzip.open(data_dir() / "train/evidence_inference/abstracts.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            pieces = [piece.strip() for piece in row["abstract"].split("\n")]
            yield f"ei:{row['pmcid']}", [p for p in pieces if p and not p.endswith(":")]
