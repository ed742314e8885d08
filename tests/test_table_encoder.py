"""`TableEncoder`: a frame as it comes, in a pipeline of scikit-learn."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from csvor import CSVOR, TRUSTED_TYPES
from csvor.preprocessing import TableEncoder

FRAME = pd.DataFrame(
    {
        "size": [f"{value} mm" for value in (3, 8, 5, 1, 9, 4)],
        "ward": ["A", "B", None, "A", "B", "A"],
        "dose": ["1,5", "n/d", "2,5", "0,5", "9,5", "3,5"],
        "day": ["2024-03-01", "2024-01-05", "2024-02-03", "2024-01-01", "2024-05-01", "2024-04-01"],
        "code": [1, 2, 1, 2, 1, 2],
        "same": 7,
    },
    index=list("uvwxyz"),
)
READ: dict[str, Any] = {"dates": True, "impute": True, "missing": ["n/d"], "categorical": ["code"]}
NAMES = ["size", "dose", "day", "ward_", "ward_A", "ward_B", "code_1", "code_2"]


def test_cells_are_numbers_by_their_scale_and_words_indicators() -> None:
    encoder = TableEncoder(**READ)
    table = encoder.set_output(transform="pandas").fit_transform(FRAME)
    assert table.columns.tolist() == NAMES == encoder.get_feature_names_out().tolist()
    assert table.index.equals(FRAME.index)
    size = np.array([3, 8, 5, 1, 9, 4])
    np.testing.assert_allclose(table["size"], (size - 5) / size.std())
    dose = np.array([1.5, 2.5, 2.5, 0.5, 9.5, 3.5])  # the median for the blank
    np.testing.assert_allclose(table["dose"], (dose - dose.mean()) / dose.std())
    assert table["day"].rank().tolist() == [4, 2, 3, 1, 6, 5]
    assert table["ward_"].tolist() == [0, 0, 1, 0, 0, 0]
    assert any("'mm' beside the numbers is passed over" in note for note in encoder.notes_)
    assert encoder.columns_["constant"] == ["same"] and encoder.n_features_in_ == 6


def test_later_frames_are_read_as_the_first() -> None:
    encoder = TableEncoder(**READ).fit(FRAME)
    plain = FRAME.assign(size=[3, 8, 5, 1, 9, 4])[list(FRAME.columns[::-1])]
    np.testing.assert_array_equal(encoder.transform(plain), encoder.transform(FRAME))
    with pytest.warns(UserWarning, match=r"1 row with values .* not seen \('D'\)"):
        new = encoder.transform(FRAME.head(1).assign(ward="D"))
    assert new[0, 3:6].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"the numbers are written with 'cm', but .* with 'mm'"):
        encoder.transform(FRAME.assign(size="4 cm"))
    with pytest.raises(ValueError, match="X lacks the column 'dose'"):
        encoder.transform(FRAME.drop(columns="dose"))
    np.testing.assert_array_equal(
        encoder.transform(pl.from_pandas(FRAME)), encoder.transform(FRAME)
    )


def test_what_no_reading_fits_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="2 faults") as caught:
        TableEncoder(missing=["n/d"]).fit(FRAME.assign(blank=[1, None, 3, 5, 7, 9]))
    assert "column 'day' holds dates" in str(caught.value)
    assert "'blank' 1 (row v); fill them in, let impute=True do so" in str(caught.value)
    with pytest.raises(ValueError, match=r"X has no column 'wards' \(drop=\)"):
        TableEncoder(drop=["wards"]).fit(FRAME)


def test_columns_are_named_as_frames_spell_them() -> None:
    frame = pd.DataFrame({"caf\u00e9": [1, 2, 1, 2], "weight ": [1, 2, 3, 4], "x": [5, 9, 6, 2]})
    for drop in (["cafe\u0301", "weight "], ["caf\u00e9", " weight"]):
        for one in (frame, frame.rename(columns={"caf\u00e9": "cafe\u0301"})):
            assert TableEncoder(drop=drop).fit(one).get_feature_names_out().tolist() == ["x"]
    codes = TableEncoder(categorical=["cafe\u0301"], keep=["weight "]).fit(frame)
    assert codes.columns_["categorical"].keys() == {"caf\u00e9"}
    assert codes.columns_["row_numbers"] == []
    with pytest.raises(ValueError, match=r"X has no column 'height' \(drop=\)"):
        TableEncoder(drop=["height "]).fit(frame)


@pytest.mark.parametrize("argument", ["drop", "keep", "categorical", "missing"])
def test_a_bare_text_is_no_list(argument: str) -> None:
    with pytest.raises(ValueError, match=rf"{argument} takes a list: give {argument}=\['NA'\]"):
        TableEncoder(**{argument: "NA"}).fit(FRAME)


def test_marks_may_be_numbers() -> None:
    frame = pd.DataFrame({"x": [1, -9, 4, 7], "z": [1.5, 2, -9, 3]})
    marks = [[-9], [-9.0], ["-9"]]
    said = [TableEncoder(missing=mark, impute=True).fit_transform(frame) for mark in marks]
    np.testing.assert_allclose(said[0][:, 0], (np.array([1, 4, 4, 7]) - 4) / np.sqrt(4.5))
    np.testing.assert_array_equal(said[0], said[1])
    np.testing.assert_array_equal(said[0], said[2])


def test_a_pipeline_takes_the_frame_and_goes_into_files() -> None:
    y = [1, 3, 2, 1, 3, 2]
    model = make_pipeline(TableEncoder(**READ), CSVOR()).fit(FRAME, y)
    assert model.predict(FRAME).tolist() == clone(model).fit(FRAME, y).predict(FRAME).tolist()
    copies = [pickle.loads(pickle.dumps(model))]
    copies.append(skops.io.loads(skops.io.dumps(model), trusted=TRUSTED_TYPES))
    for copy in copies:
        assert copy.predict(FRAME).tolist() == model.predict(FRAME).tolist()


def test_many_words_are_sparse_and_arrays_have_names() -> None:
    rng = np.random.default_rng(0)
    words = pd.DataFrame({"town": [f"T{i}" for i in rng.integers(0, 150, 900)]})
    assert TableEncoder().fit_transform(words).format == "csr"
    encoder = TableEncoder(clip=2).fit(np.array([[1.0], [2.0], [3.0], [1000.0]]))
    assert encoder.get_feature_names_out().tolist() == ["x0"]
    assert encoder.transform(np.array([[1000.0]])) == encoder.transform(np.array([[4.5]]))
