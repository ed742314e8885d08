"""The report of a study: tables, pictures and what they say."""
