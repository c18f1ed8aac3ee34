"""Another package adds a verifier through the entry-point group `fas.verify`.

The package is tests/support/plugin; instead of being installed it is put on the path, with the dist-info folder that an
installer would have written from its pyproject.toml.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import fas
from fas.core.parts import verifiers
from fas.core.records.signature import Signature


def test_a_profile_that_names_it_scores_answers_with_it(root: Path, tmp_path: Path, monkeypatch) -> None:
    folder = root / "tests/support/plugin"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    for place in (folder, tmp_path):
        monkeypatch.syspath_prepend(place)
    monkeypatch.setattr(verifiers, "_factories", dict(verifiers._factories))
    monkeypatch.setattr(verifiers, "_discovered", False)  # packages are looked for once in a process
    profile = tmp_path / "keywords.toml"
    profile.write_text('[verify]\nname = "keywords"\nshortest = 5\n', encoding="utf-8")
    claims = ["Aspirin lowers fever.", "Aspirin cures baldness."]
    row = {"prediction": " ".join(claims), "claims": claims, "passages": ["Aspirin lowers fever within an hour."]}
    report = fas.score_answers([row], profile=str(profile))
    verify = Signature.parse(str(report.signature)).fields["verify"]
    assert verify.startswith("keywords[fas-keywords@1.0,")
    assert {"shortest=5", "t=0.70"} <= set(verify.rstrip("]").split(","))
    assert [verdict.label for verdict in report.answers[0].verdicts] == ["supported", "unsupported"]
