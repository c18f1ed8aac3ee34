"""The command line: exit codes, what goes to which stream, and what is never imported for it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fas.cli import main
from fas.cli.declare import list_commands, make_command

PROFILE = '[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nprecision = "fp32"\nn_resamples = 20\n'
NOTE = "Ibuprofen reduces fever in children. Honey is not safe for infants."
HEAVY = (
    "torch",
    "transformers",
    "spacy",
    "datasets",
    "evaluate",
    "nltk",
    "scipy",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "sklearn",
    "tantivy",
    "httpx",
    "huggingface_hub",
    "sacrebleu",
    "bert_score",
    "rouge_score",
    "Bio",
    "jinja2",
)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A working folder with three good answers, one of which lacks evidence, and a quick profile."""
    answers = [
        {
            "id": "a",
            "prediction": "Ibuprofen reduces fever.",
            "claims": ["Ibuprofen reduces fever."],
            "passages": [NOTE],
            "type": "x",
        },
        {"id": "b", "prediction": "Honey is safe.", "claims": ["Honey is safe."], "passages": [NOTE], "type": "y"},
        {"id": "c", "prediction": "", "claims": []},
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    (tmp_path / "bad.jsonl").write_text(json.dumps(answers[0]) + "\nnot json\n")
    (tmp_path / "quick.toml").write_text(PROFILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(*more):
    return main(["score", *more, "-o", "out", "--profile", "quick.toml", "--quiet"])


def in_python(code, **environment):
    """The stdout of *code* in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_imports_nothing_heavy_and_few_modules():
    found = json.loads(
        in_python(
            "import sys, json, io, contextlib; before = set(sys.modules)\n"
            "from fas.cli import main\n"
            "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    main(['--help'])\n"
            f"new = set(sys.modules) - before\nprint(json.dumps([sorted(set({HEAVY!r}) & new), len(new)]))"
        )
    )
    assert found[0] == []
    assert found[1] < 150  # 119 when this was written


def test_every_command_of_the_table_has_its_function():
    paths = [""]
    for path in paths:
        paths += [f"{path} {name}".lstrip() for name in list_commands(path)]
    ends = [path for path in paths if not list_commands(path)]
    assert len(ends) == 56
    assert [path for path in ends if not callable(make_command(path).find_function())] == []


@pytest.mark.parametrize(
    ("command", "given", "name", "value"),
    [
        ("bench run x", "--corrupt", "corrupt", (0, 0.25, 0.5, 0.75, 1)),
        ("bench run x", "--corrupt 0.1,1", "corrupt", (0.1, 1)),
        ("bench run x", "--subset a,b", "subsets", ("a", "b")),
        ("results factuality x", "--core", "core", "uniform"),
        ("results align x", "--where a=1 --where b=2=3", "where", (("a", "1"), ("b", "2=3"))),
        ("detect combine x -o y", "--weights judge=2,rag=0.5", "weights", {"judge": 2, "rag": 0.5}),
        ("models compare x", "", "verifier", ("fas-nli-mini", "lexical")),
        ("score x", "--no-safety", "safety", False),
        ("score x", "", "safety", None),
        ("serve", "", "max_text_seconds", 10),
    ],
)
def test_a_value_is_read_by_the_type_that_the_table_names(command, given, name, value):
    group, *words = command.split()
    path = f"{group} {words.pop(0)}" if list_commands(group) else group
    assert make_command(path).make_context(path, [*words, *given.split()]).params[name] == value


@pytest.mark.parametrize(
    "arguments",
    [
        ["scroe"],
        ["score"],
        ["score", "answers.jsonl"],
        ["score", "answers.jsonl", "-o", "out", "--weights", "1,2"],
        ["score", "answers.jsonl", "-o", "out", "--weights", "0.5,0.5,0.5"],
        ["score", "answers.jsonl", "-o", "out", "--weights", "a,b,c"],
        ["score", "answers.jsonl", "-o", "out", "-k", "five"],
        ["score", "answers.jsonl", "-o", "out", "--precision", "fp16"],
        ["score", "answers.jsonl", "-o", "out", "--on-error", "skip"],
    ],
)
def test_wrong_usage_exits_2_with_the_usage_on_stderr(workplace, arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "usage: fas" in shown.err
    assert not (workplace / "out").exists()


# Arguments after `fas score`, and what the message says. Everything here is known before a model is needed.
MISTAKES = [
    (["nothing.jsonl"], r"fas: nothing\.jsonl: no such file"),
    (["."], r"fas: \./bad\.jsonl, line 1: .*already used in answers\.jsonl, line 1.*several files"),
    (["quick.toml"], r"fas: quick\.toml: unknown format '\.toml'; allowed: \.jsonl"),
    (["bad.jsonl"], r"fas: bad\.jsonl, line 2: not JSON"),
    (["empty.jsonl"], r"fas: empty\.jsonl: no answers"),
    (["null.jsonl"], r"fas: null\.jsonl, line 1: field 'prediction': expected a string \(it may be empty\), got null"),
    (["repeats.jsonl"], r"fas: repeats\.jsonl, line 2: field 'prediction': given more than once"),
    (["twice.jsonl"], r"fas: twice\.jsonl, line 2: field 'id': 'a' was already used in line 1"),
    (["bare.jsonl"], r"fas: no evidence: .* passages \| index:DIR \| .* \| snapshot:FILE \| none"),
    (["misnamed.jsonl"], r"fas: no evidence: .* The field `pasages` is not read; is it meant as `passages`\?"),
    (["answers.jsonl", "--by", "tpye"], r"fas: cannot group by 'tpye': no answer has this field; available: type"),
    (["answers.jsonl", "--threshold", "0.3"], r"fas: verify: `threshold` must be in \[0\.5, 1\), got 0\.3"),
    (["answers.jsonl", "-k", "0"], r"fas: evidence: `k` must be a whole number of at least 1, got 0"),
    (["answers.jsonl", "--n-resamples", "0"], r"fas: run: `n_resamples` must be a whole number of at least 1, got 0"),
    (["answers.jsonl", "--seed", "-1"], r"fas: run: `seed` must be a whole number of at least 0, got -1"),
    (["answers.jsonl", "--evidence", "index"], r"fas: evidence 'index' needs a folder after the colon"),
    (["answers.jsonl", "--evidence", "index:nowhere"], r"fas: nowhere: no index here; build one with `fas index build"),
    (["answers.jsonl", "--evidence", "pubmed"], r"fas: no evidence source named 'pubmed'.* Available: entrez"),
    (["answers.jsonl", "--evidence", "passages:x"], r"fas: evidence 'passages' takes no argument after a colon"),
    (
        ["answers.jsonl", "--evidence", "entrez", "--offline"],
        r"fas: evidence 'entrez' needs the network, but --offline was",
    ),
    (["answers.jsonl", "--profile", "papre"], r"fas: no profile 'papre'; did you mean 'paper'\? Built in: .*mini, pap"),
    (["answers.jsonl", "--profile", "nowhere.toml"], r"fas: nowhere\.toml: cannot be read"),
    (
        ["answers.jsonl", "--profile", "typo.toml"],
        r"fas: typo\.toml, line 2: field 'threshhold' of \[run\] is unknown; allowed",
    ),
    (["answers.jsonl", "--profile", "heavy.toml"], r"fas: heavy\.toml, line 1: weights: must sum to 1, got .* = 1\.2"),
    (["answers.jsonl", "--profile", "part.toml"], r"fas: no verifier named 'nil'; did you mean 'nli'"),
    (
        ["answers.jsonl", "--profile", "option.toml"],
        r"fas: verifier 'nli' has no option 'window'; allowed: model, labels",
    ),
    (["answers.jsonl", "--profile", "reference.toml"], r"fas: reference: no option 'bert'; allowed: tokenizer"),
    (
        ["answers.jsonl", "--evidence", "none", "--rerank", "encoder"],
        r"fas: evidence source 'none' has no option 'rerank'; allowed: ",
    ),
    (["answers.jsonl", "-o", "file"], r"fas: file: cannot be written: File exists"),
    (["answers.jsonl", "-o", "file/below"], r"fas: file/below: cannot be written: Not a directory"),
]


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    """Exit code, stderr and stdout of every mistake, made in one process; and what that process had imported then."""
    folder = tmp_path_factory.mktemp("mistakes")
    good = json.dumps({"id": "a", "prediction": "x", "passages": ["y"], "type": "t"}) + "\n"
    files = {
        "answers.jsonl": good,
        "bad.jsonl": good + "not json\n",
        "empty.jsonl": "\n",
        "null.jsonl": '{"prediction": null}\n',
        "twice.jsonl": good + good,
        "repeats.jsonl": good + '{"prediction": "a", "prediction": "b"}\n',
        "bare.jsonl": '{"prediction": "x"}\n',
        "misnamed.jsonl": '{"prediction": "x", "pasages": ["y"]}\n',
        "quick.toml": PROFILE,
        "typo.toml": "[run]\nthreshhold = 1\n",
        "heavy.toml": "[weights]\nsupport = 0.6\n",
        "part.toml": '[verify]\nname = "nil"\n[safety]\nenabled = false\n',
        "option.toml": "[verify]\nwindow = 2\n[safety]\nenabled = false\n",
        "reference.toml": "[reference]\nbert = 1\n[safety]\nenabled = false\n",
        "file": "not a folder",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    commands = [
        [
            *("score", "-q", *more),
            *([] if "-o" in more else ["-o", "out"]),
            *([] if "--profile" in more else ["--no-safety"]),
        ]
        for more, _ in MISTAKES
    ]
    code = (
        "import sys, json, io, contextlib\nfrom fas.cli import main\nresults = []\n"
        f"for arguments in {commands!r}:\n"
        "    out, err = io.StringIO(), io.StringIO()\n"
        "    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):\n"
        "        status = main(arguments)\n"
        "    results.append([status, err.getvalue(), out.getvalue(), 'torch' in sys.modules, 'spacy' in sys.modules])\n"
        "print(json.dumps(results))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), folder


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=[" ".join(more) for more, _ in MISTAKES])
def test_a_mistake_exits_2_with_its_reason_before_a_model_library_is_imported(mistaken, number):
    results, _ = mistaken
    status, err, out, torch, spacy = results[number]
    assert status == 2
    assert re.match(MISTAKES[number][1], err), err
    assert err.count("\n") == 1
    assert out == ""
    assert not torch
    assert not spacy


def test_a_run_prints_the_table_and_where_the_report_is(workplace, capsys):
    assert score("answers.jsonl", "--by", "type") == 0
    shown = capsys.readouterr()
    assert "support@5" in shown.out
    assert "evidence:passages[k=5]" in shown.out  # the choice of evidence, in the signature
    assert "\nreport: out/report.html\n" in shown.out
    assert shown.err == ""


def test_with_json_stdout_is_the_report_and_nothing_else(workplace, capsys):
    assert score("answers.jsonl", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((workplace / "out" / "report.json").read_text())
    assert (printed["n"], printed["n_unscored"], printed["n_failed"]) == (3, 1, 0)
    assert printed["metrics"]["fas_evidence"]["mean"] == pytest.approx((1 + 0) / 2)


def test_bad_lines_can_be_recorded_and_strict_makes_them_the_exit_code(workplace, capsys):
    assert score("bad.jsonl", "--on-error", "record") == 0
    assert "1 failed" in capsys.readouterr().out
    assert score("bad.jsonl", "--on-error", "record", "--strict") == 1
    assert score("answers.jsonl", "--strict", "--overwrite") == 0


def test_safety_reads_a_stream_as_it_reads_a_file(workplace, monkeypatch, capsys):
    lines = [
        b'\xef\xbb\xbf{"id": "a", "prediction": "Rest."}',
        b"[1]",
        b'{"id": "a", "prediction": "Rest."}',
        b'{"prediction": "x", "prediction": "y"}',
        b'{"prediction": "\xff"}',
        b'{"prediction": NaN}',
        '{"id": "é", "prediction": "Rest."}'.encode(),
    ]
    data = b"".join(line + b"\n" for line in lines)
    (workplace / "stream.jsonl").write_bytes(data)

    def told(name):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        assert main(["safety", "check", name, "--json", "--on-error", "record"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    records = told("-")
    assert [record["id"] for record in records] == ["a", "line:2", "line:3", "line:4", "line:5", "line:6", "é"]
    kinds = [record["error"]["type"] for record in records if "error" in record]
    assert kinds == ["json", "duplicate_id", "duplicate_key", "encoding", "json"]
    as_file = json.loads(json.dumps(told("stream.jsonl")).replace("stream.jsonl, line", "stdin, line"))
    assert records == as_file


def test_other_settings_on_the_same_folder_need_overwrite(workplace, capsys):
    assert score("answers.jsonl") == 0
    assert score("answers.jsonl", "--threshold", "0.9") == 2
    assert (
        "holds results of another run: 'verify' was 'lexical[1,t=0.70]', now it is 'lexical[1,t=0.90]'"
        in capsys.readouterr().err
    )
    assert score("answers.jsonl", "--threshold", "0.9", "--overwrite") == 0


def test_settings_on_the_command_line_override_the_profile(workplace, capsys):
    more = ["-k", "2", "--threshold", "0.8", "--weights", "0.2,0.5,0.3", "--n-resamples", "5", "--seed", "9"]
    assert score("answers.jsonl", "--json", *more) == 0
    signature = json.loads(capsys.readouterr().out)["signature"]
    for part in ("passages[k=2]", "t=0.80", "w:0.20/0.50/0.30", "boot:5", "seed:9"):
        assert part in signature


def test_an_answer_the_extractor_chokes_on_does_not_stop_the_others(workplace, capsys):
    from fas.core.parts import extractors

    class Choking:
        signature = "choking"

        def extract(self, answers):
            if any(answer.id == "2" for answer in answers):
                raise RuntimeError("no parse")
            return [[] for _ in answers]

    if "test-choking" not in extractors.names():
        extractors.add("test-choking", Choking)
    (workplace / "choking.toml").write_text('[claims]\nname = "test-choking"\n')
    (workplace / "three.jsonl").write_text('{"prediction": "x"}\n' * 3)
    assert main(["claims", "three.jsonl", "--json", "--profile", "choking.toml"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in lines] == ["1", "2", "3"]
    assert [line.get("error", {}).get("message") for line in lines] == [None, "no parse", None]


def test_parts_are_listed_without_importing_them(capsys):
    assert main(["models", "parts", "--json"]) == 0
    listing = json.loads(capsys.readouterr().out)
    assert set(listing) == {"claims", "evidence", "verify", "detect"}
    assert listing["verify"]["nli"] == "fas.verify.nli:NliVerifier"
    assert set(listing["evidence"]) >= {"passages", "index", "entrez", "snapshot", "none"}
    assert main(["models", "parts"]) == 0
    assert "verify:" in capsys.readouterr().out


def test_debug_shows_the_traceback(workplace, monkeypatch):
    monkeypatch.setenv("FAS_DEBUG", "1")
    with pytest.raises(ValueError, match="no such file"):
        score("nothing.jsonl")


def test_a_reader_that_goes_away_ends_the_command_quietly(workplace):
    answer = {"prediction": "x " * 50, "claims": ["y " * 500]}
    (workplace / "many.jsonl").write_text("".join(json.dumps(answer) + "\n" for _ in range(500)))
    command = [sys.executable, "-m", "fas", "claims", "many.jsonl", "--json", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["id"] == "1"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.parametrize("command", ["score", "verify"])
def test_a_language_model_that_no_part_asks_is_refused(command, tmp_path, capsys):
    """Named for nothing it would change nothing, and whoever named it would not know."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"prediction": "Aspirin helps.", "passages": ["Aspirin helps."]}\n', encoding="utf-8")
    own = {
        "score": ["score", str(path), "-o", str(tmp_path / "out")],
        "verify": ["verify", "--claim", "Aspirin helps.", "--passage", "Aspirin helps."],
    }[command]
    assert main([*own, "--model", "gpt-x"]) == 2
    assert "model 'gpt-x': no part of this run asks a language model" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="needs a file of Linux that cannot be read")
def test_a_file_of_a_passage_that_cannot_be_read_is_an_error_and_its_name_no_passage(capsys):
    assert main(["verify", "--claim", "Aspirin helps.", "--passage", "/proc/self/mem", "--verify", "lexical"]) == 2
    assert "Input/output error" in capsys.readouterr().err
