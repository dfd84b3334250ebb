"""`python -m tests.conformance KIND FILE`: a file of cases through the product's own code.

Prints every case that fails with what was expected and what came, then what a kind counts, and ends with
`N passed, M failed`. Exit code 0 if none failed, 1 if any did, 2 if the call makes no sense.

A kind is a module of this package with a function `judge(path) -> Iterator[Verdict]`.
"""
