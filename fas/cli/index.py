"""`fas index`: build, search and describe a local evidence index."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from fas.cli.progress import ProgressBar
from fas.profile import PRECISIONS

_EXAMPLE = """\
examples:
  fas index build notes/ --from notes.jsonl
  fas index build pubmed/ --from pubmed26n*.xml.gz
  fas index search notes/ "metformin lowers HbA1c" -k 3
  fas index info pubmed/ --json
  fas index embed notes/ --encoder encoder

Files: JSONL, CSV, TSV or parquet with the columns text (required), id, title and year, PubMed XML
(efetch replies, baseline and update files, single records) and MEDLINE text (.nbib, .txt); all
but parquet also with .gz. Without id, pmid, doi or url is the id; other columns are named and not
read. Building into an existing
folder updates it; a build that was stopped goes on when the same command is given again.
"""


def add_parser(subparsers: Any) -> None:
    """Add `index` to the commands of `fas`."""
    parser = subparsers.add_parser(
        "index",
        help="build and search a local evidence index",
        description="Build, search and describe a local evidence index (BM25).",
        epilog=_EXAMPLE,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="build|search|push|embed|info")

    build = actions.add_parser("build", help="index files in a folder, new or existing")
    build.add_argument("directory", metavar="DIR", type=Path, help="folder of the index")
    build.add_argument(
        "--from", dest="files", metavar="FILE", type=Path, nargs="+", required=True, help="what to index"
    )
    build.add_argument("--jobs", type=int, metavar="N", help="files read at a time (default: up to 8)")
    build.add_argument(
        "--memory", type=int, default=256, metavar="MB", help="memory for unwritten documents (default: 256)"
    )
    build.add_argument(
        "--on-error",
        choices=("skip", "stop"),
        default="skip",
        help="a PubMed record that cannot be used is told and left out (default), or its file is refused",
    )
    build.add_argument("--json", action="store_true", help="print the index's description as JSON when done")

    search = actions.add_parser("search", help="search an index")
    search.add_argument("directory", metavar="DIR", type=Path, help="folder of the index")
    search.add_argument("query", metavar="QUERY", help="any text, for example a claim")
    search.add_argument("-k", type=int, default=5, metavar="N", help="documents to show (default: 5)")
    search.add_argument("--years", metavar="FIRST-LAST", help="only documents of these years")
    search.add_argument("--include-retracted", action="store_true", help="also show retracted documents, marked")
    search.add_argument("--json", action="store_true", help="one JSON object a line")

    push = actions.add_parser("push", help="put files into an index of an OpenSearch or Elasticsearch server")
    push.add_argument("place", metavar="URL/INDEX", help="e.g. http://127.0.0.1:9200/pubmed")
    push.add_argument("--from", dest="files", metavar="FILE", type=Path, nargs="+", required=True, help="what to put")
    push.add_argument("--on-error", choices=("skip", "stop"), default="skip", help="as for build")

    embed = actions.add_parser("embed", help="write the vectors of an index's documents, for dense retrieval")
    embed.add_argument("directory", metavar="DIR", type=Path, help="folder of the index")
    embed.add_argument(
        "--encoder",
        default="encoder",
        metavar="NAME",
        help="encoder of documents: encoder (the embedded one, default), a hub name, e.g. ncbi/MedCPT-Article-Encoder, "
        "or a folder",
    )
    embed.add_argument("--pooling", choices=("cls", "mean"), help="how tokens become one vector, where nothing says it")
    embed.add_argument("--precision", choices=PRECISIONS, default="auto", help="number format of the encoder (auto)")
    embed.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    embed.add_argument("--json", action="store_true", help="what was written, as JSON")

    info = actions.add_parser("info", help="describe an index")
    info.add_argument("directory", metavar="DIR", type=Path, help="folder of the index")
    info.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry out `fas index`; returns the exit code."""
    return {"build": _build, "search": _search, "push": _push, "embed": _embed, "info": _info}[options.action](options)


def _build(options: argparse.Namespace) -> int:
    from fas.evidence.build import Progress, build_index

    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {options.jobs}")
    if options.memory < 16:
        raise ValueError(f"--memory must be at least 16, got {options.memory}")
    with ProgressBar(doing=f"indexing into {options.directory}") as bar:

        def show(progress: Progress) -> None:
            bar.count(int(progress.done) >> 20, max(int(progress.total) >> 20, 1), "MB")

        applied = build_index(
            options.directory,
            options.files,
            jobs=options.jobs,
            memory_mb=options.memory,
            on_error=options.on_error,
            progress=show,
        )
    skipped = len(dict.fromkeys(options.files)) - applied
    already = f", {skipped} already there" if skipped else ""
    print(f"{applied} file(s) indexed in {options.directory}{already}", file=sys.stderr)
    return _info(options) if options.json else 0


