# Every target builds what it needs. SWIFT_BUILD_FLAGS is passed to swift build, PREFIX and DESTDIR to install.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= $(PREFIX)/lib/systemd/system
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/visiventd
SHAREDIR = $(PREFIX)/share/visiventd
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
SWIFT_BUILD_FLAGS ?=
export SWIFT_BUILD_FLAGS

SEEDS ?= 20
SECONDS ?= 600
ROUNDS ?= 100
MINUTES ?= 30
IDLE ?= 600
REST ?= 0

.PHONY: help packages build page image run demo test proofs simulate doubling mutate fuzz kill soak idle told bench memory \
	growth beside prune read-bench page-bench screenshot toponyms fit-places words check-format check-unit install deb \
	test-service test-clients test-page clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

packages: ## install the Debian packages that are missing (without root: print the command)
	@scripts/packages.sh build map

build: ## build the daemon, optimised; installs nothing
	@scripts/packages.sh --print
	@scripts/release.sh visiventd

page: ## fetch the library of the map page and assemble the page in .build/page
	@scripts/assets.sh

run: ## run on the live feeds of config/visiventd.yaml, database in run/, with the map
	@scripts/run.sh

demo: ## run on recorded feeds, with the map; connects to nothing beyond this machine
	@scripts/demo.sh

test: ## build and run all tests
	@scripts/test.sh

proofs: ## simulated months, fuzzing, a soak, truncation, killed daemons, failing disks, bad documents: the short forms
	@scripts/proofs.sh

simulate: ## SEEDS=20 simulated months with faults of all kinds
	@SEEDS=$(SEEDS) scripts/simulate.sh

doubling: ## run the tests of work with visits counted, too, in a build of their own
	swift test --enable-code-coverage --scratch-path .build-doubling --disable-xctest --no-parallel --filter Doubling

mutate: ## change the rules of Reconciling one at a time (CASES=3: the third alone); a unit test must catch each change
	@scripts/mutate.py $(CASES)

fuzz: ## feed the decoders with mutated documents (SECONDS=600 each, TARGETS="usgs cap")
	@scripts/fuzz.sh $(SECONDS) $(TARGETS)

kill: ## kill -9 in the middle of polls and of streams, ROUNDS=100 times
	@scripts/kill.sh $(ROUNDS)

soak: ## run for MINUTES=30 against an upstream with random faults, then see what is left (REST=600: how it rests then)
	@MINUTES=$(MINUTES) IDLE=$(REST) scripts/soak.sh

idle: ## measure for IDLE=600 seconds how the daemon rests with the default sources
	@IDLE=$(IDLE) scripts/soak.sh --idle

told: ## see what real targets are told, in seven minutes (CASES=kills ROUNDS=1000, CASES=storm STORM=20000)
	@scripts/told.sh $(CASES)

bench: build ## measure against C references and peers in ../shared/bench (CASES=usgs-parse, RUNS=9)
	@Benchmarks/bench.py $(CASES)

memory: build ## measure the memory of the running daemon (CASES=idle)
	@Benchmarks/memory.py $(CASES)

growth: build ## measure growth with sources and rows, for docs/dev/performance.md (ROWS=)
	@Benchmarks/growth.py $(ROWS)

beside: build ## measure polls beside pruned validators and slow pages of changes (CASES=validators)
	@Benchmarks/beside.py $(CASES)

prune: build ## measure truncation with reader and writer at work (ROWS=10000000 EXPIRED=1000000)
	@Benchmarks/prune.py $(ROWS) $(EXPIRED)

read-bench: build ## measure the HTTP service beside tipg, pygeoapi and Datasette (ROWS=1000000 CASES=boxes PEERS=tipg)
	@Benchmarks/read.py $(CASES)

page-bench: ## measure the map page in headless Chromium (EVENTS=50000 PAGE_CHANGES=100000 CASES=play)
	@scripts/test-page.sh bench $(CASES)

screenshot: ## make docs/map.png, the picture of the README, from the demo
	@scripts/test-page.sh screenshot

toponyms: ## measure how well places are found, on corpus and cities in ../shared/data
	@scripts/toponyms.sh

fit-places: ## fit the weights of places anew, on corpora and cities in ../shared/data
	@scripts/fit-places.sh

words: ## make the files of words that are not made by hand, from PyPI's wordfreq and ObsPy and ../shared/data
	@scripts/words.py

check-format: ## check the layout of the Swift sources
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

check-unit: ## have systemd-analyze look at the units: verify silent, exposure at most 1.5 (serve: 1.2)
	@scripts/check-unit.sh

