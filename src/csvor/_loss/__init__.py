"""Given its score, what does a row add? Per-row numbers; nothing here sees X."""
