"""What comes in: are the data fit for use, and in which basis is the score linear?"""
