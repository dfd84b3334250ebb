"""The referee's desk from the command line: keys, signed requests, acts.

`python -m infra.admin --help` lists the commands. Every module of this package that defines `register(commands)`, as in
`infra.local`, is a command. `infra.admin.client.Client` signs requests for programs.
"""
