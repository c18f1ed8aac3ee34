"""The regression behind the calibrated verdict, against scikit-learn's."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fas.verify.calibrator import Calibrator
from fas.verify.features import FEATURES


@pytest.fixture(scope="module")
def fitted():
    linear_model = pytest.importorskip("sklearn.linear_model")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, len(FEATURES))) * 3 + 1
    y = (x[:, 0] > 1).astype(int) + (x[:, 1] > 2).astype(int)
    scaler = preprocessing.StandardScaler().fit(x)
    model = linear_model.LogisticRegression(max_iter=500).fit(scaler.transform(x), y)
    return x, scaler, model


def stored(folder, scaler, model, **changes):
    path = folder / "calibrator.json"
    data = {
        "features": list(FEATURES),
        "mean": scaler.mean_.tolist(),
        "scale": scaler.scale_.tolist(),
        "coefficients": model.coef_.tolist(),
        "intercept": model.intercept_.tolist(),
    }
    path.write_text(json.dumps({**data, **changes}))
    return path


def test_probabilities_are_those_of_scikit_learn(tmp_path, fitted):
    x, scaler, model = fitted
    found = Calibrator.read(stored(tmp_path, scaler, model)).predict(x.tolist())
    np.testing.assert_allclose(np.array(found), model.predict_proba(scaler.transform(x)), atol=1e-12)


def test_probabilities_sum_to_one_even_for_extreme_features(tmp_path, fitted):
    _, scaler, model = fitted
    rows = [[value] * len(FEATURES) for value in (-1e6, -1.0, 0.0, 1e6)]
    for row in Calibrator.read(stored(tmp_path, scaler, model)).predict(rows):
        assert sum(row) == pytest.approx(1.0)
        assert all(0.0 <= value <= 1.0 for value in row)


def test_a_row_is_predicted_the_same_alone_and_in_any_batch(tmp_path, fitted):
    x, scaler, model = fitted
    calibrator = Calibrator.read(stored(tmp_path, scaler, model))
    together = calibrator.predict(x.tolist())
    assert [calibrator.predict([row])[0] for row in x.tolist()] == together
    assert calibrator.predict(x[::-1].tolist()) == together[::-1]


def test_no_rows_give_no_probabilities(tmp_path, fitted):
    _, scaler, model = fitted
    assert Calibrator.read(stored(tmp_path, scaler, model)).predict([]) == []


def test_a_file_made_for_other_features_is_refused(tmp_path, fitted):
    _, scaler, model = fitted
    path = stored(tmp_path, scaler, model, features=["cosine", "moon_phase"])
    with pytest.raises(
        ValueError, match=r"calibrator\.json: features \['cosine', 'moon_phase'\] are none of \[\['cosine', "
    ):
        Calibrator.read(path)
