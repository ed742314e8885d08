"""
Where do wrong rows pull a model?
=================================

Three classes lie along the diagonal. Twenty rows beyond the highest class carry the label of the
lowest one. The right direction is (1, 1); the dashed models turn towards the wrong rows.
"""

import numpy as np

from csvor import CSVOR, SVOREX, SVORIM
from csvor.datasets import make_ordinal_clusters
from csvor.plots import projection_plot

X, y, outlier = make_ordinal_clusters(n_outliers=20, distance=8, random_state=0)
models = {"CSVOR": CSVOR(), "SVOREX": SVOREX(), "SVORIM": SVORIM()}
directions = {name: model.fit(X, y).coef_ for name, model in models.items()}
for name, w in directions.items():
    off = np.degrees(np.arctan2(w[1], w[0])) - 45
    print(f"{name}: {off:+.0f} degrees off")

# %%
# Each line is the direction on which a model projects the rows, its marker on the side of the
# higher classes.

projection_plot(X, y, outliers=outlier, directions=directions)
