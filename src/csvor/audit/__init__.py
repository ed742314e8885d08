"""Which labels of a data set are wrong, and how many?"""

from csvor._decisions import Decision
from csvor.audit._applied import AppliedDecisions
from csvor.audit._candidate import Candidate
from csvor.audit._candidates import candidate_models
from csvor.audit._expected_errors import ExpectedErrors
from csvor.audit._label_audit import LabelAudit
from csvor.audit._labels import audit_labels
from csvor.audit._rater_table import RaterTable
from csvor.audit._raters import audit_raters
from csvor.audit._raters_audit import RatersAudit
from csvor.audit._scores import audit_scores
from csvor.audit._share_entries import SharesByValue
from csvor.audit._wrong_labels import WrongLabels

__all__ = [
    "AppliedDecisions",
    "Candidate",
    "Decision",
    "ExpectedErrors",
    "LabelAudit",
    "RaterTable",
    "RatersAudit",
    "SharesByValue",
    "WrongLabels",
    "audit_labels",
    "audit_raters",
    "audit_scores",
    "candidate_models",
]

# The name that users import is not where the code lies.
for _public in (LabelAudit, RatersAudit, WrongLabels, audit_labels, audit_raters, audit_scores):
    _public.__module__ = "csvor"
AppliedDecisions.__module__ = Decision.__module__ = "csvor.audit"
Candidate.__module__ = ExpectedErrors.__module__ = "csvor.audit"
candidate_models.__module__ = "csvor.audit"
RaterTable.__module__ = SharesByValue.__module__ = "csvor.audit"
