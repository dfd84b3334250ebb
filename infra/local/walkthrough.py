"""The lines that `run` prints, to be pasted into another terminal: the first move of a game, by hand."""

from __future__ import annotations

_LINES = r"""
token() { curl -s $URL/token -d "{\"player\": \"$1\"}" | sed 's/.*"access_token": *"\([^"]*\)".*/\1/'; }
A="Authorization: Bearer $(token anna)"; B="Authorization: Bearer $(token bert)"; K="Idempotency-Key: $(date +%s)"
GAME=$(curl -s $URL/v1/challenges -H "$A" -H "$K" -d '{"opponent": "bert", "profile": "30-30-1", "colour": "white"}' |
  sed 's/^{"id": *"\([^"]*\)".*/\1/')
curl -s -X POST $URL/v1/challenges/$GAME/accept -H "$B"; echo
curl -s $URL/v1/games/$GAME/moves -H "$A" -d '{"ply": 0, "move": "e2e4"}'; echo
curl -s $URL/v1/games/$GAME -H "$B"; echo
"""


def walkthrough(url: str) -> str:
    """Shell lines for the front door at `url`."""
    return f"URL={url}{_LINES}"
