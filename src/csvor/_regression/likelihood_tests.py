"""Which model do the rows prefer: one with more effects, or one with fewer?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from csvor._regression.brant import separate_coefficients, wald
from csvor._regression.changes import refitted, with_nominal, with_scale, without
from csvor._regression.fit import Fitting
from csvor._regression.kept import Kept
from csvor._regression.terms import Terms, column_positions

TermColumns = Mapping[str, Any] | None


class LikelihoodTests(Kept):
    """Tests of a fitted model against one with more effects, or with fewer."""

    def nominal_test(self, terms: TermColumns = None) -> pd.DataFrame:
        r"""Has a column an effect of its own on each threshold? ``nominal_test`` of R's clm.

        .. math::

            2 (\ell(\text{with } g_1, \dots, g_{K-1}) - \ell(\text{with } b)) \sim
            \chi^2_{K-2}

        Parameters
        ----------
        terms : mapping of str to columns, default=None
            Columns that are tested together, such as those of a factor: names or positions by the
            name of the term. By default each column alone, and after `csvor.formula.clm` the
            terms of the formula.

        Returns
        -------
        table : DataFrame
            Of the fitted model ("<none>") and of each term that is not nominal yet: ``df``,
            ``log_likelihood``, ``aic``, ``statistic``, ``p``. A share of wrong labels that was
            found is in all of them, and estimated anew.

        Raises
        ------
        ValueError
            If the model has a penalty, or was stored and has no training rows.

        Notes
        -----
        Where a threshold of the larger model has no end, its log-likelihood is the limit.

        Examples
        --------
        >>> import numpy as np
        >>> from csvor import OrdinalRegression
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> y = np.digitize(X[:, 0] + rng.logistic(size=300), [-1.0, 1.0])
        >>> OrdinalRegression(wrong=0).fit(X, y).nominal_test()["p"].round(2)
        term
        <none>     NaN
        x0        0.66
        x1        0.68
        Name: p, dtype: float64
        """
        return self._tested(self._term_positions(terms).items(), with_nominal)

    def scale_test(self, terms: TermColumns = None) -> pd.DataFrame:
        r"""Does a column change the spread? ``scale_test`` of R's clm.

        .. math::

            2 (\ell(\text{with } e^{s^T t}) - \ell(\text{with } t = 0)) \sim \chi^2_1

        Parameters
        ----------
        terms : mapping of str to columns, default=None
            As of `nominal_test`.

        Returns
        -------
        table : DataFrame
            As of `nominal_test`, of the terms that have no effect on the scale yet.

        Raises
        ------
        ValueError
            If the model has a penalty, or was stored and has no training rows.
        """
        return self._tested(self._term_positions(terms).items(), with_scale)

    def drop1(self, terms: TermColumns = None) -> pd.DataFrame:
        r"""Is a column needed at all? ``drop1(test="Chisq")`` of R.

        .. math::

            2 (\ell - \ell(\text{without the column})) \sim \chi^2

        Parameters
        ----------
        terms : mapping of str to columns, default=None
            As of `nominal_test`; raters are a term as well. A term that is part of an interaction
            ("a" beside "a:b") stays.

        Returns
        -------
        table : DataFrame
            As of `nominal_test`: of the model without any effect of the term, nominal and scale
            effects among them.

        Raises
        ------
        ValueError
            If the model has a penalty, or was stored and has no training rows.
        """
        positions = self._term_positions(terms)
        parts = {name: set(name.split(":")) for name in positions}
        marginal = [
            (name, columns)
            for name, columns in positions.items()
            if not any(parts[name] < parts[other] for other in positions)
        ]
        raters = tuple(range(self.n_features_in_, len(self._training.terms.names)))
        if raters and terms is None:
            marginal.append(("raters", raters))
        return self._tested(marginal, without)

    def proportional_odds_test(
        self, method: str = "likelihood", terms: TermColumns = None
    ) -> pd.DataFrame:
        r"""Is one coefficient of a column enough for all thresholds: of each column, and of all?

        .. math::

            (D b)^T (D V D^T)^{-1} D b \sim \chi^2, \quad
            V_{km} = J_k^{-1} \Big(\sum_i w_i \, P(y_i > m) P(y_i \le k) \, x_i x_i^T\Big)
            J_m^{-1}, \; k \le m,

        is Brant's statistic, with b of logistic regressions at each threshold, their
        informations J, and the differences D from the first one.

        Parameters
        ----------
        method : {"likelihood", "brant"}, default="likelihood"
            The likelihood ratio of `nominal_test`, in which a share of wrong labels stays; or
            Brant's test, of a model with the logit link that has no wrong labels.
        terms : mapping of str to columns, default=None
            As of `nominal_test`.

        Returns
        -------
        table : DataFrame
            Of each term, and of "all": ``statistic``, ``df``, ``p``.

        Raises
        ------
        ValueError
            If there are two classes, or the model has a penalty, or was stored and has no
            training rows; with "brant" if the link is not logit, labels are wrong, or columns
            are nominal or on the scale.
        SeparationError
            With "brant", if a column separates the rows above and below a threshold.

        References
        ----------
        R. Brant, "Assessing Proportionality in the Proportional Odds Model for Ordinal Logistic
        Regression", Biometrics 46(4), 1990, :doi:`10.2307/2532457`.
        """
        if method not in ("likelihood", "brant"):
            raise ValueError(f"method must be 'likelihood' or 'brant', got {method!r}.")
        fitting, positions = self._unpenalised, self._term_positions(terms)
        if fitting.terms.n_cuts == 1:
            raise ValueError("Of two classes there is one threshold: nothing can differ from it.")
        together = dict.fromkeys(column for columns in positions.values() for column in columns)
        lines = [*positions.items(), ("all", tuple(together))]
        if method == "likelihood":
            table = self._tested(lines, with_nominal).iloc[1:]
            return table[["statistic", "df", "p"]]
        self._refuse_brant()
        coef, covariance = separate_coefficients(fitting)
        order = fitting.terms.location
        figures = [
            wald(coef, covariance, [order.index(j) for j in columns if j in order])
            for _, columns in lines
        ]
        names = [name for name, _ in lines]
        return _p_values(pd.DataFrame(figures, index=names, columns=["statistic", "df"]))

    def _refuse_brant(self) -> None:
        link = self._model.link
        if link != "logit":
            raise ValueError(
                f"Brant's test is of the logit link, and this model has {link}: ask for "
                "method='likelihood'."
            )
        if self.wrong_share_ > 0.0:
            raise ValueError(
                f"{self.wrong_share_:.1%} of the labels are wrong, which alone bends the odds that "
                "Brant's test compares: ask for method='likelihood', in which they stay."
            )
        if self._model.terms.nominal or self._model.terms.scale:
            raise ValueError(
                "Brant's test is of a model without nominal and scale effects: ask for "
                "method='likelihood'."
            )

    @property
    def _unpenalised(self) -> Fitting:
        if self._training.penalty:
            raise ValueError(
                "A likelihood ratio of penalised estimates has no known distribution: fit the "
                "model with penalty=0."
            )
        return self._training

    def _term_positions(self, terms: TermColumns) -> dict[str, tuple[int, ...]]:
        """The columns of each term: as asked for, of the formula, or each column alone."""
        names = self._training.terms.names
        if terms is None:
            terms = getattr(self, "_term_columns", None)
        if terms is None:
            return {names[j]: (j,) for j in range(self.n_features_in_)}
        return {name: column_positions("terms", terms[name], names) for name in terms}

    def _tested(
        self,
        positions: Iterable[tuple[str, tuple[int, ...]]],
        change: Callable[[Terms, tuple[int, ...]], Terms],
    ) -> pd.DataFrame:
        """The fitted model beside one that is changed by each term."""
        fitting, best = self._unpenalised, self._likelihoods.best
        terms = best.model.terms
        names, lines = ["<none>"], [(np.nan, best.value, np.nan)]
        for name, columns in positions:
            other = change(terms, columns)
            if other == terms:
                continue
            end = refitted(fitting, best, other, self._share_known)
            names.append(name)
            lines.append((other.size - terms.size, end.value, 2.0 * (end.value - best.value)))
        table = pd.DataFrame(lines, index=names, columns=["change", "log_likelihood", "statistic"])
        n_parameters = self.n_parameters_ + table["change"].fillna(0.0)
        table["aic"] = 2.0 * n_parameters - 2.0 * table["log_likelihood"]
        table["df"] = table["change"].abs()
        table["statistic"] = (table["statistic"] * np.sign(table["change"])).clip(lower=0.0)
        return _p_values(table[["df", "log_likelihood", "aic", "statistic"]].copy())


def _p_values(table: pd.DataFrame) -> pd.DataFrame:
    table["p"] = chi2.sf(table["statistic"], table["df"])
    table.index.name = "term"
    return table
