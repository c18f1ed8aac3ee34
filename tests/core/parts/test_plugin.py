"""Another package adds a verifier through the entry-point group `fas.verify`.

The package is tests/support/plugin; instead of being installed it is put on the path of a process of
its own, with the dist-info folder that an installer would have written from its pyproject.toml.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fas.core.records.signature import Signature


@pytest.fixture
def environment(root: Path, tmp_path: Path) -> dict[str, str]:
    folder = root / "tests/support/plugin"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "site" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    info.joinpath("entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(folder), str(info.parent)])}


def run(code: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_profile_that_names_it_scores_answers_with_it(environment: dict[str, str], tmp_path: Path) -> None:
    profile = tmp_path / "keywords.toml"
    profile.write_text('[verify]\nname = "keywords"\nshortest = 5\n', encoding="utf-8")
    code = f"""
import json, fas
answers = [{{
    "prediction": "Aspirin lowers fever. Aspirin cures baldness.",
    "claims": ["Aspirin lowers fever.", "Aspirin cures baldness."],
    "passages": ["In adults, aspirin lowers fever within an hour."],
}}]
report = fas.score_answers(answers, profile={str(profile)!r})
print(json.dumps([report.signature, [v.label for v in report.answers[0].verdicts], report.answers[0].support]))
"""
    signature, labels, support = json.loads(run(code, environment).splitlines()[-1])
    verify = Signature.parse(signature).fields["verify"]
    assert verify.startswith("keywords[fas-keywords@1.0,")
    assert {"shortest=5", "t=0.70"} <= set(verify.rstrip("]").split(","))
    assert labels == ["supported", "unsupported"]
    assert support == 0.5
