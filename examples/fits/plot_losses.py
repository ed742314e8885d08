"""
What does a row cost?
=====================

The loss of CSVOR is a power of what a row lacks of its margin, but never more than a cap: a row
that is far on the wrong side costs no more than one that is just beyond the cap, so it no longer
pulls. Hinge, squared hinge and pinball loss have no cap.
"""

from csvor.plots import loss_plot

loss_plot((0.5, 1.0, 1.5, 2.0), epsilon=1.5)
