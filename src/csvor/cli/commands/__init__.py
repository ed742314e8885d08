"""What each command does, and which options it has."""
