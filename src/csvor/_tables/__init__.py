"""How does a table of typed columns become labels and features?"""
