"""Zeitnot: the backend of correspondence and turn-based games. Registers blueprints, nothing else."""

from __future__ import annotations

from chalice.app import Chalice

from chalicelib.catalogue import ENDPOINTS
from chalicelib.games import worker

app = Chalice(app_name="zeitnot")
for endpoints in ENDPOINTS:
    app.register_blueprint(endpoints.blueprint)
app.register_blueprint(worker.blueprint)
