"""What can happen to a game, and the compact text in which the game item keeps it.

The log is the game's history and its version at once: a game of version n has exactly n events. An event is one
word of the log, `<what>@<when>`, `when` being ms since the game was created, in base 36:

    e2e4@1fflc0            a move; `e2e4~250@..` gave 250 ms of network time back
    d8h4!checkmate:b@..    a move that ended the game, and for whom
    Aw@..                  the invitation was accepted, the acceptor plays White
    Ow@.. Db@..            White offered a draw, Black declined it
    Eresignation:b:w@..    the game ended otherwise: reason, winner (`-` none), by whom (`-` nobody)
    Pillness:k7@.. Rillness:k8@..      paused, resumed, for a reason (percent-encoded)
    Gw:172800000:86400000:k7@..        a referee adjusted White's account: requested, applied, in ms
    Eadjudication:b:-:k7@..            a referee decided the game
    Bw:86400000:86400000:k7@..         a referee took an end on time back, White's account got this: requested, applied
    U12:k7@..                          a referee took back the act that made version 12
    Snight-3:14400000@..   the running turn was moved by so many ms for the maintenance window named

Moves start with a small letter or a digit, everything else with a capital one. The acts of a referee end with the key
of the act, if it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct

from chalicelib.core.sides import Side
from chalicelib.rules.referee import End


class Accepted(Struct, frozen=True):
    """An invitation was accepted and the clock released; `by` is the side the acceptor plays."""

    at_ms: int
    by: Side


class Moved(Struct, frozen=True):
    """A ply. `lag_ms` of its time was given back; `end` is set if the move ended the game."""

    at_ms: int
    move: str
    lag_ms: int = 0
    end: End | None = None


class DrawOffered(Struct, frozen=True):
    at_ms: int
    by: Side


class DrawDeclined(Struct, frozen=True):
    at_ms: int
    by: Side


class Ended(Struct, frozen=True):
    """The game ended by anything but a move; `by` is the side whose act it was, None for the clock or a referee.

    `key` names the act of a referee.
    """

    at_ms: int
    reason: str
    winner: Side | None
    by: Side | None = None
    key: str = ""


class Paused(Struct, frozen=True):
    at_ms: int
    reason: str
    key: str = ""


class Resumed(Struct, frozen=True):
    at_ms: int
    reason: str
    key: str = ""


class Adjusted(Struct, frozen=True):
    """A referee changed an account; amounts against the live balance, in ms. `key` names the act."""

    at_ms: int
    side: Side
    requested_ms: int
    applied_ms: int
    key: str = ""


class Reinstated(Struct, frozen=True):
    """A referee took an end on time back; amounts against what the side to move had left at that end, in ms."""

    at_ms: int
    side: Side
    requested_ms: int
    applied_ms: int
    key: str = ""


class Undone(Struct, frozen=True):
    """A referee took back an act of the desk: the event that made version `version`."""

    at_ms: int
    version: int
    key: str = ""


class Shifted(Struct, frozen=True):
    """A maintenance window was taken out of the running turn: `from_ms` to `at_ms` of window `window_id`."""

    at_ms: int
    window_id: str
    from_ms: int


_Act = Accepted | Moved | DrawOffered | DrawDeclined | Ended
_ClockAct = Paused | Resumed | Adjusted | Reinstated | Undone | Shifted
Event = _Act | _ClockAct
RefereesEvent = Ended | Paused | Resumed | Adjusted | Reinstated | Undone
"""What an act of a referee may be in the log; an end only if its reason is one of `BY_REFEREE`."""

BY_REFEREE: Final = frozenset({"adjudication", "annulled"})
"""Ends that a referee decided."""

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(number: int) -> str:
    sign, number = ("-", -number) if number < 0 else ("", number)
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if not number:
            return sign + text


def _letter(side: Side | None) -> str:
    return "-" if side is None else side.letter


def _side(letter: str) -> Side | None:
    return None if letter == "-" else Side.of_letter(letter)


def _word(text: str) -> str:
    return quote(text, safe="")


def _with_key(what: str, key: str) -> str:
    return f"{what}:{_word(key)}" if key else what


def write(event: Event, created_at_ms: int) -> str:
    """The word for an event.

    >>> write(Moved(1_000, "e2e4", lag_ms=5), created_at_ms=900)
    'e2e4~5@2s'
    >>> read("e2e4~5@2s", created_at_ms=900)
    Moved(at_ms=1000, move='e2e4', lag_ms=5, end=None)
    """
    what = _act(event) if isinstance(event, _Act) else _clock_act(event, created_at_ms)
    return f"{what}@{_base36(event.at_ms - created_at_ms)}"


def _act(event: _Act) -> str:
    match event:
        case Moved(_, move, lag_ms, end):
            lag = f"~{lag_ms}" if lag_ms else ""
            ending = f"!{end.reason}:{_letter(end.winner)}" if end else ""
            return f"{move}{lag}{ending}"
        case Accepted(_, by):
            return f"A{by.letter}"
        case DrawOffered(_, by):
            return f"O{by.letter}"
        case DrawDeclined(_, by):
            return f"D{by.letter}"
        case Ended(_, reason, winner, ended_by, key):
            return _with_key(f"E{reason}:{_letter(winner)}:{_letter(ended_by)}", key)


def _clock_act(event: _ClockAct, created_at_ms: int) -> str:
    match event:
        case Paused(_, reason, key):
            return _with_key(f"P{_word(reason)}", key)
        case Resumed(_, reason, key):
            return _with_key(f"R{_word(reason)}", key)
        case Adjusted(_, side, requested_ms, applied_ms, key):
            return _with_key(f"G{side.letter}:{requested_ms}:{applied_ms}", key)
        case Reinstated(_, side, requested_ms, applied_ms, key):
            return _with_key(f"B{side.letter}:{requested_ms}:{applied_ms}", key)
        case Undone(_, version, key):
            return _with_key(f"U{version}", key)
        case Shifted(_, window_id, from_ms):
            return f"S{_word(window_id)}:{_base36(from_ms - created_at_ms)}"


def _read_move(what: str, at_ms: int) -> Moved:
    body, _, ending = what.partition("!")
    move, _, lag = body.partition("~")
    if not ending:
        return Moved(at_ms, move, int(lag or 0))
    reason, winner = ending.split(":")
    return Moved(at_ms, move, int(lag or 0), End(reason, _side(winner)))


def _read_ended(what: str, at_ms: int, _created_at_ms: int) -> Ended:
    reason, winner, by, *key = what.split(":")
    return Ended(at_ms, reason, _side(winner), _side(by), _key(key))


def _read_paused(what: str, at_ms: int, _created_at_ms: int) -> Paused:
    reason, *key = what.split(":")
    return Paused(at_ms, unquote(reason), _key(key))


def _read_resumed(what: str, at_ms: int, _created_at_ms: int) -> Resumed:
    reason, *key = what.split(":")
    return Resumed(at_ms, unquote(reason), _key(key))


def _read_adjusted(what: str, at_ms: int, _created_at_ms: int) -> Adjusted:
    side, requested, applied, *key = what.split(":")
    return Adjusted(at_ms, Side.of_letter(side), int(requested), int(applied), _key(key))


def _read_reinstated(what: str, at_ms: int, _created_at_ms: int) -> Reinstated:
    side, requested, applied, *key = what.split(":")
    return Reinstated(at_ms, Side.of_letter(side), int(requested), int(applied), _key(key))


def _read_undone(what: str, at_ms: int, _created_at_ms: int) -> Undone:
    version, *key = what.split(":")
    return Undone(at_ms, int(version), _key(key))


def _key(words: list[str]) -> str:
    return unquote("".join(words))


def _read_shifted(what: str, at_ms: int, created_at_ms: int) -> Shifted:
    window, from_offset = what.split(":")
    return Shifted(at_ms, unquote(window), created_at_ms + int(from_offset, 36))


_READERS: Final[dict[str, Callable[[str, int, int], Event]]] = {
    "A": lambda what, at_ms, _: Accepted(at_ms, Side.of_letter(what)),
    "O": lambda what, at_ms, _: DrawOffered(at_ms, Side.of_letter(what)),
    "D": lambda what, at_ms, _: DrawDeclined(at_ms, Side.of_letter(what)),
    "E": _read_ended,
    "P": _read_paused,
    "R": _read_resumed,
    "G": _read_adjusted,
    "B": _read_reinstated,
    "U": _read_undone,
    "S": _read_shifted,
}


def read(word: str, created_at_ms: int) -> Event:
    """The event of a word; raises ValueError or KeyError for what `write` never wrote."""
    what, separator, when = word.rpartition("@")
    if not separator or not what:
        raise ValueError(f"not an event: {word!r}")
    at_ms = created_at_ms + int(when, 36)
    if not what[0].isupper():
        return _read_move(what, at_ms)
    return _READERS[what[0]](what[1:], at_ms, created_at_ms)


class Log(Struct, frozen=True):
    """The events of a game as text, parsed only when somebody looks.

    A move appends one word to a text of any length; nothing else of the history is touched.

    >>> log = Log(created_at_ms=900).plus(Moved(1_000, "e2e4")).plus(DrawOffered(1_001, Side.WHITE))
    >>> log.text, len(log)
    ('e2e4@2s Ow@2t', 2)
    """

    created_at_ms: int
    text: str = ""

    def __len__(self) -> int:
        return self.text.count("@")

    def __iter__(self) -> Iterator[Event]:
        return (read(word, self.created_at_ms) for word in self.text.split())

    def backwards(self) -> Iterator[Event]:
        """The events, latest first; those that nobody looks at are not parsed, nor even cut out of the text."""
        rest = self.text
        while rest:
            rest, _, word = rest.rpartition(" ")
            yield read(word, self.created_at_ms)

    def event(self, version: int) -> Event:
        """The event that made a version of the game, from 1."""
        return read(self.text.split(" ")[version - 1], self.created_at_ms)

    def until(self, version: int) -> Log:
        """The log as it was when the game had this version."""
        return Log(self.created_at_ms, " ".join(self.text.split(" ")[:version]))

    def plus(self, event: Event) -> Log:
        word = write(event, self.created_at_ms)
        return Log(self.created_at_ms, f"{self.text} {word}" if self.text else word)