install: ## install program, configuration, units, manual pages, completions, documents (after make build, make page)
	install -D -m 0755 "$$(scripts/release.sh)/visiventd" \
		"$(DESTDIR)$(PREFIX)/bin/visiventd"
	install -D -m 0644 systemd/visiventd.sysusers.conf "$(DESTDIR)$(PREFIX)/lib/sysusers.d/visiventd.conf"
	install -D -m 0644 systemd/visiventd.tmpfiles.conf "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/visiventd.conf"
	@# Commands in a shell find the service's database only if the configuration names it. A configuration that is there
	@# stays as it is.
	install -d "$(DESTDIR)$(SHAREDIR)" "$(DESTDIR)$(SYSCONFDIR)/visiventd/conf.d"
	sed -E 's|^# (database: /var/lib/)|\1|; s|^# (control_socket: /run/)|\1|' config/visiventd.yaml \
		> "$(DESTDIR)$(SHAREDIR)/visiventd.yaml"
	chmod 0644 "$(DESTDIR)$(SHAREDIR)/visiventd.yaml"
	target="$(DESTDIR)$(SYSCONFDIR)/visiventd/visiventd.yaml" && if [ ! -e "$$target" ] && [ ! -L "$$target" ]; then \
		install -m 0644 "$(DESTDIR)$(SHAREDIR)/visiventd.yaml" "$$target"; \
	fi
	install -D -m 0644 -t "$(DESTDIR)$(SHAREDIR)/monitoring" config/monitoring/*
	install -d "$(DESTDIR)$(UNITDIR)"
	for unit in systemd/*.service systemd/*.timer; do \
		target="$(DESTDIR)$(UNITDIR)/$${unit##*/}" && \
		sed -E 's|/usr(/local)?/bin/visiventd|$(PREFIX)/bin/visiventd|g' "$$unit" > "$$target" && \
		chmod 0644 "$$target" || exit 1; \
	done
	install -D -m 0644 -t "$(DESTDIR)$(MANDIR)/man8" man/visiventd.8
	install -d "$(DESTDIR)$(MANDIR)/man5"
	scripts/manual.sh > "$(DESTDIR)$(MANDIR)/man5/visiventd.yaml.5"
	chmod 0644 "$(DESTDIR)$(MANDIR)/man5/visiventd.yaml.5"
	bin="$$(scripts/release.sh)" && completion() { \
		target="$(DESTDIR)$$2" && install -d "$${target%/*}" && \
		"$$bin/visiventd" --generate-completion-script "$$1" | sed '1{/^#!/d}' > "$$target" && chmod 0644 "$$target"; \
	} && \
	completion bash "$(PREFIX)/share/bash-completion/completions/visiventd" && \
	completion zsh "$(ZSHDIR)/_visiventd" && \
	completion fish "$(PREFIX)/share/fish/vendor_completions.d/visiventd.fish"
	install -D -m 0644 -t "$(DESTDIR)$(DOCDIR)" README.md CHANGELOG.md
	install -D -m 0644 -t "$(DESTDIR)$(DOCDIR)/docs" docs/*.md $(wildcard docs/*.png)
	install -D -m 0644 -t "$(DESTDIR)$(DOCDIR)/docs/dev" docs/dev/*
	install -D -m 0644 -t "$(DESTDIR)$(DOCDIR)/examples" config/visiventd.yaml config/events.vrt \
		systemd/visiventd.service.d/*.example
	@# The map page, if make page has assembled it. Its folder is replaced as a whole.
	page="$(DESTDIR)$(SHAREDIR)/page" && if [ -e .build/page/index.html ]; then \
		install -d "$${page%/*}" && rm -rf "$$page.new" && cp -R .build/page "$$page.new" && \
		chmod -R u=rwX,go=rX "$$page.new" && rm -rf "$$page" && mv "$$page.new" "$$page"; \
	fi

test-service: ## show package and service on throwaway Debian machines that systemd boots (needs root)
	@scripts/test-service.sh

test-clients: ## show that GDAL, QGIS, ObsPy, pandas and others read the outputs, the database and the service
	@scripts/test-clients.sh

test-page: ## work the map page in headless Chromium
	@scripts/test-page.sh

deb: ## build the Debian package, in .build-deb/
	@scripts/deb.sh

image: ## make a container image with the Debian package, in .build-deb/
	@scripts/image.sh

clean: ## remove what was built and the database of make run
	swift package clean
	rm -rf run
