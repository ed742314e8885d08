"""How are the feature columns of a table encoded for a linear score?"""

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from csvor._tables.features import FeatureColumns
from csvor.preprocessing._median_clipper import MedianClipper


def make_pipeline(
    features: FeatureColumns, model: Any, *, impute: bool, clip: float | None
) -> Pipeline:
    """Encoding and `model` in one, so that each training part is encoded by itself."""
    columns = encoder_of(features, impute=impute, clip=clip)
    return Pipeline([("columns", columns), ("model", model)])


def encoder_of(features: FeatureColumns, *, impute: bool, clip: float | None) -> ColumnTransformer:
    """Numbers standardised, words as indicators, of a frame that `choose_features` made."""
    numbers: list[tuple[str, Any]] = []
    if impute:
        numbers.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
    if clip is not None:
        numbers.append(("clip", MedianClipper(spreads=clip)))
    numbers.append(("scale", StandardScaler()))
    # By where they stand: names are looked for one by one, too slow for 60 000 columns (N75).
    n, parts = len(features.numeric), []
    if features.numeric:
        parts.append(("numbers", Pipeline(numbers), slice(n)))
    if features.categorical:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=features.are_sparse)
        parts.append(("categories", encoder, slice(n, None)))
    # What is sparse stays so, however few of the levels a part of the rows has.
    return ColumnTransformer(parts, sparse_threshold=1.0 if features.are_sparse else 0.3)
