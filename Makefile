# Youju: `make up` runs it, `make test` proves it. Needs git, make and Python 3.11 to 3.14; the rest is fetched, locked.

VENV := .venv
PY := $(VENV)/bin/python
YOUJU := $(VENV)/bin/youju
PIP := $(PY) -m pip --disable-pip-version-check --quiet install
MEMBERS := clients/python libs/contracts libs/personal_data libs/runtime services/knowledge services/bff services/ticketing deploy/local
RUN := $(VENV)/.run-installed
TEST := $(VENV)/.test-installed
NPM := web/node_modules/.package-lock.json
PAGE := web/dist/index.html
PAGE_SOURCES := $(shell find web/src web/packages web/public web/index.html web/vite.config.ts web/tsconfig.json 2>/dev/null)
SEEDS ?= 20
EXAMPLES ?= 100
DATA ?= ../shared/data
INSTALLED := test -x $(YOUJU) || { echo "✗ Nothing is installed here yet; \`make up\` does that." >&2; exit 1; }

export PYTHONUTF8 := 1

.PHONY: help up down clean logs status doctor page check check-types check-borders test test-containers test-rt faults fuzz bench bench-peers bench-scale lock openapi release-contracts transcripts

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

up: $(RUN) $(PAGE) ## Install, build the page and start everything
	@$(YOUJU) up

down: ## Stop everything
	@$(INSTALLED) && $(YOUJU) down

clean: ## Stop everything and remove databases, keys and logs
	@$(INSTALLED) && $(YOUJU) clean

logs: ## Follow the logs of all processes
	@$(INSTALLED) && $(YOUJU) logs --follow

status: ## List the processes
	@$(INSTALLED) && $(YOUJU) status

doctor: ## Check settings, connections, migrations, queue, clock, disk and keys
	@$(INSTALLED) && $(YOUJU) doctor

page: $(PAGE) ## Build the customer page

check: $(RUN) $(TEST) $(NPM) ## Run the fast gate: format, lint, types, imports, API descriptions, unit tests, page
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(MAKE) --no-print-directory -j2 check-types check-borders
	@$(PY) -m tests.support.stages unit

# The types keep one core busy for as long as all the rest keeps another.
check-types:
	@$(VENV)/bin/basedpyright

check-borders:
	@$(VENV)/bin/lint-imports --no-logo
	@$(PY) -m youju.openapi --check
	@$(PY) -m youju.npm run check

test: check $(PAGE) ## Install what tests need and run all of them
	@$(PY) -m tests.support.chromium
	@$(PY) -m tests.support.stages stores contracts journeys faults browser

test-containers: $(RUN) $(TEST) ## Run the store tests against Postgres and Valkey in containers
	@YOUJU_TEST_CONTAINERS=1 $(PY) -m tests.support.stages stores

test-rt: $(RUN) $(TEST) ## Prove tickets against a real Request Tracker; installs Debian's package as root when it is missing
	@test -x /usr/share/request-tracker5/libexec/rt-server || { \
		command -v apt-get >/dev/null || { echo "✗ Request Tracker 5 is packaged for Debian only; there is no apt-get." >&2; exit 1; }; \
		DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
			request-tracker5 rt5-db-sqlite rt5-standalone; }
	@$(PY) -m pytest -q services/ticketing/tests/real/request_tracker.py

faults: $(RUN) $(TEST) $(PAGE) ## Kill and restart parts of the system; SEEDS=200 for the long table
	@YOUJU_FAULT_SEEDS=$(SEEDS) $(PY) -m tests.support.stages faults

fuzz: $(RUN) $(TEST) $(PAGE) ## Send requests that nobody would write; EXAMPLES=500 for each operation
	@YOUJU_FUZZ_EXAMPLES=$(EXAMPLES) $(PY) -m pytest -q tests/journeys/test_fuzzing.py

bench: up $(TEST) ## Measure formats, masks, claims, retrieval and answers on the public sets in DATA (../shared/data)
	@test -d $(DATA) || { echo "✗ There is no $(DATA); name the folder with \`make bench DATA=...\`." >&2; exit 1; }
	@$(PY) -m bench.formats --data $(DATA)
	@$(PY) -m bench.personal_data --data $(DATA)
	@$(PY) -m bench.claims
	@$(PY) -m bench.retrieval --data $(DATA)
	@$(YOUJU) eval $(DATA)/golden/golden.jsonl
	@$(PY) -m bench.answering $(DATA)/golden/golden.jsonl

bench-peers: $(RUN) $(TEST) ## Compare search with other packages; they get a virtual environment outside this folder
	@$(PY) -m bench.peers --data $(DATA)

bench-scale: $(RUN) $(TEST) ## Time searches over 100,000 passages, then while as many are published; takes hours
	@$(PY) -m bench.scale --data $(DATA)
	@$(PY) -m bench.publishing --data $(DATA)

openapi: $(RUN) $(NPM) ## Write openapi/*.yaml from the code, and the page's types from them
	@$(PY) -m youju.openapi
	@$(PY) -m youju.npm --quiet run generate

release-contracts: openapi ## Promise the API descriptions to clients: from here on `make check` fails when one is broken
	@$(PY) -m youju.openapi --publish

transcripts: $(RUN) $(TEST) ## Record the streams that client teams test with, from the served API
	@YOUJU_RECORD=1 $(PY) -m pytest -q services/bff/tests/test_conformance.py

lock: $(TEST) ## Choose new versions of all dependencies and lock them by hash
	@for name in run node test; do \
		$(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
			--no-emit-index-url --no-header requirements/$$name.in --output-file requirements/$$name.lock || exit 1; \
	done
	@$(VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --overrides requirements/peers.overrides requirements/peers.in \
		--output-file requirements/peers.lock

$(PY):
	@found=$$(sh deploy/local/find-python) && "$$found" -m venv $(VENV)

$(RUN): requirements/run.lock $(addsuffix /pyproject.toml,$(MEMBERS)) | $(PY)
	@echo "  … Installing locked packages (the first time takes a minute or two)"
	@$(PIP) --require-hashes --requirement requirements/run.lock
	@$(PIP) --no-deps --no-build-isolation $(addprefix --editable ,$(MEMBERS))
	@touch $@

$(TEST): requirements/test.lock requirements/run.lock $(RUN)
	@$(PIP) --require-hashes --requirement requirements/run.lock --requirement requirements/test.lock
	@touch $@

$(NPM): web/package-lock.json | $(RUN)
	@$(PY) -m youju.npm --quiet ci --no-audit --no-fund
	@touch $@

$(PAGE): $(NPM) $(PAGE_SOURCES)
	@$(PY) -m youju.npm --quiet run build
	@touch $@
