"""The page of an audit: the answer, and the suspects to review."""
