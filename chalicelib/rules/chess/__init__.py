"""Chess: standard, set-up positions, Chess960."""
