"""The objective in theta: the only room that knows both rows and solver."""
