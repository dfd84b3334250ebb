"""Time controls by name: those of the source, any rigid one, and those that operators add; some are retired."""
