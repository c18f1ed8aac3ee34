"""`fas setup`: what this installation keeps on disk, offers to others, and can reach."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import argument, command, group, option

setup = group(
    "setup",
    "Caches, completion in shells, evaluate modules, and a check of a language model's server.",
)
cache = group(
    "cache",
    "Show or clear fetched evidence and model results kept on disk.",
)
setup.add_command(cache)


@command("fas setup cache info", shared.as_json(), of=cache)
def info(o: SimpleNamespace) -> None:
    """List the caches. The folder is FAS_CACHE_DIR, or the user's cache folder."""
    from fas.core.cache import cache_info, cache_root

    caches = cache_info()
    if o.json:
        entries = [{"name": c.name, "entries": c.entries, "size": c.size} for c in caches]
        print(json.dumps({"folder": str(cache_root()), "caches": entries}))
        return
    print(f"folder  {cache_root()}")
    for one in caches:
        count = "unreadable" if one.entries is None else f"{one.entries:,} entries"
        print(f"{one.name:<12} {count:>18} {one.size / 1e6:>10,.1f} MB")
    if not caches:
        print("(nothing is kept)")


@command(
    "fas setup cache clear entrez\nfas setup cache clear --all",
    argument("names", "[NAME]...", "caches to empty"),
    option("--all", "empty all of them"),
    shared.as_json("print what was removed as JSON"),
    of=cache,
)
def clear(o: SimpleNamespace) -> None:
    """Empty caches."""
    from fas.core.cache import cache_info, clear_cache

    if bool(o.names) == o.all:
        raise ValueError("name the caches to empty, or give --all")
    removed = {}
    for name in [one.name for one in cache_info()] if o.all else o.names:
        removed[name] = clear_cache(name)
        print(f"{name}: {removed[name]:,} entries removed", file=sys.stderr)
    if o.json:
        print(json.dumps(removed))


@command(
    "fas setup register",
    option("--all", "also take the names of evaluate's own metrics (rouge, bleu, bertscore)"),
    of=setup,
)
def register(o: SimpleNamespace) -> None:
    """Make `evaluate.load("fas")` work from any folder, offline.

    Copies the evaluate modules to where evaluate looks for modules it has seen before. Run it again after an upgrade.
    """
    from fas.integrations.evaluate_modules.location import list_taken_names
    from fas.integrations.evaluate_modules.location import register as copy_modules

    taken = ", ".join(list_taken_names())
    whose = f"takes names of evaluate's own metrics: {taken}" if o.all else f"left to evaluate: {taken} (see --all)"
    shared.print_note(whose)
    put = copy_modules(replace=o.all)
    print("\n".join(path.stem for path in put))
    shared.print_note(f"copied to {put[0].parents[2]}; evaluate.load finds these names from any folder")


@command('eval "$(fas setup completion bash)"', argument("shell", "SHELL", "bash, zsh or fish"), of=setup)
def completion(o: SimpleNamespace) -> None:
    """Print a script that completes commands, options, their choices and files in a shell.

    bash: eval "$(fas setup completion bash)" in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit. fish:
    fas setup completion fish > ~/.config/fish/completions/fas.fish.
    """
    from click.shell_completion import get_completion_class

    from fas.cli import commands

    kind = get_completion_class(o.shell) if o.shell in ("bash", "zsh", "fish") else None
    if kind is None:
        raise ValueError(f"no completion for {o.shell!r}; available: bash, zsh, fish")
    print(kind(commands, {}, "fas", "_FAS_COMPLETE").source())


@command(
    "fas setup doctor --model gpt-4o-mini --base-url http://127.0.0.1:8080/v1",
    option("--model NAME", "its name at the server", required=True),
    option("--base-url URL", "ends in /v1 (OPENAI_BASE_URL, else OpenAI's own)"),
    shared.as_json(),
    of=setup,
)
def doctor(o: SimpleNamespace) -> None:
    """Test what a language model's server can do.

    Sends some thirty short requests and reports schemas, log-probabilities, streaming, reuse of prefixes, counts,
    draws, context length and seconds a call at 1, 4 and 16 at once; and prints the lines of a profile that suit it. The
    key is read from OPENAI_API_KEY.
    """
    from fas.llm.doctor import examine_server

    shared.print_result(examine_server(o.model, o.base_url), o)
