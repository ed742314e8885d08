"""The numbers behind the other figures, against fits made here."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, SVOREX
from csvor.datasets import make_ordinal_images
from csvor.study import _splits as splits_module
from csvor.study import convergence, error_map, occlusion, projection
from csvor.study._splits import load_data, prepare_split
from study_sets import Sets


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits_module, "datasets", Sets)


@pytest.mark.usefixtures("sets")
def test_the_map_holds_test_errors() -> None:
    table = error_map("grades", level=20, splits=2)
    assert list(table.index) == [0.5, 0.7, 1.0, 1.5, 1.7, 2.0]
    np.testing.assert_allclose(table.columns, [1e-3, 1e-2, 1e-1, 1, 10, 100, 1000])
    errors = []
    for split in (0, 1):
        prepared = prepare_split(
            load_data(["grades"], None)["grades"], 20, split, n_folds=5, seed=0
        )
        model = CSVOR(C=1 / (2 * 0.1), p=1.5).fit(prepared.X, prepared.y)
        errors.append(np.mean(model.predict(prepared.X_test) != prepared.y_test))
    assert table.loc[1.5, table.columns[2]] == pytest.approx(np.mean(errors))
    assert table.to_numpy()[:, -1].mean() > table.to_numpy()[:, 2].mean()


@pytest.mark.usefixtures("sets")
def test_the_history_is_that_of_the_fit() -> None:
    found = convergence("cut", level=20, split=1, C=2.0, p=0.7)
    prepared = prepare_split(load_data(["cut"], None)["cut"], 20, 1, n_folds=5, seed=0)
    model = CSVOR(C=2.0, p=0.7).fit(prepared.X, prepared.y)
    np.testing.assert_array_equal(found.history, model.objective_history_)
    assert found.settled_from == model.settled_from_
    settled = found.history[found.settled_from :]
    assert (np.diff(settled) <= 1e-9 * settled[:-1]).all()
    with pytest.raises(ValueError, match="split=4: cut has the splits 0 to 3"):
        convergence("cut", split=4)


def test_directions_are_those_of_the_fits(seed: int) -> None:
    found = projection(20, distance=12.0, random_state=seed)
    w = SVOREX(C=0.1).fit(found.X, found.y).coef_
    np.testing.assert_allclose(found.directions["SVOREX"], w / np.linalg.norm(w))
    assert found.outlier.sum() == 20
    assert {np.linalg.norm(v).round(12) for v in found.directions.values()} == {1.0}
    assert found.angles["CSVOR"] < 5 < found.angles["SVOREX"] < found.angles["SVORIM"]


def test_farther_outliers_turn_the_uncapped_directions_only() -> None:
    near, far = (projection(5, distance=distance) for distance in (8.0, 30.0))
    assert near.angles["CSVOR"] < 5 and far.angles["CSVOR"] < 5
    for name in ("SVOREX", "SVORIM"):
        assert far.angles[name] > near.angles[name] + 5


def test_occlusion_judges_the_residuals_of_the_fit() -> None:
    images, y = make_ordinal_images(200, random_state=1)
    found = occlusion(images, y)
    assert found.occluded.sum() == 20
    changed = (found.images != images).any(axis=(1, 2))
    np.testing.assert_array_equal(changed, found.occluded)
    X = StandardScaler().fit_transform(found.images.reshape(200, -1))
    model = CSVOR(C=0.001, contamination=0.1).fit(X, y)
    np.testing.assert_allclose(found.residuals, model.residuals_, atol=1e-9)
    np.testing.assert_array_equal(found.flagged, model.outliers_)
    above = found.residuals[found.occluded][:, None] - found.residuals[~found.occluded]
    assert found.auc == pytest.approx(((above > 0) + 0.5 * (above == 0)).mean())
    assert found.auc > 0.6


def test_a_map_of_a_real_set(data_dir: Path) -> None:
    table = error_map("newthyroid", splits=1, data=data_dir)
    assert table.min(axis=None) < 0.05
    assert table.iloc[:, -1].min() > 0.2, "gamma of 1000 leaves no slope"
