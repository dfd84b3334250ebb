"""Ratings that survive corrections: partitions of results, replayed through a model."""
