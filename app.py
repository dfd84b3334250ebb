"""Zeitnot: the backend of correspondence and turn-based games. Registers blueprints, nothing else."""

from __future__ import annotations

from chalice.app import Chalice

from chalicelib import recomputing
from chalicelib.catalogue import ENDPOINTS
from chalicelib.desk import worker as desk
from chalicelib.games import worker as games
from chalicelib.ratings import worker as ratings

app = Chalice(app_name="zeitnot")
for endpoints in ENDPOINTS:
    app.register_blueprint(endpoints.blueprint)
for functions in (games, desk, ratings, recomputing):
    app.register_blueprint(functions.blueprint)
