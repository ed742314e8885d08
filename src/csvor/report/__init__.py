"""Pages to read: of audits, with suspects to review, and of a study, from its results."""

from csvor.report.audit._page import write_audit_report
from csvor.report.audit._ratings import write_raters_report
from csvor.report.study._published import compare_published, published_results
from csvor.report.study._write import write_report

__all__ = [
    "compare_published",
    "published_results",
    "write_audit_report",
    "write_raters_report",
    "write_report",
]
