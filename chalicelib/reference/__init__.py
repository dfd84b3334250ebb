"""What clients look up: time, time controls, rules in three languages, and the description of the API itself."""
