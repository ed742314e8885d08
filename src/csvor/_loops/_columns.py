"""Sums over the columns of many rows."""

from csvor._loops._compile import compiled



@compiled()
def add_spans(X, weights, low, high, sums):
    """Lower ``low``, raise ``high`` and add the weighted sums of the columns of X."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            value = X[i, j]
            low[j] = min(low[j], value)
            high[j] = max(high[j], value)
            sums[j] += weights[i] * value


@compiled()
def add_squares(X, weights, center, squares):
    """Add the weighted squares of the columns of ``X - center``."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            squares[j] += weights[i] * (X[i, j] - center[j]) ** 2
