.POSIX:
.SUFFIXES:
.SUFFIXES: .po .mo
# The first target lists the rest. Variables: PORT, VAR_DIR, SHOPS, RESET, REDIS_URL, DATABASE_URL.

PYTHON = python3
BIN = .venv/bin
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock"
# What `make bench` measures, in turn; nearby makes a city of a million shops and takes a quarter of an hour.
BENCH = claim consumer locks delayed visits feed social site pages nearby

help:
	@echo "Begin with:"
	@awk -F ': .*## ' '/^[a-z-]+:.* ## / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile
	@echo "Then there are:"
	@awk -F ': .*### ' '/^[a-z-]+:.* ### / { printf "  make %-17s %s\n", $$1, $$2 }' Makefile

demo: .venv/demo translations ## the whole site on this machine: make demo PORT=8123 VAR_DIR=second SHOPS=1000
	@exec $(BIN)/python -m apps.demo.launcher

test: .venv/dev ## the fast tests and six journeys in Chromium, five minutes: make test TESTS="tests/shops tests/uv"
	@CHECK=quick exec $(BIN)/python -m tests.check

load: .venv/lab ## drive a flash sale and check that nothing was oversold or lost
	@exec $(BIN)/python -m lab.load

format: .venv/dev ## write the format and the simple fixes
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .
	@$(BIN)/djangofmt check --fix . && $(BIN)/djangofmt . && $(BIN)/oxfmt '**/*.css'

check: .venv/dev ## what CI runs, forty minutes: lint, make test, each lock, all pages, races on PostgreSQL, faults, a Cluster
	@exec $(BIN)/python -m tests.check

test-fast: .venv/dev ### the fast tests, without a browser
	@CHECK=fast exec $(BIN)/python -m tests.check

lint: .venv/dev ### format, lint, types, floors, migrations, the OpenAPI document
	@CHECK=lint exec $(BIN)/python -m tests.check

check-all: .venv/dev ### every test at full length, hours: for the night
	@CHECK=all exec $(BIN)/python -m tests.check

faults: .venv/dev ### kill, freeze and empty a whole running site; N=200 does everything 200 times
	@$(BIN)/python -m pytest -m fault

campaign: .venv/dev ### random faults on whole sites: make campaign N=500 SEED=7 JOBS=2; REPLAY=file; ONLY=fuzz; ATTACKS=all
	@$(BIN)/python -m lab.campaign

soak: .venv/dev ### two hours of mixed traffic, a tenth of it bad, and whether memory grows; MINUTES=120 RATE=8
	@ONLY=soak $(BIN)/python -m lab.campaign

test-cluster: .venv/dev ### the tests on a Redis Cluster, and its faults and a Sentinel's; TESTS="tests/coupons"
	@CHECK=all-cluster exec $(BIN)/python -m tests.check

mutants: .venv/dev ### plant 60 bugs, one at a time, and see that tests catch each; ONLY="receipt fence"
	@$(BIN)/python -m lab.mutants $(ONLY)

bench: .venv/dev ### measure the hot paths, reports in var/bench; BENCH="social feed" measures those
	@set -e; for each in $(BENCH); do $(BIN)/python -m lab.bench.$$each; done

bench-seckill: .venv/dev ### the flash sale against FastAPI and hello world; ONLY="stock cost" FAST=1 STRICT=1
	@$(BIN)/python -m lab.bench.seckill

bench-journey: .venv/dev ### page, personal part, claim in every shape and order; ONLY="claims pages whole" FAST=1 STRICT=1
	@$(BIN)/python -m lab.bench.journey

bench-ads: .venv/dev ### 100,000 ads, money, pacing, exploration; ONLY="choosing spending paced_day exploring" FAST=1
	@$(BIN)/python -m lab.bench.ads

bench-queues: .venv/lab ### four queues whose consumer is killed: speed, losses, repetitions; MESSAGES=20000 JSON=1
	@$(BIN)/python -m lab.bench.queues

bench-persistence: .venv/lab ### what each persistence setting of Redis costs and loses here; SECONDS=5 DIRECTORY=/disk JSON=1
	@$(BIN)/python -m lab.bench.persistence

bench-accuracy: .venv/lab ### how far unique visitors are off at growing numbers; VISITORS=1000000 SEED=0
	@$(BIN)/python -m lab.bench.visits.accuracy

bench-search: .venv/lab ### search beside plain BM25 and SQLite FTS5, and a million suggestions; FAST=1
	@$(BIN)/python -m lab.bench.search
	@$(BIN)/python -m lab.bench.suggest

bench-logs: .venv/dev ### ten million ranges of addresses, and logs through Redis beside awk; FAST=1
	@$(BIN)/python -m lab.bench.logs

bench-messages: .venv/lab ### chats and live streams: delays, memory, drops, costs; FAST=1
	@$(BIN)/python -m lab.bench.chats
	@$(BIN)/python -m lab.bench.chats.broadcasts

bench-vitals: .venv/dev ### LCP, CLS and INP of pages on a slow phone; needs Chromium
	@$(BIN)/python -m lab.bench.site.vitals

bench-metrics: .venv/lab ### what measuring costs a request, a second, a scrape; how exact it is
	@$(BIN)/python -m lab.bench.metrics

