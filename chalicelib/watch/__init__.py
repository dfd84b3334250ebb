"""The watch over the scan: a heartbeat, and what a silence means for the clocks."""
