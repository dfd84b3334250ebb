"""`import FILE`: enter many results at once, straight into the stack's tables.

Everything is checked first; if anything is wrong, all of it is listed and nothing is entered. What is there already is
passed over, so an import that was cut short is simply run again.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace
from tqdm import tqdm

from chalicelib.clubs.bodies import Name
from chalicelib.clubs.days import day, zone
from chalicelib.clubs.model import InvalidDate, UnknownTimeZone
from chalicelib.core.identity import PLAYER_ID
from infra.local.results_file import Fault, Row, read, text_of, with_scopes
from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from chalicelib.clubs.model import Event, Season, Seasons
    from chalicelib.ratings.model import Change, Partition
    from chalicelib.results.model import Result
    from infra.local import Commands

Key = TypeVar("Key", bound=Hashable)
Scope = TypeVar("Scope")

_FAULTS_SHOWN: Final = 100
_SHOWN: Final = 40
_PATIENCE_SECONDS: Final = 60
"""How long the engine may take for an answer: nobody waits for it at a door, and it may be busy with ratings."""

_POLL_SECONDS: Final = 0.5


class Wishes(Struct, frozen=True):
    """What the command line says. `club` is where results are whose row names none."""

    club: str
    creates_clubs: bool
    creates_members: bool
    admin: str
    time_zone: str

    @property
    def creates_scopes(self) -> bool:
        return self.creates_clubs or self.creates_members


class Plan(Struct):
    """What an import is going to do. `clubs` are names by id, `members` ids by club; what is `standing` is passed over.

    Members who are that already are among them: a former run may have been cut short.
    """

    results: list[Result] = field(default_factory=list)
    standing: list[Result] = field(default_factory=list)
    clubs: dict[str, str] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    seasons: dict[tuple[str, str], Season] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


class NoSuchScope(Exception):
    """A row names a club, an event or a season that it cannot."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field


def register(commands: Commands) -> None:
    parser = commands.add_parser("import", help="enter the results of a file: CSV or JSON lines, gzip or not")
    parser.add_argument("file", type=Path, help="columns: id,timestamp,a1,a2,b1,b2,winner or player_a,player_b,score_a")
    parser.add_argument("--club", default="", help="club of rows that name none: id, or name if an import created it")
    parser.add_argument("--scopes", type=Path, help="CSV beside it: id,club,event,season,exclude_from_rating")
    parser.add_argument(
        "--create-clubs", action="store_true", help="create the clubs, events and seasons that are named"
    )
    parser.add_argument("--create-members", action="store_true", help="the same, and make players members of them")
    parser.add_argument(
        "--admin", default="importer", type=_player, help="first admin of clubs that are created (%(default)s)"
    )
    parser.add_argument(
        "--time-zone", default="UTC", type=_time_zone, help="time zone of clubs that are created (%(default)s)"
    )
    parser.add_argument("--dry-run", action="store_true", help="check everything and enter nothing")
    parser.add_argument("--wait", action="store_true", help="stay until the ratings have caught up")
    parser.set_defaults(handle=_import)


def _player(text: str) -> str:
    if not re.fullmatch(PLAYER_ID, text):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be the id of a member")
    return text