env-example: .venv/demo ### write .env.example from the table of settings in docs/operations.md
	@$(BIN)/python docs/write_env_example.py

pictures: .venv/demo ### draw the pictures of docs/architecture.md and the floors in CONTRIBUTING.md
	@$(BIN)/python docs/draw_pictures.py

demo-pictures: ### render the demo's photographs whose scene changed, a minute each (lab/pictures); ONLY="noodles salon"
	@test -x .venv/pictures/bin/python || (python3.11 -m venv .venv/pictures && .venv/pictures/bin/pip install -q -r requirements-pictures.txt)
	@.venv/pictures/bin/python -m lab.pictures $(ONLY)

screenshots: .venv/dev ### take the README's pictures of a running demo: make screenshots URL=http://127.0.0.1:8000
	@PYTHONPATH=. $(BIN)/python docs/take_screenshots.py $(URL)

looks: .venv/dev ### keep how pages look now, as tests/browser/looks/pictures
	@LOOKS=write $(BIN)/python -m pytest -q -n 0 tests/browser/test_every_page.py

schema: .venv/demo ### print every key in Redis: pattern, type, expiry, writer, how it comes back
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py redis_schema --markdown

plug-points: .venv/demo ### print every registry, what apps register in it, and who reads it
	@$(BIN)/python docs/list_plug_points.py

release: check ### make check, then date the changelog, set the version, commit and tag: make release VERSION=0.2.0
	@$(BIN)/python deploy/release.py $(VERSION)

api-promise: .venv/dev ### with a release: keep what programs may rely on, as docs/api/v1.json
	@$(BIN)/python -m tests.checks.api_promise

api-examples: .venv/dev ### keep what tests of the API are answered, as the examples of its document
	@$(BIN)/python -m pytest -q -n 0 --api-examples=config/api_examples.json \
		-m "not (browser or wide or long or fault or nginx or curl or journey or redis_nodes or locks)" \
		$(or $(TESTS),$$(grep -rlE "/api/" tests --include="test_*.py"))

lint-openapi: .venv/dev ### ask redocly and spectral about the OpenAPI document; needs node and a network
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py export_openapi_schema --output var/openapi.json
	@npx --yes @redocly/cli@2.77.0 lint var/openapi.json
	@echo 'extends: ["spectral:oas"]' > var/spectral.yaml
	@npx --yes @stoplight/spectral-cli@6.16.3 lint var/openapi.json --ruleset var/spectral.yaml

translations: locale/zh_Hans/LC_MESSAGES/django.mo locale/unfold/zh_Hans/LC_MESSAGES/django.mo

.po.mo:
	@$(BIN)/pybabel --quiet compile --input-file $< --output-file $@

messages: .venv/demo ### collect the texts to translate, compile the translations
	@$(BIN)/python manage.py makemessages --locale zh_Hans --no-obsolete --no-wrap --add-location file --ignore .venv --ignore var --ignore tests --ignore lab && $(MAKE) -s translations

lock: .venv/dev ### pin every package with its hash, after a change of requirements*.txt
	@$(LOCK) requirements.txt --output-file requirements.lock
	@$(LOCK) requirements-demo.txt --constraint requirements.lock --output-file requirements-demo.lock
	@$(LOCK) requirements-providers.txt --constraint requirements-demo.lock --output-file requirements-providers.lock
	@$(LOCK) requirements-lab.txt --constraint requirements-providers.lock --output-file requirements-lab.lock
	@$(LOCK) requirements-dev.txt --constraint requirements-lab.lock --constraint requirements-providers.lock --output-file requirements-dev.lock
	@$(LOCK) requirements-traces.txt --constraint requirements-dev.lock --output-file requirements-traces.lock

audit: .venv/dev ### ask the Python advisory database about every pinned package; needs a network
	@$(BIN)/uv tool run --quiet pip-audit==2.10.1 --strict --disable-pip --require-hashes --requirement requirements.lock

sbom: .venv/dev ### with a release: list the packages of requirements.lock as docs/sbom.json (CycloneDX); needs a network
	@$(BIN)/uv tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.lock --output-reproducible --output-format JSON --output-file docs/sbom.json

# Each lock holds the one before it: the larger one's installation is the smaller one's too.
.venv/demo: requirements-demo.lock config/bootstrap.py
	@$(PYTHON) -c '' 2>/dev/null || { echo "Savor needs Python 3.11 or newer: install python3, or name yours with 'make PYTHON=/path/to/python'."; exit 1; }
	@exec $(PYTHON) config/bootstrap.py requirements-demo.lock $@

.venv/lab: requirements-lab.lock config/bootstrap.py
	@$(PYTHON) -c '' 2>/dev/null || { echo "Savor needs Python 3.11 or newer: install python3, or name yours with 'make PYTHON=/path/to/python'."; exit 1; }
	@exec $(PYTHON) config/bootstrap.py requirements-lab.lock .venv/demo $@

.venv/dev: requirements-dev.lock config/bootstrap.py
	@$(PYTHON) -c '' 2>/dev/null || { echo "Savor needs Python 3.11 or newer: install python3, or name yours with 'make PYTHON=/path/to/python'."; exit 1; }
	@exec $(PYTHON) config/bootstrap.py requirements-dev.lock .venv/demo .venv/lab $@
