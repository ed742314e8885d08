"""Which rows and terms of a model do the data of a fit make, and the names of its columns?"""

from __future__ import annotations

from typing import Any

import numpy as np

from csvor._regression.fit import Fitting, scaled_rows
from csvor._regression.likelihood import Rows
from csvor._regression.raters import rater_columns
from csvor._regression.terms import Terms, column_positions
from csvor._utils.lazy import is_lazy


class Design:
    """From checked data and the parameters of an estimator to what is fitted."""

    link: str
    location: Any
    penalty: float
    n_features_in_: int

    def _fitting(self, data: Any, raters: Any) -> tuple[Fitting, int]:
        """Rows and terms of the model, with columns for the raters, if there are any."""
        rows, center, factor = scaled_rows(data)
        names = self._column_names()
        self._raters: list[str] = []
        if raters is not None:
            if is_lazy(rows.X):
                raise TypeError(
                    "raters of rows in partitions of dask: add a column for each rater but one to "
                    "X instead."
                )
            self._raters, contrasts = rater_columns(raters, data.codes.size)
            contrasts = contrasts[data.counted]
            rows = Rows(np.hstack([rows.X, contrasts]), rows.codes, rows.weights)
            center = np.concatenate([center, np.zeros(contrasts.shape[1])])
            factor = np.concatenate([factor, np.ones(contrasts.shape[1])])
            names += [f"rater.{name}" for name in self._raters[:-1]]
        nominal, scale = (self._columns(which) for which in ("nominal", "scale"))
        location = self._location(names, nominal, scale)
        classes = tuple(map(str, data.classes.tolist()))
        terms = Terms(tuple(names), classes, location, nominal, scale)
        _refuse_same_names(terms)
        mass = np.asarray(data.mass, dtype=np.float64)
        penalty = float(self.penalty)
        fitting = Fitting(rows, mass, terms, self.link, center, factor, penalty, data.counted)
        return fitting, int(rows.codes.shape[0])

    def _column_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _columns(self, which: str) -> tuple[int, ...]:
        """The positions of the columns that a parameter names."""
        return column_positions(which, getattr(self, which), self._column_names())

    def _location(
        self, names: list[str], nominal: tuple[int, ...], scale: tuple[int, ...]
    ) -> tuple[int, ...]:
        """The positions of the columns with one coefficient, those of the raters among them."""
        n, columns = self.n_features_in_, range(len(names))
        if self.location is None:
            return tuple(j for j in columns if j not in nominal)
        asked = set(self._columns("location")) - set(nominal)
        idle = [names[j] for j in range(n) if j not in asked | {*nominal, *scale}]
        if idle:
            raise ValueError(
                f"Column {idle[0]!r} of X is in none of location, nominal and scale: name it in "
                "one of them, or leave it out."
            )
        return tuple(j for j in columns if j in asked or j >= n)


def _refuse_same_names(terms: Terms) -> None:
    """A column may be called "1|2" or "wrong.any": then no name says which parameter is meant."""
    labels = terms.with_channels("any", "beside").labels
    double = next((name for i, name in enumerate(labels) if name in labels[:i]), None)
    if double is not None:
        raise ValueError(
            f"Two parameters of this model are called {double!r}: give columns of X other names."
        )
