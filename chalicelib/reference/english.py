"""Rules and durations in English."""

from __future__ import annotations

from typing import Final

from chalicelib.reference.wording import Wording, one_or_many

ENGLISH: Final = Wording(
    form=one_or_many,
    form_of_fractions=1,
    decimal_sign=".",
    counted={
        "day": ("day", "days"),
        "hour": ("hour", "hours"),
        "minute": ("minute", "minutes"),
        "second": ("second", "seconds"),
        "ply": ("ply", "plies"),
        "own_move": ("own move", "own moves"),
        "game": ("game", "games"),
    },
    short={"day": "d", "hour": "h", "minute": "min", "second": "s"},
    texts={
        "profile.saving": "{start} at the start, +{increment} per move, max. {cap}",
        "profile.rigid": "{increment} per move",
        "profile.late": "{profile}; from move {late_from_move} +{late_increment}",
        "account.title": "Your time",
        "account.model": (
            "Each side has an account of time. You begin with the start time of your time control, and every move you "
            "make is credited with its increment. The account never holds more than its maximum: an increment that "
            "would exceed it lapses."
        ),
        "account.absence": (
            "There is no leave mode. The account is your buffer for holidays, illness and busy weeks, and whoever uses "
            "it up by playing slowly bears the risk. Players cannot stop the clock; only a referee can, and meanwhile "
            "nobody is charged."
        ),
        "account.display": (
            "Time is counted to the millisecond. What you are shown is rounded down to the minute, in the last hour to "
            "the second: never more than you have left."
        ),
        "account.controls": (
            "These time controls have a name; besides them a fixed time per move can be agreed, in whole days. The "
            "most is {longest_account}."
        ),
        "start.title": "The first move",
        "start.correspondence": (
            "Correspondence games with an account must be opened. Limit for the first move of the game, from its "
            "release: {first_move_limit}. If the move does not come, the game is lost by default. A fixed time per "
            "move has no such limit."
        ),
        "start.live": (
            "In live games either side has a limit for its first move: {live_first_move_limit}. If a move does not "
            "come, the game aborts itself."
        ),
        "flag.title": "Losing on time",
        "flag.loss": (
            "You have lost as soon as your account is empty while it is your move. The server decides that, whether "
            "anybody is watching or not, and nobody has to claim it. The result carries the time of the deadline."
        ),
        "flag.grace": (
            "Correspondence games have a tolerance for slow lines: {grace}. A move received within it still counts. It "
            "is not time to think."
        ),
        "flag.no_mate": (
            "If your opponent could not checkmate you by any series of legal moves, running out of time is a draw "
            "({flag_rule})."
        ),
        "flag.offer": (
            "An event may decide that running out of time is a draw, too, while a draw offer of your opponent is open."
        ),
        "flag.outage": (
            "If the watch over the clocks should ever be silent for longer than {longest_silence}, nobody runs out of "
            "time until all running clocks have been given that stretch back."
        ),
        "moves.title": "Moves stand",
        "moves.no_takeback": "A move, a draw offer and a resignation stand. Nothing is taken back.",
        "draws.title": "Draws",
        "draws.offer": (
            "You may offer a draw at any time, on your move or on your opponent's. The offer lapses with the next move "
            "of either side. If both of you offer, the draw is agreed."
        ),
        "draws.pause": (
            "From one of your draw offers, declined or lapsed, to your next one you make at least {offer_pause}."
        ),
        "draws.claims": (
            "On your move you may claim a draw if the position on the board has occurred for the third time, or if "
            "fifty moves by each side have gone by without a capture and without a pawn move."
        ),
        "draws.automatic": (
            "The game is drawn without a claim by stalemate, in a position in which neither side can checkmate, at the "
            "fifth occurrence of a position, and after seventy-five moves by each side without a capture and without a "
            "pawn move."
        ),
        "abort.title": "Aborting a game",
        "abort.arranged": (
            "A game that you arranged by challenge or seek may be aborted by either side as long as no more has been "
            "played than {abort_plies}. An aborted game leaves neither a record nor a rating."
        ),
        "abort.event": "Games paired by an event cannot be aborted by their players.",
        "invitations.title": "Challenges and seeks",
        "invitations.open": (
            "An invitation waits to be accepted and then expires. To a correspondence game it waits {invitation_open}, "
            "to a live game {live_invitation_open}. You may withdraw it before."
        ),
        "events.title": "Events",
        "events.guillotine": (
            "An event may fix an instant at which all games of a round end. Whoever has more time left then wins; with "
            "equal times the game is drawn."
        ),
        "rating.title": "What counts for ratings",
        "rating.agreed": (
            "Whether a game is rated is agreed when it is made; unless said otherwise it is. In an event the event "
            "decides."
        ),
        "rating.exceptions": (
            "A win by default because the first move did not come counts for no rating, and aborted games do not "
            "count. Every other result of a rated game does."
        ),
        "pools.title": "Your rating",
        "pools.classes": (
            "There is a rating for every kind of game and time. What counts is the base time, the longer one if the "
            "sides differ: up to {blitz_limit} is blitz, up to {rapid_limit} rapid, all that is longer classical. A "
            "game from a position of your own is not rated."
        ),
        "pools.scale": (
            "A new rating starts at {start_rating}. It is based on {rating_model}: the further a result is from what "
            "was expected, the more it moves. Both players are rated for the same game, with a point for a win and "
            "half a point for a draw."
        ),
        "pools.mark": (
            "A rating that is not established yet is shown with a “?”. More games establish it; who does not play "
            "for long gets the mark back."
        ),
        "pools.margin": (
            "The number after ± shows how sure a rating is: the lower, the surer, and it sinks the more you play."
        ),
        "pools.board": (
            "You are on the board as soon as you have played enough in the pool, at least {pool_games}, and your "
            "rating is established: a number that nobody is sure of is no position."
        ),
        "clubs.title": "Ratings in clubs",
        "clubs.scale": (
            "The results that a club records make a rating for every member and one for every pair, separately for "
            "all clubs together, for each club, each event and each season. Guests do not count. When a result is "
            "corrected, all ratings become what they would have been had it been right from the start."
        ),
        "clubs.provisional": (
            "A rating is provisional, and stands after the others, until enough has been rated: {provisional_below}."
        ),
        "clubs.rest": (
            "The rating of who does not play for long (longer than {rest}) grows less sure day by day, until the "
            "next game. The strength that is estimated stays the same."
        ),
        "end.checkmate": "Checkmate: the side that gives it wins.",
        "end.resignation": "Resignation: you may resign at any time; your opponent wins.",
        "end.time": "Time: the side that runs out of time loses, or draws if the opponent could not checkmate.",
        "end.guillotine": "End of the round: the side with more time left wins; equal times are a draw.",
        "end.no_start": "No first move: the side that did not open the game in time loses by default.",
        "end.adjudication": "A referee decided the game.",
        "end.agreement": "Agreement: one side offers a draw, the other accepts.",
        "end.stalemate": "Stalemate: the side to move has no legal move and is not in check.",
        "end.dead_position": "Dead position: neither side can checkmate by any series of legal moves.",
        "end.threefold_repetition": "Threefold repetition, claimed by the side to move.",
        "end.fifty_moves": "Fifty-move rule, claimed by the side to move.",
        "end.fivefold_repetition": "Fivefold repetition, without a claim.",
        "end.seventyfive_moves": "Seventy-five-move rule, without a claim.",
        "end.annulled": "A referee annulled the game: it counts for nothing.",
        "end.aborted": "Aborted by a player.",
        "end.auto_aborted": "Aborted by itself, because a first move of a live game did not come.",
        "end.declined": "The challenge was declined.",
        "end.withdrawn": "The invitation was withdrawn.",
        "end.expired": "The invitation expired.",
    },
)
