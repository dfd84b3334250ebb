"""The clock: time accounts, profiles, deadlines. Pure: integers in ms, `now_ms` is always an argument.

30-30-1 in ten lines (30 days to start with, one day back for every move, never more than 30):

>>> from chalicelib.clock import clock, profiles
>>> from chalicelib.core.durations import DAY
>>> model = profiles.named("30-30-1")
>>> game = clock.release((model, model), now_ms=0)
>>> pressed = clock.press(game, now_ms=10 * DAY // 4)         # White opens after 2.5 days
>>> pressed.clock.white.remaining_ms / DAY, pressed.used_ms / DAY
(28.5, 2.5)
>>> clock.due(pressed.clock).at_ms / DAY                      # Black has 30 days from now
32.5
>>> quick = clock.press(pressed.clock, now_ms=3 * DAY)        # Black answers in half a day: the account is full,
>>> quick.clock.black.remaining_ms / DAY, quick.lapsed_ms / DAY   # so half of the increment lapses
(30.0, 0.5)
"""
