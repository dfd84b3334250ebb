"""How often a position has occurred: one 8-byte key for each position since the last irreversible ply.

Two positions are the same when the same side is to move, every piece stands on the same square, and castling and en
passant rights are the same (FIDE Laws 9.2.3); en passant counts only where such a capture is legal. A key is a digest
of exactly that. At most 151 keys are ever kept: the 75-move rule ends what no capture or pawn move interrupts.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

KEY_BYTES: Final = 8
_SAME_SIDE: Final = 2 * KEY_BYTES


def key_of(notation: str) -> bytes:
    """The key of a position, from its FEN by `notation_of`: everything but the two clocks.

    >>> key_of("8/8/8/8/8/8/8/8 w - - 0 1") == key_of("8/8/8/8/8/8/8/8 w - - 7 30")
    True
    """
    return blake2b(notation.rsplit(" ", 2)[0].encode("ascii"), digest_size=KEY_BYTES).digest()


def extended(before: bytes, notation: str, *, is_irreversible: bool) -> bytes:
    """The keys after a ply that led to `notation`; an irreversible ply forgets all earlier ones."""
    return key_of(notation) if is_irreversible else before + key_of(notation)


def occurrences(keys: bytes) -> int:
    """How often the last of the positions has occurred, itself included; 0 without positions.

    >>> occurrences(b"position" + b"another." + b"position")
    2
    """
    last = keys[-KEY_BYTES:]
    # The same position has the same side to move, so only every second key can be equal.
    return sum(keys[at : at + KEY_BYTES] == last for at in range(len(keys) - KEY_BYTES, -1, -_SAME_SIDE))
