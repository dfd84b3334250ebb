"""Measurements: `python -m bench [PART ...]`, or `make bench`.

Figures are printed beside their budgets and written to `bench/results/latest.json`. Nothing here is asserted; the only
counts that tests hold fast are requests and write units, which do not depend on the machine.
"""
