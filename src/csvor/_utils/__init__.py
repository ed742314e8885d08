"""What a program needs that is not about ordered labels."""
