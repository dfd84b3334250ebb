"""The referee's desk: who may act on games, and what they did."""
