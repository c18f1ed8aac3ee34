"""`fas index`: build, search and describe a local evidence index."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option
from fas.cli.progress import ProgressBar
from fas.core.profile import PRECISIONS

if TYPE_CHECKING:
    from fas.evidence.build import Progress

index = group(
    "index",
    "Build and search a local evidence index (BM25, and vectors).",
)
folder = argument("folder", "DIR", "folder of the index")
skip = option(
    "--on-error skip|stop", "leave out a PubMed record or document that cannot be used, or refuse the file", "skip"
)
files = argument("files", "FILE...", "what to index; a folder means all such files in it")


@command(
    "fas index build notes/ notes.jsonl\nfas index build guidelines/ documents/\n"
    "fas index build pubmed/ pubmed26n*.xml.gz",
    folder,
    files,
    option("--jobs N", "files read at a time (up to 8)", type=click.IntRange(min=1)),
    option("--memory MB", "memory for unwritten documents", 256, type=click.IntRange(min=16)),
    skip,
    shared.as_json("print the index's description as JSON when done"),
    shared.progress,
    of=index,
)
def build(o: SimpleNamespace) -> None:
    """Index files in a folder, new or existing.

    Files: JSONL, CSV, TSV or parquet with the columns text (required), id, title and year, PubMed XML (efetch replies,
    baseline and update files, single records) and MEDLINE text (.nbib, .txt); all but parquet also with .gz. Without
    id, pmid, doi or url is the id; other columns are named and not read. Documents: text, Markdown, HTML and PDF (extra
    `documents`), cut into passages that name file, heading and page.

    Building into an existing folder updates it; after an interruption the same command resumes.
    """
    from fas.evidence.build import build_index

    with ProgressBar.of(o, f"indexing into {o.folder}") as bar:

        def progress(at: Progress) -> None:
            bar.count(int(at.done) >> 20, max(int(at.total) >> 20, 1), "MB")

        kept = shared.pick(o, "jobs", "on_error")
        applied = build_index(o.folder, list(o.files), memory_mb=o.memory, progress=progress, **kept)
    added = f"{applied} file{'' if applied == 1 else 's'}" if applied else "no new or changed file"
    click.echo(f"{added} indexed in {o.folder}", err=True)
    if o.json:
        _print_info(o)


@command(
    'fas index search notes/ "metformin lowers HbA1c" -k 3',
    folder,
    argument("query", "QUERY", "any text, for example a claim"),
    option("-k N", "documents to show", 5),
    option("--years FIRST-LAST", "only documents of these years"),
    option("--include-retracted", "also show retracted documents, marked"),
    shared.as_json("print one JSON object a line"),
    of=index,
)
def search(o: SimpleNamespace) -> None:
    """Search an index."""
    from fas.evidence.index import TextIndex
    from fas.evidence.options import check_k, check_years

    settings = {"limit": check_k(o.k), "years": check_years(o.years), "include_retracted": o.include_retracted}
    hits = TextIndex(o.folder).search(o.query, **settings)
    for rank, (found, score) in enumerate(hits, 1):
        if o.json:
            fields = {name: getattr(found, name) for name in ("id", "title", "year", "status", "text")}
            print(json.dumps({"rank": rank, "score": score, **fields}, ensure_ascii=False))
        else:
            marked = f" [{found.status}]" if found.status else ""
            print(f"{rank}. {found.id} ({found.year or 'year unknown'}){marked} {found.title or ''}  {score:.2f}")
            print(f"   {found.text[:200]}{'...' if len(found.text) > 200 else ''}")
    if not hits:
        click.echo("nothing found", err=True)


@command(
    "fas index push http://127.0.0.1:9200/pubmed pubmed26n*.xml.gz",
    argument("place", "URL/INDEX", "e.g. http://127.0.0.1:9200/pubmed"),
    files,
    skip,
    shared.progress,
    of=index,
)
def push(o: SimpleNamespace) -> None:
    """Index files on an OpenSearch or Elasticsearch server."""
    from fas.evidence.push import push as push_files

    with ProgressBar.of(o, "pushing") as bar:

        def show(done: int, _path: Path) -> None:
            bar.count(done, 0, "operations")

        documents = push_files(o.place, list(o.files), on_error=o.on_error, progress=show)
    click.echo(f"{documents} documents written to {o.place}", err=True)


@command(
    "fas index embed notes/ --encoder encoder",
    folder,
    option("--encoder NAME", "the embedded encoder, a hub name (ncbi/MedCPT-Article-Encoder) or a folder", "encoder"),
    option(f"--precision {'|'.join(PRECISIONS)}", "number format of the encoder", "auto"),
    shared.offline,
    shared.as_json("print what was written as JSON"),
    shared.progress,
    of=index,
)
def embed(o: SimpleNamespace) -> None:
    """Write the vectors of an index's documents, for dense retrieval."""
    from fas.evidence.dense import embed_index
    from fas.models.bi_encoder import BiEncoder

    # Documents and queries meet in the run; here only the encoder of documents is needed.
    encoder = BiEncoder(o.encoder, o.encoder, precision=o.precision)
    with ProgressBar.of(o, "embedding") as bar:
        made = embed_index(o.folder, encoder, progress=lambda done, n: bar.count(done, n, "documents"))
    if o.json:
        shared.print_json(made)
        return
    cut = f"; of {made['cut']} only the beginning was read" if made["cut"] else ""
    click.echo(f"{made['documents']} documents embedded by {made['encoder']}{cut}", err=True)


@command("fas index info pubmed/ --json", folder, shared.as_json(), of=index)
def info(o: SimpleNamespace) -> None:
    """Describe an index."""
    _print_info(o)


def _print_info(o: SimpleNamespace) -> None:
    from fas.evidence.index import TextIndex

    found = TextIndex(o.folder).info()
    print(json.dumps(found.as_dict(), ensure_ascii=False) if o.json else found.as_text())