def _search(options: argparse.Namespace) -> int:
    from fas.evidence.index import TextIndex
    from fas.evidence.options import checked_k, checked_years

    index = TextIndex(options.directory)
    hits = index.search(
        options.query,
        limit=checked_k(options.k),
        years=checked_years(options.years),
        include_retracted=options.include_retracted,
    )
    for rank, (passage, score) in enumerate(hits, 1):
        if options.json:
            record = {
                "rank": rank,
                "score": score,
                "id": passage.id,
                "title": passage.title,
                "year": passage.year,
                "status": passage.status,
                "text": passage.text,
            }
            print(json.dumps(record, ensure_ascii=False))
        else:
            marked = f" [{passage.status}]" if passage.status else ""
            print(f"{rank}. {passage.id} ({passage.year or 'year unknown'}){marked} {passage.title or ''}  {score:.2f}")
            print(f"   {passage.text[:200]}{'...' if len(passage.text) > 200 else ''}")
    if not hits:
        print("nothing found", file=sys.stderr)
    return 0


def _push(options: argparse.Namespace) -> int:
    from fas.evidence.push import push
    from fas.guards.redaction import redact

    with ProgressBar(doing="pushing") as bar:
        documents = push(
            options.place,
            options.files,
            on_error=options.on_error,
            progress=lambda done, _path: bar.count(done, 0, "operations"),
        )
    print(redact(f"{documents} documents written to {options.place}"), file=sys.stderr)
    return 0


def _embed(options: argparse.Namespace) -> int:
    from fas.cli.common import go_offline

    if options.offline:
        go_offline()
    from fas.evidence.dense import embed_index
    from fas.models.bi_encoder import BiEncoder

    # Documents and queries meet in the run; here only the encoder of documents is needed.
    encoder = BiEncoder(options.encoder, options.encoder, pooling=options.pooling, precision=options.precision)
    with ProgressBar(doing="embedding") as bar:
        made = embed_index(options.directory, encoder, progress=lambda done, n: bar.count(done, n, "documents"))
    if options.json:
        print(json.dumps(made))
        return 0
    cut = f"; of {made['cut']} only the beginning was read" if made["cut"] else ""
    print(f"{made['documents']} documents embedded by {made['encoder']}{cut}", file=sys.stderr)
    return 0


def _info(options: argparse.Namespace) -> int:
    from fas.evidence.index import TextIndex

    info = TextIndex(options.directory).info()
    if options.json:
        print(json.dumps(info.as_dict(), ensure_ascii=False))
        return 0
    known = [year for year in info.years if year is not None]
    print(f"folder         {info.directory}")
    print(f"documents      {info.documents:,}")
    print(f"years          {f'{min(known)}-{max(known)}' if known else 'unknown'}", end="")
    print(f" ({info.years[None]:,} without a year)" if None in info.years else "")
    print(f"retracted      {info.retracted:,} (and {info.concern:,} under an expression of concern)")
    print(f"size           {info.size / 1e6:,.1f} MB")
    print(f"content hash   {info.content_hash}")
    print(f"sources        {len(info.sources):,}")
    shown = info.sources if len(info.sources) <= 20 else info.sources[-20:]
    if len(shown) < len(info.sources):
        print(f"               (the last {len(shown)}; all with --json)")
    for source in shown:
        tally = source.tally
        parts = [f"{tally.documents:,} documents"]
        for count, name in (
            (tally.deletions, "deletions"),
            (tally.without_text, "without abstract"),
            (tally.notices, "notices"),
            (tally.unreadable, "unreadable"),
        ):
            if count:
                parts.append(f"{count:,} {name}")
        print(f"  {source.path}: {', '.join(parts)}")
    if info.pending:
        names = ", ".join(Path(path).name for path in info.pending[:3]) + (", ..." if len(info.pending) > 3 else "")
        print(
            f"INCOMPLETE: {len(info.pending)} file(s) of the last build are missing: {names}; the same command goes on "
            "with them, unless one of them cannot be read: leave that one out"
        )
    return 0
