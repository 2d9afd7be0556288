# Every target builds what it needs. SWIFT_BUILD_FLAGS is handed to swift build, PREFIX and DESTDIR to install.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= $(PREFIX)/lib/systemd/system
SWIFT_BUILD_FLAGS ?=
export SWIFT_BUILD_FLAGS

SEEDS ?= 20
SECONDS ?= 600
ROUNDS ?= 100

.PHONY: help packages build run demo test proofs simulate fuzz kill bench memory growth toponyms check-format install clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

packages: ## install the Debian packages that are missing (without root: print the command)
	@scripts/packages.sh

build: packages ## build the daemon, optimised
	@scripts/release.sh visiventd

run: ## run on the live feeds of config/visiventd.yaml, database in run/
	@scripts/run.sh

demo: ## run on recorded feeds; connects to nothing beyond this machine
	@scripts/demo.sh

test: ## build and run all tests
	@scripts/test.sh

proofs: ## simulated months, fuzzing, killed daemons, failing disks, hostile documents: the short forms
	@scripts/proofs.sh

simulate: ## SEEDS=20 simulated months with faults of all kinds
	@SEEDS=$(SEEDS) scripts/simulate.sh

fuzz: ## feed the decoders with mutated documents (SECONDS=600 each, TARGETS="usgs cap")
	@scripts/fuzz.sh $(SECONDS) $(TARGETS)

kill: ## kill -9 in the middle of polls, ROUNDS=100 times
	@scripts/kill.sh $(ROUNDS)

bench: build ## measure against C references and peers in ../shared/bench (CASES=usgs-parse, RUNS=9)
	@Benchmarks/bench.py $(CASES)

memory: build ## measure the memory of the running daemon (CASES=idle)
	@Benchmarks/memory.py $(CASES)

growth: build ## measure growth with sources and rows, for docs/performance.md (ROWS=)
	@Benchmarks/growth.py $(ROWS)

toponyms: ## measure how well places are found, on corpus and cities in ../shared/data
	@scripts/toponyms.sh

check-format: ## check the layout of the Swift sources
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

install: ## install program, configuration and systemd unit (after make build)
	install -D -m 0755 "$$(scripts/release.sh)/visiventd" \
		"$(DESTDIR)$(PREFIX)/bin/visiventd"
	install -D -m 0644 systemd/visiventd.sysusers.conf "$(DESTDIR)$(PREFIX)/lib/sysusers.d/visiventd.conf"
	@# Commands in a shell find the service's database only if the configuration names it. An edited configuration
	@# stays; the new one is put beside it.
	config=$$(mktemp) && \
	sed -E 's|^# (database: /var/lib/)|\1|; s|^# (control_socket: /run/)|\1|' config/visiventd.yaml > "$$config" && \
	target="$(DESTDIR)$(SYSCONFDIR)/visiventd/visiventd.yaml" && \
	if [ -e "$$target" ]; then target="$$target.new"; fi && \
	install -D -m 0644 "$$config" "$$target" && rm -f "$$config"
	install -d "$(DESTDIR)$(UNITDIR)"
	sed -E 's|/usr(/local)?/bin/visiventd|$(PREFIX)/bin/visiventd|g' systemd/visiventd.service \
		> "$(DESTDIR)$(UNITDIR)/visiventd.service"
	chmod 0644 "$(DESTDIR)$(UNITDIR)/visiventd.service"

clean: ## remove what was built and the database of make run
	swift package clean
	rm -rf run
