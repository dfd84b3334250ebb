"""Chess by the FIDE Laws of 2023: the usual start, set-up positions, and Chess960."""
