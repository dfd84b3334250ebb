"""The first call in a fresh process: reads a function, an event and a stored game as JSON, prints the CPU in seconds.

Only what the app imports is loaded before the call, so that the call pays for what the import left for later.
"""

from __future__ import annotations

import json
import sys
import time
from http import HTTPStatus

import app
from bench.memory import MemoryTable, answer_from
from chalicelib.games import worker

functions = {"move": app.app, "flagfall": worker.flagfall}
given = json.load(sys.stdin)
memory = MemoryTable()
memory.item = given["item"]
answer_from(memory)
figures, sys.stdout = sys.stdout, sys.stderr
started = time.process_time()
answer = functions[given["function"]](given["event"], None)
spent = time.process_time() - started - memory.inside
if answer.get("statusCode", HTTPStatus.OK) != HTTPStatus.OK:
    raise RuntimeError(str(answer))
print(spent, file=figures)
