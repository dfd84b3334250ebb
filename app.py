"""Zeitnot: the backend of correspondence and turn-based games. Registers blueprints, nothing else."""

from __future__ import annotations

from chalice.app import Chalice

from chalicelib.games import api, invitation_api, pairing_api, worker

app = Chalice(app_name="zeitnot")
for endpoints in (api.endpoints, invitation_api.endpoints, pairing_api.endpoints):
    app.register_blueprint(endpoints.blueprint)
app.register_blueprint(worker.blueprint)
