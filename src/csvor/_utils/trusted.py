"""Which types does a fitted model of csvor hold, beside those of scikit-learn?"""

# They hold numbers and names, and loading them runs nothing else: for the `trusted` of skops.
TRUSTED_TYPES = [
    "csvor.CSVOR",
    "csvor.PINSVOR",
    "csvor.REDSVM",
    "csvor.SVOREX",
    "csvor.SVORIM",
    "csvor._data.kernels.Kernel",
    "csvor._estimators.probability.Calibration",
    "csvor._regression.estimator.OrdinalRegression",
    "csvor._regression.likelihood.Model",
    "csvor._regression.terms.Terms",
    "csvor.preprocessing.MedianClipper",
    "csvor.preprocessing.TableEncoder",
    # An imputer of scikit-learn keeps the type of its column, a kernel its sparse landmarks.
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
]