def _time_zone(text: str) -> str:
    try:
        zone(text)
    except UnknownTimeZone as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def _import(arguments: argparse.Namespace) -> int:
    os.environ.update(RunningStack.find().environment())
    from chalicelib.clubs import acts
    from chalicelib.clubs.model import TooManySeasons
    from chalicelib.core.database import Table
    from chalicelib.results.bulk import Differs
    from chalicelib.results.recording import Busy

    Table.read_timeout_seconds = _PATIENCE_SECONDS
    wishes = Wishes(
        arguments.club, arguments.create_clubs, arguments.create_members, arguments.admin, arguments.time_zone
    )
    try:
        rows, faults = _rows(arguments.file, arguments.scopes)
    except (OSError, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    plan = planned(rows, wishes)
    if faults := [*faults, *plan.faults]:
        _print_faults(faults)
        return 1
    if arguments.dry_run:
        print(f"Nothing is wrong. {_summary(plan)} Nothing was entered.")
        return 0
    try:
        carry_out(plan, wishes)
    except (Busy, acts.Busy, Differs, TooManySeasons) as error:
        print(f"{str(error) or 'a club is changing under many hands'}: run the import again.", file=sys.stderr)
        return 1
    if arguments.wait:
        _await_ratings(_logs(plan))
    return 0


def _rows(file: Path, scopes: Path | None) -> tuple[list[Row], list[Fault]]:
    rows, faults = read(text_of(file))
    if scopes is None:
        return rows, faults
    rows, more = with_scopes(rows, text_of(scopes))
    return rows, [*faults, *(replace(fault, file=scopes.name) for fault in more)]


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults[:_FAULTS_SHOWN]:
        print(fault)
    more = len(faults) - _FAULTS_SHOWN
    print(*([f"... and {more} more."] if more > 0 else []), f"{len(faults)} faults. Nothing was entered.")


# --- checking


def planned(rows: Sequence[Row], wishes: Wishes) -> Plan:
    """What has to be done for these rows; nothing is written. Faults are in the order of the rows."""
    plan, scopes = Plan(), _Scopes(wishes)
    drafts: list[tuple[Row, Result]] = []
    for row in tqdm(rows, desc="checking", unit=" results"):
        try:
            drafts.append((row, scopes.placed(row)))
        except NoSuchScope as error:
            plan.faults.append(Fault(row.number, error.field, str(error)))
    plan.clubs, plan.events, plan.seasons = scopes.new_clubs, scopes.new_events, scopes.new_seasons
    plan.faults += _strangers(drafts, plan, wishes)
    plan.faults += _others(drafts, plan)
    plan.faults.sort()
    return plan


class _Scopes:
    """Clubs, events and seasons by what rows call them: those that exist, and those that are to be created."""

    def __init__(self, wishes: Wishes) -> None:
        self.new_clubs: dict[str, str] = {}
        self.new_events: dict[str, Event] = {}
        self.new_seasons: dict[tuple[str, str], Season] = {}
        self._wishes = wishes
        self._clubs: dict[str, Seasons | NoSuchScope] = {}
        self._events: dict[tuple[str, str], Event | NoSuchScope] = {}
        self._seasons: dict[tuple[str, str], Season | NoSuchScope] = {}

    def placed(self, row: Row) -> Result:
        """The result in its club and event. Raises NoSuchScope."""
        from chalicelib.results.rules import Invalid, as_event_says

        name = row.club or self._wishes.club
        calendar = _once(self._clubs, name, lambda: self._club(name))
        result = replace(row.result, club=calendar.club)
        if row.season:
            self._check_season(calendar, row.season, result.played_at_ms)
        if not row.event:
            return result
        key = calendar.club, row.event
        event = _once(self._events, key, lambda: self._event(*key))
        try:
            return as_event_says(None, replace(result, event=event.id), event.rated)
        except Invalid as error:
            raise NoSuchScope(error.field, str(error)) from error

    def _club(self, name: str) -> Seasons:
        from chalicelib.clubs import lookup
        from chalicelib.clubs.model import Seasons, UnknownClub
        from chalicelib.core.ids import derived_id

        if not name:
            raise NoSuchScope("club", "the row names none, and neither does --club")
        _check_name("club", name)
        derived = derived_id("import", "club", name)
        for club_id in (name, derived):
            try:
                return lookup.seasons(club_id)
            except UnknownClub:
                continue
        if not self._wishes.creates_scopes:
            raise NoSuchScope("club", f"there is no club {name} (by id, or by name if an import has created it)")
        self.new_clubs[derived] = name
        return Seasons(derived, 1, self._wishes.time_zone, ())

    def _event(self, club: str, name: str) -> Event:
        from chalicelib.clubs import lookup
        from chalicelib.clubs.model import Event, UnknownEvent
        from chalicelib.core.ids import derived_id
        from chalicelib.core.settings import settings

        _check_name("event", name)
        derived = derived_id("import", "event", club, name)
        for event_id in (name, derived):
            try:
                return lookup.event(event_id)
            except UnknownEvent:
                continue
        if not self._wishes.creates_scopes:
            raise NoSuchScope("event", f"there is no event {name}")
        event = Event(derived, club, name, None, settings().time.now_ms())
        return self.new_events.setdefault(derived, event)

    def _check_season(self, calendar: Seasons, name: str, at_ms: int) -> None:
        """Raises NoSuchScope unless the club has, or gets, this season and it contains the instant."""
        from chalicelib.clubs.days import span_ms

        key = calendar.club, name
        season = _once(self._seasons, key, lambda: self._season(calendar, name))
        start_ms, end_ms = span_ms(season.first_day, season.last_day, calendar.time_zone)
        if not start_ms <= at_ms < end_ms:
            raise NoSuchScope("season", f"the result was not played in {name} ({calendar.time_zone})")

    def _season(self, calendar: Seasons, name: str) -> Season:
        from chalicelib.clubs import calendar as rules
        from chalicelib.clubs.model import Season
        from chalicelib.core.ids import derived_id

        known = [season for season in calendar.seasons if name in (season.id, season.name)]
        if known:
            return known[0]
        days = _calendar_year(name) if self._wishes.creates_scopes else None
        if days is None:
            raise NoSuchScope("season", f"there is no season {name}, and only calendar years are created")
        others = sum(club == calendar.club for club, _ in self.new_seasons) + len(calendar.seasons)
        if others >= rules.MOST_SEASONS:
            raise NoSuchScope("season", f"a club has up to {rules.MOST_SEASONS} seasons, and this would be one more")
        season_id = derived_id("import", "season", calendar.club, name)
        return self.new_seasons.setdefault((calendar.club, season_id), Season(season_id, name, *days))


def _check_name(field: str, name: str) -> None:
    """Raises NoSuchScope for what neither an id nor a name can be."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError as error:
        raise NoSuchScope(field, f"{name[:_SHOWN]!r} cannot be its name: {error}") from error


def _calendar_year(name: str) -> tuple[date, date] | None:
    """The first and the last day of a year in which a season can be."""
    try:
        return day(f"{name}-01-01", "season"), day(f"{name}-12-31", "season")
    except InvalidDate:
        return None


def _once(known: dict[Key, Scope | NoSuchScope], name: Key, look: Callable[[], Scope]) -> Scope:
    """What `look` finds for a name, or raises; it is asked once for each."""
    if name not in known:
        try:
            known[name] = look()
        except NoSuchScope as error:
            known[name] = error
    found = known[name]
    if isinstance(found, NoSuchScope):
        raise found
    return found


def _strangers(drafts: Iterable[tuple[Row, Result]], plan: Plan, wishes: Wishes) -> Iterator[Fault]:
    """Members and guests whom nobody knows; with --create-members, the plan gets the members."""
    from chalicelib.clubs import lookup
    from chalicelib.results.rules import seated

    first: dict[tuple[str, str], tuple[int, str]] = {}
    guests: dict[tuple[str, str], tuple[int, str]] = {}
    for row, result in drafts:
        for place, seat in seated(result):
            named = first if seat.member else guests
            named.setdefault((result.club, seat.member or seat.guest), (row.number, place))
    if wishes.creates_members:
        for club, member in first:
            plan.members.setdefault(club, []).append(member)
    else:
        unknown = set(lookup.unknown_members({member for _, member in first}))
        for (_, member), (number, place) in first.items():
            if member in unknown:
                yield Fault(number, place, f"{member} is no member of any club")
    known = {(club, guest) for club in {club for club, _ in guests} for guest in _guests_of(club, guests)}
    for key in guests.keys() - known:
        yield Fault(*guests[key], f"the club has no guest {key[1]}")


def _guests_of(club: str, guests: Mapping[tuple[str, str], object]) -> Iterable[str]:
    from chalicelib.clubs import lookup

    return lookup.guests(club, [guest for of, guest in guests if of == club])


def _others(drafts: Sequence[tuple[Row, Result]], plan: Plan) -> Iterator[Fault]:
    """Results that stand already and are others. The plan gets those that do not stand, in the order of places."""
    from chalicelib.results import bulk

    standing = _standing(result for _, result in drafts)
    for row, result in drafts:
        found = standing.get(result.id)
        if found is None:
            plan.results.append(result)
        elif bulk.same(result, found):
            plan.standing.append(result)
        else:
            yield Fault(row.number, "id", f"result {result.id} stands already, and is another")
    plan.results.sort(key=lambda result: result.place)


def _standing(drafts: Iterable[Result]) -> dict[str, Result]:
    """The results that stand with the ids of these, by id.

    First those in the same clubs are read; only if there is one that is not there, all clubs are searched for its id.
    """
    from chalicelib.results import store

    keys = [(draft.club, draft.id) for draft in drafts]
    found: dict[str, Result] = {}
    for start in tqdm(range(0, len(keys), store.MOST_ITEMS), desc="comparing", unit=" batches"):
        some = store.load_many(keys[start : start + store.MOST_ITEMS])
        found.update((result.id, result) for result in some.values())
    missing = {result_id for _, result_id in keys} - found.keys()
    if missing:
        everywhere = tqdm(store.everywhere(), desc="searching", unit=" results")
        found.update((result.id, result) for result in everywhere if result.id in missing)
    return found


# --- doing


def carry_out(plan: Plan, wishes: Wishes) -> None:
    """Create what is missing, then enter the results; whatever a former run has done of it is passed over."""
    from chalicelib.clubs import acts
    from chalicelib.ratings import marking
    from chalicelib.results import bulk

    for club, name in plan.clubs.items():
        acts.create_club(club, name, wishes.time_zone, wishes.admin, bulk.MARK)
    for event in plan.events.values():
        acts.create_event(event, bulk.MARK)
    for (club, _), season in plan.seasons.items():
        acts.create_season(club, season, bulk.MARK)
    enrolled = _enrol(plan.members)
    changes: dict[Partition, Change] = {}
    entered = 0
    calendars = bulk.calendars_of(result.club for result in plan.results)
    groups = bulk.packed(bulk.version_of(result, calendars) for result in plan.results)
    with tqdm(total=len(plan.results), desc="entering", unit=" results") as bar:
        for group in groups:
            done = bulk.enter_group(group)
            changes.update(done.changes)
            entered += done.results
            bar.update(len(group))
    marking.wake(changes)
    print(f"{entered} results entered, {len(plan.standing)} stood already, {enrolled} members enrolled; ", end="")
    print(f"{len(changes)} ratings are being brought up to date.")


def _enrol(members: Mapping[str, Sequence[str]]) -> int:
    from chalicelib.clubs import acts
    from chalicelib.clubs.store import MEMBERS_AT_ONCE

    enrolled = 0
    total = sum(len(of_club) for of_club in members.values())
    with tqdm(total=total, desc="enrolling", unit=" members", disable=not members) as bar:
        for club, of_club in members.items():
            for start in range(0, len(of_club), MEMBERS_AT_ONCE):
                some = of_club[start : start + MEMBERS_AT_ONCE]
                enrolled += acts.enrol_all(club, some)
                bar.update(len(some))
    return enrolled


def _summary(plan: Plan) -> str:
    created = f"{len(plan.clubs)} clubs, {len(plan.events)} events and {len(plan.seasons)} seasons to create"
    return f"{len(plan.results)} results to enter, {len(plan.standing)} stand already; {created}."


# --- waiting


def _logs(plan: Plan) -> list[Partition]:
    from chalicelib.results import bulk

    results = [*plan.results, *plan.standing]
    calendars = bulk.calendars_of(result.club for result in results)
    versions = (bulk.version_of(result, calendars) for result in results)
    return sorted({log for version in versions if version.rated for log in version.rated.partitions})


def _await_ratings(logs: Iterable[Partition]) -> None:
    """Show until no change waits in any of the logs any more."""
    from chalicelib.ratings import reading

    left = list(logs)
    with tqdm(total=len(left), desc="rating", unit=" partitions") as bar:
        while left:
            progress = {log: reading.progress(log) for log in left}
            waiting = [log for log, at in progress.items() if at.waiting or at.done is not None]
            bar.update(len(left) - len(waiting))
            bar.set_postfix(waiting=sum(at.waiting for at in progress.values()))
            left = waiting
            if left:
                time.sleep(_POLL_SECONDS)
