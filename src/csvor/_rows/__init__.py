"""Where the n-sized things live, and what is asked of them; nothing else knows what X is."""
