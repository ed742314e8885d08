"""Which labels of a data set are wrong, and how many?"""

from csvor.audit._labels import LabelAudit, audit_labels
from csvor.audit._scores import WrongLabels, audit_scores

__all__ = ["LabelAudit", "WrongLabels", "audit_labels", "audit_scores"]

# The name that users import is not where the code lies.
for _public in (LabelAudit, WrongLabels, audit_labels, audit_scores):
    _public.__module__ = "csvor"
