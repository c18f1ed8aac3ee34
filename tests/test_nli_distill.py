"""What the verifier's weights are trained towards when several models teach, and what they said."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def distill(nli_script):
    return nli_script("distill")


def test_each_model_has_a_weight_or_none_has(distill, monkeypatch, capsys, tmp_path):
    arguments = [
        "--data",
        ".",
        "--from",
        "a",
        "--teachers",
        "b",
        "c",
        "--weights",
        "1",
        "2",
        "--out",
        str(tmp_path / "d"),
    ]
    monkeypatch.setattr("sys.argv", ["distill.py", *arguments])
    with pytest.raises(SystemExit):
        distill.main()
    assert "3 in all" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_what_a_model_said_is_kept_and_an_interrupted_run_goes_on_where_it_was(distill, monkeypatch, tmp_path):
    from fas.models.paths import model_folder

    monkeypatch.setattr(distill, "PART", 2)
    pairs = [distill.Pair(f"The dose was {n} mg.", "The dose was 3 mg.", 0) for n in range(5)]
    model = str(model_folder("fas-nli-mini"))
    whole = distill.said(tmp_path, model, pairs)
    assert whole.shape == (5, 3)
    assert whole.sum(axis=1) == pytest.approx(np.ones(5))
    (kept,) = tmp_path.iterdir()
    # As it stands after the first part, with numbers that no model says.
    kept.unlink()
    np.save(kept.with_suffix(".partial.npy"), np.full((2, 3), 7.0, dtype=np.float32))
    resumed = distill.said(tmp_path, model, pairs)
    assert (resumed[:2] == 7.0).all()
    assert resumed[2:] == pytest.approx(whole[2:], abs=5e-3)  # other pairs in a batch
    assert list(tmp_path.iterdir()) == [kept]
    assert (distill.said(tmp_path, model, pairs) == resumed).all()


def test_what_was_said_of_other_pairs_is_not_taken(distill, tmp_path):
    from fas.models.paths import model_folder

    model = str(model_folder("fas-nli-mini"))
    before = distill.said(tmp_path, model, [distill.Pair("It rains.", "It is wet.", 0)])
    after = distill.said(tmp_path, model, [distill.Pair("It rains.", "It is dry.", 0)])
    assert np.abs(after - before).max() > 0.05
    assert len(list(tmp_path.iterdir())) == 2
