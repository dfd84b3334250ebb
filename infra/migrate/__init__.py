"""Live migration of another platform's running games, from the command line; `docs/migration.md` leads through it.

`python -m infra.migrate --help` lists the commands: every module of this package that defines `register(commands)`, as
in `infra.local`. `shadow` and `verify` read a file and nothing else. The others work on the store straight: that of the
environment if GAMES_TABLE names a table (in the cloud, with the credentials that botocore finds), else that of the
stack on this machine.

Exit codes: 0 all is well; 1 something is to be looked at, and was printed; 2 nothing was done.
"""
