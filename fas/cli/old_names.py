"""Names that commands had before version 0.3; they answer until the next version, and say the new one."""

from __future__ import annotations

from difflib import get_close_matches

from fas.cli.declare import list_commands

_MOVED = {
    **{name: f"results {name}" for name in "merge tables compare correlate factuality align check-reference".split()},
    **{name: f"setup {name}" for name in "cache register completion doctor".split()},
    "report": "results html",
    "annotate": "labels",
    "adjust": "labels adjust",
    "thresholds": "labels thresholds",
    "combine": "detect combine",
    "detect-eval": "detect eval",
    "gold": "detect gold",
    "safety-build": "safety build",
    "safety explain": "safety check --explain",
    "tune": "train",
    "profile": "models profiles",
    "parts": "models parts",
    "verifiers list": "models list --checkers",
    "verifiers": "models",
    "mcp": "serve --mcp",
    "bench --list": "bench list",
}
_DEFAULTS = {"safety": "check", "detect": "run", "bench": "run"}  # what commands did that have become groups
_RENAMED = {  # options that are gone: the command that does what they did, and what it calls the option, if it has one
    ("labels adjust", "--audit"): ("labels audit", None),
    ("labels adjust", "--drift"): ("labels drift", "--earlier"),
    ("labels adjust", "--plan"): ("labels plan", "--width"),
    ("labels plan", "--plan-out"): ("labels plan", "--out"),
    ("bench run", "--questions-out"): ("bench questions", "--out"),
    ("bench run", "--questions"): ("bench questions", "--out"),
    ("safety build", "--output"): ("safety build", "--out"),
    ("safety build", "--rxnav"): ("safety build", None),
    ("index build", "--from"): ("index build", None),
    ("index push", "--from"): ("index push", None),
}


def translate(arguments: list[str]) -> tuple[list[str], str]:
    """*arguments* with the names of today, and a note on the names that changed; empty if none did.

    >>> translate(["compare", "a", "b"])[0]
    ['results', 'compare', 'a', 'b']
    >>> translate(["adjust", "out", "--drift=x"])[0]
    ['labels', 'drift', 'out', '--earlier=x']
    """
    old = next((" ".join(arguments[:n]) for n in (2, 1) if " ".join(arguments[:n]) in _MOVED), None)
    new = arguments if old is None else _MOVED[old].split() + arguments[len(old.split()) :]
    if len(new) > 1 and new[0] in _DEFAULTS and new[1] not in ("-h", "--help"):
        known = list_commands(new[0])
        if new[1] not in known and not get_close_matches(new[1], known):
            new = [new[0], _DEFAULTS[new[0]], *new[1:]]
    for (command, option), (other, name) in _RENAMED.items():
        places = [n for n, word in enumerate(new) if word == option or word.startswith(option + "=")]
        if places and " ".join(new[:2]) == command:
            value = new[places[0]][len(option) :]
            word = [name + value] if name is not None else [value[1:]] if value else []
            new = [*other.split(), *new[2 : places[0]], *word, *new[places[0] + 1 :]]
    if new == arguments:
        return arguments, ""
    if old is None and new[:2] == arguments[:2]:
        return new, f"an option of `fas {' '.join(new[:2])}` has changed; the old form goes with the next version"
    now = _MOVED.get(old or "", "") if new[1].startswith("-") else " ".join(new[:2])
    return new, f"`fas {old or arguments[0]}` is now `fas {now}`; the old name goes with the next version"
