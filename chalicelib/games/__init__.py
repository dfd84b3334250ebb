"""A game from challenge to flag: aggregate, decisions, store, API, workers."""
