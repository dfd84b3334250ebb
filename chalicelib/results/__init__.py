"""Results of clubs: what a recorder entered, its corrections, and what they mean for the ratings."""
