"""Clubs: their members, guests, events and seasons."""
