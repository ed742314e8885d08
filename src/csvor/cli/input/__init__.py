"""How files and options become features and labels."""
