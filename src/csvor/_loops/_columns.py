"""Sums over the columns of many rows."""

from csvor._utils.compile import compiled


@compiled()
def add_spans(X, weights, middle, low, high, sums, squares):
    """Lower ``low``, raise ``high``, add weighted sums and squares of ``X - middle``."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            value = X[i, j]
            low[j] = min(low[j], value)
            high[j] = max(high[j], value)
            off = value - middle[j]
            sums[j] += weights[i] * off
            squares[j] += weights[i] * off * off
