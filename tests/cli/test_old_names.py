"""Names that commands had before: what they run now, and that it is said."""

from __future__ import annotations

import pytest

from fas.cli import main
from fas.cli.old_names import translate


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("compare a b --by model", "results compare a b --by model"),
        ("check-reference out", "results check-reference out"),
        ("annotate draw out -o x", "labels draw out -o x"),
        ("adjust out --labels l --drift=e", "labels drift out --labels l --earlier=e"),
        ("adjust out --labels l --plan 0.1 --plan-out n", "labels plan out --labels l --width 0.1 --out n"),
        ("adjust a --labels l --against b --labels-against m --audit", "labels audit a --labels l --against b "
         "--labels-against m"),
        ("safety answers.jsonl --json", "safety check answers.jsonl --json"),
        ("safety explain --text x", "safety check --explain --text x"),
        ("safety-build -o v", "safety build -o v"),
        ("detect answers.jsonl -o d", "detect run answers.jsonl -o d"),
        ("bench kqa --data d", "bench run kqa --data d"),
        ("bench kqa --questions-out q", "bench questions kqa --out q"),
        ("bench --list", "bench list"),
        ("verifiers list --json", "models list --checkers --json"),
        ("verifiers compare p", "models compare p"),
        ("cache clear --all", "setup cache clear --all"),
        ("mcp --offline", "serve --mcp --offline"),
        ("index build notes/ --from a b", "index build notes/ a b"),
        ("safety-build -o v --rxnav a b", "safety build -o v a b"),
    ],
)  # fmt: skip
def test_an_old_name_runs_what_has_the_new_one(old, new):
    found, note = translate(old.split())
    assert found == new.split()
    assert "goes with the next version" in note


@pytest.mark.parametrize(
    "today", ["score a -o b", "results compare a b", "bench list", "safety check a", "detect", "-v"]
)
def test_the_names_of_today_are_left_as_they_are(today):
    assert translate(today.split()) == (today.split(), "")


def test_a_mistyped_command_of_a_group_is_no_old_name(capsys):
    with pytest.raises(SystemExit):
        main(["detect", "comibne"])
    assert "did you mean combine?" in capsys.readouterr().err


def test_the_new_name_is_said_on_stderr_and_the_command_runs(capsys):
    assert main(["profile"]) == 0
    shown = capsys.readouterr()
    assert "mini" in shown.out.splitlines()
    assert "`fas profile` is now `fas models profiles`" in shown.err
