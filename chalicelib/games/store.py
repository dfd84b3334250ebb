"""Games in DynamoDB: one item a game, one conditional write a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pynamodb.connection import Connection
from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Conflict, Contention, update
from chalicelib.games.item import SHARDS, GameItem, changes, game_of, item_of
from chalicelib.games.model import Game
from chalicelib.games.rows import LOBBY, PlayerGameItem, running_entry

Addition = Callable[[TransactWrite], None]
"""Adds requests to a transaction."""


class UnknownGame(LookupError):
    """There is no game with this id."""


class AlreadyCreated(Exception):
    """A game with this id exists; `game` is it."""

    def __init__(self, game: Game) -> None:
        super().__init__(game.id)
        self.game = game


class Stale(Exception):
    """The game has moved on; `current` is how it stands."""

    def __init__(self, current: Game) -> None:
        super().__init__(current.id)
        self.current = current


def load(game_id: str) -> Game:
    """The game, by a strongly consistent read. Raises UnknownGame."""
    try:
        return game_of(GameItem.get(game_id, consistent_read=True))
    except GameItem.DoesNotExist as error:
        raise UnknownGame(game_id) from error


def load_many(game_ids: Iterable[str]) -> list[Game]:
    """The games of these ids, in the order given; ids without a game are left out."""
    wanted = list(dict.fromkeys(game_ids))
    found = {item.id: game_of(item) for item in GameItem.batch_get(wanted, consistent_read=True)}
    return [found[game_id] for game_id in wanted if game_id in found]


def walk() -> Iterator[tuple[Game, tuple[str, int] | None]]:
    """Every game of the store, in no order, with what its item shows in the deadline index; for checks."""
    for item in GameItem.scan(consistent_read=True):
        values = item.attribute_values
        yield game_of(item), (values["shard"], int(values["deadline_ms"])) if "shard" in values else None


def due_before(stage: str, until_ms: int) -> Iterator[tuple[str, int]]:
    """Ids and index times of stage RUNNING, PAUSED or ENDED up to `until_ms`: hints, no more."""
    for number in range(SHARDS):
        yield from due_in_shard(stage, number, until_ms)


def due_in_shard(stage: str, number: int, until_ms: int) -> Iterator[tuple[str, int]]:
    """As `due_before`, for one of the SHARDS partitions of a stage."""
    for item in GameItem.deadline.query(f"{stage}{number}", GameItem.deadline_ms <= until_ms):
        yield item.id, int(item.deadline_ms or 0)


def latest_in_shard(stage: str, number: int, after: tuple[str, int] | None, limit: int) -> list[tuple[str, int]]:
    """Up to `limit` hints of a partition, the latest index time first, that come after the hint `after`."""
    partition = f"{stage}{number}"
    start = after and {"id": {"S": after[0]}, "shard": {"S": partition}, "deadline_ms": {"N": str(after[1])}}
    found = GameItem.deadline.query(partition, scan_index_forward=False, last_evaluated_key=start, limit=limit)
    return [(item.id, int(item.deadline_ms or 0)) for item in found]


def count_in_shard(stage: str, number: int) -> int:
    """How many hints there are in a partition of the index."""
    return int(GameItem.deadline.count(f"{stage}{number}"))


def create(games: list[Game], rows: list[tuple[str, str]]) -> None:
    """Store new games with their list rows, all or none. Raises AlreadyCreated with the first that exists.

    `rows` are pairs (player, game id).
    """
    try:
        with TransactWrite(connection=_connection()) as transaction:
            for game in games:
                transaction.save(item_of(game), condition=GameItem.id.does_not_exist())
            for player, game_id in rows:
                transaction.save(PlayerGameItem(player, running_entry(game_id)))
    except TransactWriteError as error:
        existing = load_many(game.id for game in games)
        if existing:
            raise AlreadyCreated(existing[0]) from error
        raise


def commit(before: Game, after: Game, seat: str | None = None, also: Addition | None = None) -> None:
    """Store `after` where `before` stands: one conditional write. Raises Stale with the game as it is stored.

    `seat`: a player who takes an open seat with this change and needs a list row. `also` adds to the change what must
    not be stored without it; game, row and additions are then written in one transaction.
    """
    item, changed = GameItem(before.id), changes(before, after)
    condition = (GameItem.version == before.version) & (GameItem.id == before.id)
    additions = [addition for addition in (also, _seat_taken(before.id, seat) if seat else None) if addition]
    if additions:
        _commit_with(additions, item, changed, condition)
        return
    try:
        update(item, changed, condition)
    except Contention as contention:
        raise Stale(load(before.id)) from contention
    except Conflict as conflict:
        if not isinstance(conflict.current, GameItem):
            raise UnknownGame(before.id) from conflict
        raise Stale(game_of(conflict.current)) from conflict


def _seat_taken(game_id: str, player: str) -> Addition:
    def add(transaction: TransactWrite) -> None:
        transaction.save(PlayerGameItem(player, running_entry(game_id)))
        transaction.delete(PlayerGameItem(LOBBY, running_entry(game_id)))

    return add


def _commit_with(additions: list[Addition], item: GameItem, changed: list[Action], condition: Condition) -> None:
    """A transaction that was cancelled may have been stored before, its answer lost: the game as stored tells."""
    try:
        with TransactWrite(connection=_connection()) as transaction:
            transaction.update(item, actions=changed, condition=condition)
            for add in additions:
                add(transaction)
    except TransactWriteError as error:
        if error.cause_response_code != "TransactionCanceledException":
            raise
        raise Stale(load(item.id)) from error


def leave_index(game: Game) -> Game | None:
    """Take an ended game out of the index: its fan-out is done. Harmless when repeated.

    Returns the game as it is stored if it has moved on meanwhile: a referee may take an end back.
    """
    item = GameItem(game.id)
    actions: list[Action] = [GameItem.shard.remove(), GameItem.deadline_ms.remove()]
    try:
        update(item, actions, (GameItem.version == game.version) & GameItem.shard.exists())
    except Contention:
        return load(game.id)
    except Conflict as conflict:
        if isinstance(conflict.current, GameItem):
            return game_of(conflict.current)
    return None


def _connection() -> Connection:
    """A connection for transactions: any table's will do, and that of the games is there."""
    return GameItem._get_connection().connection
