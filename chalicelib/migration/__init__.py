"""Live migration: games of another platform with rigid profiles, taken over in the middle of play. Pure.

`rows` reads a legacy export, `shadow` says what the clock here would say of its games, `takeover` makes them games here
and lets them catch up, `back` writes them in the legacy format again. The commands are in `infra.migrate`; the way
through them is in `docs/migration.md`.
"""
