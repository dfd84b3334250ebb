"""What every slice stands on: sides, time, ids, problems, settings, identity, endpoints."""
