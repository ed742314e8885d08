"""What is wrong with data, or worth a note, and how it is said."""
