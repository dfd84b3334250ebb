# `make` lists the targets. Only Python 3.11 or newer is needed; everything else is installed into .venv and .venv-engine.
PYTHON ?= python3
SPEED ?=
PORT ?=
VENV := .venv/bin
# Not compiling in advance saves half a minute of a fresh start; Python compiles what is imported, once.
INSTALL := pip install --quiet --disable-pip-version-check --no-compile
PYTHONS := app.py chalicelib infra bench tests
# The local engine unpacks more than a thousand files for each function: in memory, where there is room, that is far faster.
IN_MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 {print "TMPDIR=/dev/shm"}')

.DEFAULT_GOAL := help
.PHONY: help venv run stop status fresh test lint format types unit bench soak openapi package clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' $(MAKEFILE_LIST)

.venv/.runs: requirements.txt requirements-local.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Installing what runs Zeitnot into .venv (once, about a minute) ..."
	@$(PYTHON) -m venv .venv
	@$(VENV)/$(INSTALL) -r requirements-local.txt
	@touch $@

.venv/.checks: .venv/.runs requirements-dev.txt
	@echo "Installing the checks into .venv (once, about a minute) ..."
	@$(VENV)/$(INSTALL) -r requirements-dev.txt
	@touch $@

.venv-engine/.runs: requirements-engine.txt
	@echo "Installing the local engine into .venv-engine (once, about a minute) ..."
	@$(PYTHON) -m venv .venv-engine
	@.venv-engine/bin/$(INSTALL) -r requirements-engine.txt
	@touch $@

venv: .venv/.checks .venv-engine/.runs  ## install the two environments, with all that checks and tests need

run:  ## start the whole system on this machine (PORT=8000 SPEED=1)
	@$(MAKE) --silent --jobs=2 .venv/.runs .venv-engine/.runs
	@exec $(VENV)/python -m infra.local run $(if $(PORT),--port='$(PORT)') $(if $(SPEED),--speed='$(SPEED)')

stop: .venv/.runs  ## stop it from another terminal
	@$(VENV)/python -m infra.local stop

status: .venv/.runs  ## say whether it runs, and where
	@$(VENV)/python -m infra.local status

fresh: .venv/.runs  ## throw all games and the game time away; the next start begins anew
	@$(VENV)/python -m infra.local fresh

test: lint types unit  ## all checks, as CI runs them

lint: venv  ## ruff: rules and format
	$(VENV)/ruff check $(wildcard $(PYTHONS))
	$(VENV)/ruff format --check $(wildcard $(PYTHONS))

format: venv  ## rewrite the sources in our format
	$(VENV)/ruff check --fix $(wildcard $(PYTHONS))
	$(VENV)/ruff format $(wildcard $(PYTHONS))

types: venv  ## mypy --strict
	$(VENV)/mypy $(wildcard app.py chalicelib infra bench)

unit: venv  ## the tests alone, in two processes (ARGS='-k clock')
	$(IN_MEMORY) $(VENV)/pytest --numprocesses 2 --dist loadfile $(ARGS)

bench: venv  ## measure against the stored baseline
	$(VENV)/python -m bench $(ARGS)

soak: venv  ## the races, a thousand rounds each (ROUNDS=1000)
	$(IN_MEMORY) ZEITNOT_ROUNDS=$(or $(ROUNDS),1000) $(VENV)/pytest tests/races $(ARGS)

openapi: venv  ## write docs/openapi.json from the code
	$(VENV)/python -m infra.local openapi $(ARGS)

package: venv  ## build the zip and the template for AWS into .zeitnot/aws
	$(VENV)/python -m infra.aws $(ARGS)

clean:  ## remove what is built; the state of the local stack stays in .zeitnot/state
	rm -rf .zeitnot/build .zeitnot/aws .mypy_cache .ruff_cache .pytest_cache .hypothesis
