"""`fas index`: build, search and describe a local evidence index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fas.cli.options import Options
from fas.cli.progress import ProgressBar
from fas.core.checks import count_of

if TYPE_CHECKING:
    from fas.evidence.build import Progress


def build(o: Options) -> None:
    from fas.evidence.build import build_index

    with ProgressBar.of(o, f"indexing into {o.folder}") as bar:

        def show(at: Progress) -> None:
            bar.count(int(at.done) >> 20, max(int(at.total) >> 20, 1), "MB")

        applied = build_index(o.folder, list(o.files), progress=show, **o.pick("jobs", "on_error", "memory_mb"))
    added = count_of(applied, "file") if applied else "no new or changed file"
    click.echo(f"{added} indexed in {o.folder}", err=True)
    if o.json:
        _print_info(o)


def search(o: Options) -> None:
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


def push(o: Options) -> None:
    from fas.evidence.push import push as push_files

    with ProgressBar.of(o, "pushing") as bar:

        def show(done: int, _path: Path) -> None:
            bar.count(done, 0, "operations")

        documents = push_files(o.place, list(o.files), on_error=o.on_error, progress=show)
    click.echo(f"{documents} documents written to {o.place}", err=True)


def embed(o: Options) -> Any:
    from fas.evidence.dense import embed_index
    from fas.models.bi_encoder import BiEncoder

    # Documents and queries meet in the run; here only the encoder of documents is needed.
    encoder = BiEncoder(o.encoder, o.encoder, precision=o.precision)
    with ProgressBar.of(o, "embedding") as bar:
        made = embed_index(o.folder, encoder, progress=lambda done, n: bar.count(done, n, "documents"))
    if o.json:
        return made
    cut = f"; of {made['cut']} only the beginning was read" if made["cut"] else ""
    click.echo(f"{made['documents']} documents embedded by {made['encoder']}{cut}", err=True)
    return None


def info(o: Options) -> None:
    _print_info(o)


def _print_info(o: Options) -> None:
    from fas.evidence.index import TextIndex

    found = TextIndex(o.folder).info()
    print(json.dumps(found.as_dict(), ensure_ascii=False) if o.json else found.as_text())
