"""Measurements: `make bench`, or `python -m bench [PART ...]`.

Figures are printed beside their budgets and beside those of a baseline, and written as JSON. Nothing is asserted here;
the counts that tests hold fast (requests, write units) do not depend on the machine.
"""
