"""The lines that `run` prints, to be pasted into another terminal: a game's first move by hand."""

from __future__ import annotations

_LINES = """\
token() { curl -s $URL/token -d "{\\"player\\": \\"$1\\"}" | sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/'; }
""".splitlines()


def walkthrough(url: str) -> str:
    """Shell lines, indented, for the front door at `url`."""
    return "\n".join(f"  {line}" for line in [f"URL={url}", *_LINES])
