"""SVORIM: each row meets all thresholds."""

from __future__ import annotations

from csvor._estimators.slack_sums import SlackSumClassifier


class SVORIM(SlackSumClassifier):
    r"""Support vector ordinal regression with implicit constraints.

    Minimises, over w and b, with :math:`\sigma_{ik} = 1` where :math:`y_i > k` and -1 elsewhere,

    .. math::

        \tfrac12 \|w\|^2 + C \sum_i s_i \sum_{k=1}^{K-1}
        \max(0, 1 - \sigma_{ik} (f_i - b_k)):

    each row meets all thresholds, which puts them in order.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the slacks against the penalty, > 0. ORCA and skordinal use the kernel
        ``x.z / n_features``: their C is ``n_features`` times this one.
    kernel : str or callable, default="linear"
        "linear", "rbf", "poly", "sigmoid", "cosine" or "precomputed"; "poly" is
        ``(gamma x.z + coef0)^degree``. A callable maps (X, Z) to an array of shape
        (n_X, n_Z); "precomputed" takes that array in place of X.
    gamma : {"scale", "auto"} or float, default="scale"
        Of rbf, poly and sigmoid, > 0; "scale" is ``1 / (n_features X.var())``, "auto"
        ``1 / n_features``.
    degree : float, default=3
        Of poly, >= 0.
    coef0 : float, default=1.0
        Of poly and sigmoid.
    n_components : int, default=None
        Landmark rows of a Nystroem approximation of the kernel, >= 1; None is exact, with work
        that grows with the cube of the rows.
    classes : array-like of shape (n_classes,), default=None
        The labels in their order, lowest first. Needed for words; numbers, numbers as text and
        ordered categoricals (pandas, polars ``Enum``) have an order of their own.
    class_weight : dict or "balanced", default=None
        Factors of the weights of a class's rows; "balanced" gives all classes the same sum.
    tol : float, default=1e-6
        Relative precision of the objective, >= 0.
    max_iter : int, default=1000
        Limit of Newton steps, >= 1.
    random_state : int, RandomState instance or None, default=None
        Decides the landmarks.
    verbose : int, default=0
        1 prints a line for each fit, 2 the objective of each stage too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels in their order, in the dtype given.
    coef_ : ndarray of shape (n_features,)
        The coefficients w; linear kernel only.
    dual_coef_ : ndarray of shape (n_landmarks,)
        ``f = k(X, X_fit_) dual_coef_``; other kernels only.
    X_fit_ : ndarray of shape (n_landmarks, n_features)
        The landmark rows, all training rows for an exact kernel.
    landmarks_ : ndarray of shape (n_landmarks,)
        Their positions at `fit`.
    gamma_ : float
        The gamma in use; kernels that have one.
    thresholds_ : ndarray of shape (n_classes - 1,)
        The thresholds b, not falling.
    outliers_ : ndarray of shape (n_samples,)
        True nowhere: this loss has no cap.
    residuals_ : ndarray of shape (n_samples,)
        Sum of slacks of each training row.
    slope_ : float
        The slope a of `predict_proba`, > 0; found when it is first asked for.
    cutpoints_ : ndarray of shape (n_classes - 1,)
        The cuts c of `predict_proba`, rising between classes with rows; -inf below the first of
        these, inf above the last. Found when they are first asked for.
    objective_ : float
        The objective at the end.
    objective_history_ : ndarray of shape (n_stages,)
        The objective after each stage of smoothing; where multipliers are used, the lowest so far
        after each Newton step; of rows in dask partitions, after each round over those near a kink.
    gap_ : float
        How far the convex problem at the end (what is cut, and slopes below p = 1, held) can be
        from its least value at most, relative to its value; nan where no bound was sought, inf
        where none was found: see the algorithm's page.
    n_iter_ : int
        Newton steps done, or rounds.
    converged_ : bool
        False where ``max_iter`` or rounding ended the fit.
    status_ : str
        Why the fit ended.
    n_features_in_ : int
        Number of columns seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, where X has text names.

    References
    ----------
    W. Chu, S. S. Keerthi, "Support Vector Ordinal Regression", Neural Computation 19(3), 2007,
    :doi:`10.1162/neco.2007.19.3.792`.

    Examples
    --------
    >>> import numpy as np
    >>> from csvor import SVORIM
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.repeat([1, 2, 3], 4)
    >>> SVORIM(C=10).fit(X, y).predict([[0.0], [5.0], [11.0]])
    array([1, 2, 3])
    """

    _constraints = "implicit"
