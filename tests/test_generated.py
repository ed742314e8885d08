"""Generated clusters, images and reviews, and faces read from a folder."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from csvor import CSVOR, SVOREX, SVORIM
from csvor.datasets import (
    DatasetError,
    DatasetNotFoundError,
    load_faces,
    make_ordinal_clusters,
    make_ordinal_images,
    make_ordinal_reviews,
)


def tilt(model: Any) -> float:
    """Degrees between the fitted direction and the diagonal along which the classes lie."""
    w = model.coef_ / np.linalg.norm(model.coef_)
    return float(np.degrees(np.arccos(min(1.0, abs(w @ [1, 1]) / np.sqrt(2)))))


def test_clusters_are_what_is_said(seed: int) -> None:
    X, y, outlier = make_ordinal_clusters(4000, spread=2.0, random_state=seed)
    assert X.shape == (12000, 2)
    assert not outlier.any()
    for label, place in ((1, -4.0), (2, 0.0), (3, 4.0)):
        rows = X[y == label]
        np.testing.assert_allclose(rows.mean(axis=0), place / np.sqrt(2), atol=5 * 2 / 63)
        np.testing.assert_allclose(np.cov(rows.T), 4 * np.eye(2), atol=0.5)


def test_outliers_do_not_change_the_clean_rows(seed: int) -> None:
    X, y, _ = make_ordinal_clusters(30, random_state=seed)
    few = make_ordinal_clusters(30, n_outliers=20, distance=8, random_state=seed)
    many = make_ordinal_clusters(30, n_outliers=60, distance=8, random_state=seed)
    for X_more, y_more, outlier in (few, many):
        np.testing.assert_array_equal(X_more[~outlier], X)
        np.testing.assert_array_equal(y_more[~outlier], y)
        assert set(y_more[outlier]) == {1}
    np.testing.assert_array_equal(many[0][:110], few[0])
    assert many[2].sum() == 60
    growing, _, outlier = make_ordinal_clusters(
        30, n_outliers=5, distance=[6, 9, 12, 15, 18], spread=1e-9, random_state=seed
    )
    np.testing.assert_allclose(np.linalg.norm(growing[outlier], axis=1), [6, 9, 12, 15, 18])
    np.testing.assert_allclose(
        growing[outlier] @ [1, 1] / np.sqrt(2), np.cos(np.pi / 6) * np.array([6, 9, 12, 15, 18])
    )


@pytest.mark.parametrize("settings", [(5, 5), (5, 20), (20, 8), (60, 8)])
def test_the_cap_keeps_the_direction(settings: tuple[int, float]) -> None:
    """Both experiments of the paper: the outliers turn SVOREX, and CSVOR cuts them away."""
    n_outliers, distance = settings
    X, y, outlier = make_ordinal_clusters(n_outliers=n_outliers, distance=distance, random_state=0)
    capped = CSVOR().fit(X, y)
    assert capped.outliers_[outlier].all()
    assert abs(tilt(capped) - tilt(CSVOR().fit(X[~outlier], y[~outlier]))) < 4
    # Five outliers near the classes hardly turn SVOREX either.
    pulled = tilt(SVOREX().fit(X, y))
    clean = tilt(SVOREX().fit(X[~outlier], y[~outlier]))
    assert pulled > clean + (1 if distance == 5 else 8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_per_class": 0}, "n_per_class=0 must be at least 1"),
        ({"n_outliers": -1}, "n_outliers=-1 at least 0"),
        ({"spread": 0.0}, "spread=0.0 must be"),
        ({"n_outliers": 3, "distance": [1.0, 2.0]}, r"distance has the shape \(2,\)"),
        ({"distance": np.inf}, "give one finite number"),
    ],
)
def test_wrong_clusters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_ordinal_clusters(**options)


@pytest.mark.parametrize("attribute", ["size", "brightness", "lines"])
def test_images_can_be_learnt_but_not_from_their_mean(attribute: str) -> None:
    images, y = make_ordinal_images(500, attribute=attribute, side=12, random_state=0)
    assert images.shape == (500, 12, 12)
    assert images.min() >= 0
    assert images.max() <= 1
    assert np.bincount(y)[1:].tolist() == [100] * 5
    X = images.reshape(500, -1) - 0.5
    train, test = slice(0, 350), slice(350, 500)
    pixels = CSVOR(C=0.1).fit(X[train], y[train]).score(X[test], y[test])
    mean = X.mean(axis=1, keepdims=True)
    from_mean = CSVOR().fit(mean[train], y[train]).score(mean[test], y[test])
    assert 0.45 < pixels < 0.97
    assert pixels > from_mean + 0.1


def test_images_are_the_same_again() -> None:
    first, again = (make_ordinal_images(20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert (make_ordinal_images(20, random_state=6)[0] != first[0]).any()
    smooth, y = make_ordinal_images(50, attribute="brightness", noise=0.0, random_state=0)
    peaks = smooth.max(axis=(1, 2)) - np.median(smooth, axis=(1, 2))
    assert np.corrcoef(peaks, y)[0, 1] > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attribute": "age"}, "attribute='age' is not known; use one of size, brightness, lines"),
        ({"n_classes": 1}, "n_classes=1 must be at least 2"),
        ({"n_samples": 3}, "n_samples=3 at least that"),
        ({"side": 5}, "side=5 at least 12"),
        ({"noise": -1.0}, "noise=-1.0 must be"),
    ],
)
def test_wrong_images(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_ordinal_images(**options)


def test_words_of_reviews_tell_the_stars_but_not_without_errors() -> None:
    texts, stars = make_ordinal_reviews(600, random_state=0)
    again = make_ordinal_reviews(600, random_state=0)
    assert texts == again[0]
    np.testing.assert_array_equal(stars, again[1])
    assert np.unique(stars).tolist() == [1, 2, 3, 4, 5]
    counts = CountVectorizer().fit_transform(texts).toarray()
    score = SVORIM(C=0.1).fit(counts[:400], stars[:400]).score(counts[400:], stars[400:])
    assert 0.4 < score < 0.9
    with pytest.raises(ValueError, match="n_samples=0 must be at least 1"):
        make_ordinal_reviews(0)


@pytest.fixture
def album(tmp_path: Path) -> Path:
    """Pictures of one grey each, the grey being the age, named as in FG-NET."""
    image = pytest.importorskip("PIL.Image", reason="Pillow (extra plots) is not installed")
    names = ["001A02.JPG", "001A09.JPG", "001A10a.JPG", "001A19b.jpg", "002A43.png", "002A25.JPG"]
    (tmp_path / "images").mkdir()
    for name in names:
        age = int(name[4:6])
        picture = image.new("RGB", (40, 50), (4 * age, 4 * age, 4 * age))
        picture.save(tmp_path / "images" / name)
    image.new("L", (8, 8), 255).save(tmp_path / "003A33.JPG")  # grey already, in no folder
    (tmp_path / "readme.txt").write_text("x", encoding="utf-8")
    (tmp_path / "images" / "A02.JPG").write_bytes(b"")
    return tmp_path


def test_faces(album: Path) -> None:
    faces = load_faces(album, side=16)
    ages = [33, 2, 9, 10, 19, 25, 43]
    assert faces.raw_target.tolist() == ages
    assert faces.target.tolist() == [4, 1, 1, 2, 2, 3, 5]
    assert faces.target_names == ["0-9", "10-19", "20-29", "30-39", "40+"]
    assert faces.subjects.tolist() == [3, 1, 1, 1, 1, 2, 2]
    assert faces.filenames[:2] == ["003A33.JPG", "images/001A02.JPG"]
    assert faces.skipped == ["images/A02.JPG", "readme.txt"]
    assert faces.images.shape == (7, 16, 16)
    grey = [1.0, *(4 * age / 255 for age in ages[1:])]
    np.testing.assert_allclose(faces.images.mean(axis=(1, 2)), grey, atol=0.01)
    np.testing.assert_array_equal(faces.data, faces.images.reshape(7, -1))
    two = load_faces(album, ages=[20])
    assert two.target_names == ["0-19", "20+"]
    assert two.target.tolist() == [2, 1, 1, 1, 1, 2, 2]


def test_wrong_faces(album: Path) -> None:
    with pytest.raises(DatasetError, match="no picture of the age group 60\\+; choose other ages"):
        load_faces(album, ages=(20, 60))
    for ages in ((20, 10), (), (0, 10), (10, 10)):
        with pytest.raises(ValueError, match="must be ascending ages"):
            load_faces(album, ages=ages)
    with pytest.raises(ValueError, match="side=0 must be at least 1"):
        load_faces(album, side=0)
    with pytest.raises(DatasetNotFoundError, match="no such folder"):
        load_faces(album / "none")
    (album / "images" / "004A11.JPG").write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"004A11\.JPG: not a readable picture"):
        load_faces(album)
    empty = album / "empty"
    empty.mkdir()
    with pytest.raises(DatasetError, match=r"named by person and age, such as 001A02\.JPG"):
        load_faces(empty)
