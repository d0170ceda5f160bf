# make help lists the targets.

GO ?= go
TOOL = $(GO) tool -modfile=.tools/go.mod
PACKAGES = ./...

# The folder of what this file makes, and of this checkout.
ROOT := $(CURDIR)
BIN := $(ROOT)/bin

# Nothing that is tested is debugged: without DWARF, compilers take an eighth less time. What takes longer to compile than to run is compiled without inlining,
# which halves that, as tests do with the modules that they make; what servers link is compiled as they have it, but with the race detector. All targets
# compile alike, so that each package is compiled once for all of them. Nothing is built with -trimpath here: with it, each module that replaces this one
# compiles it again. What is compiled so is named by its folder, from the root of the file system, for any current folder: Go compiles a regular expression
# of each other pattern again for each package, which took it two thirds of its time.
BRIEF = -l -dwarf=false
UP = ../../../../../../../../../../../../../../../..
FLAGS := -gcflags=all=-dwarf=false $(foreach folder,$(addprefix $(ROOT)/,cmd docs examples schema templates test/specs test/soak) $(addprefix \
	$(shell $(GO) env GOMODCACHE)/,github.com/google github.com/mark3labs github.com/modelcontextprotocol github.com/nats-io github.com/santhosh-tekuri \
	github.com/tiktoken-go github.com/twitchyliquid64 golang.org/x/text@... golang.org/x/tools@... modernc.org \
	pgregory.net),'-gcflags=$(UP)$(folder)/...=$(BRIEF)') -ldflags=-s
export GOFLAGS := $(strip $(subst $(FLAGS),,$(GOFLAGS)) $(FLAGS))
WATCHED = '-gcflags=all=$(BRIEF)'

# Only the race detector needs cgo. All else is compiled without, as "rpcgen import" compiles what it looks at, and "rpcgen ship" what it publishes.
export CGO_ENABLED := 0

# How tests run: gotest shows what "go test" shows, and keeps the results, which end below in the summary. The limit of time is for what hangs: it is far
# above what a slow machine takes. A program with the race detector sleeps for a second when it ends, for goroutines that still run; tests look for those
# themselves. What "go test" vets is vetted by "make lint".
TEST = $(BIN)/gotest -vet=off -timeout 30m
RACE = CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(TEST) -race $(WATCHED)

# What tests compile themselves is compiled without cgo as well, and thus found in the build cache. "go test" keeps no results of tests that another program
# starts, so that "make race", which is run often, does without: its tests compile nothing.
ALONE = '-exec=env CGO_ENABLED=0'

# The tests of modules of their own, with the race detector where WATCH is -race: SQLite, whose waits for locks have limits, is compiled with inlining then, and
# without the detector.
MODULE = $(if $(WATCH),$(RACE) $(ALONE) '-gcflags=modernc.org/...=-dwarf=false -race=false',$(TEST))
export ROOT
export RESULTS ?= $(if $(filter test ci everything,$(MAKECMDGOALS)),$(BIN)/results)

# The packages with a comment in one of their files: "//test:sequential" marks those that start no goroutine, which TestSequential checks: the race
# detector watches those that call them. "//test:full" marks those with tests that try more without -short, or that link most
# of what the others do not: "make test" runs these in full without the race detector, and "make exhaustive" with it.
marked = $(sort $(patsubst %/,./%,$(dir $(shell grep -rlx --include='*.go' '//test:$(1)' cmd docs runtime schema templates test))))
SEQUENTIAL = $(call marked,sequential)
FULL = $(call marked,full)

# The packages that "make test" runs with the race detector: those of the runtime that start goroutines, without the checks of servers, most of which wait for
# processes. "make watched", which continuous integration runs, has the others.
RACED = $(TESTED) ./runtime/... | grep -vxF "$$($(GO) list $(SEQUENTIAL) $(FULL) ./runtime/x/contract/...)"

# The packages with tests, of those that are listed.
TESTED = $(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'

FUZZTIME ?= 60s
REHEARSE ?= -whole
SOAKTIME ?= 3m
SOAKSEED ?= 1
JSONSCHEMASEED ?= 1
JSONSCHEMACHECKS ?= 20000
JSONSCHEMABATCHES ?= 40
TYPESCRIPTVALUES ?= 100000
SPECSVALUES ?= 1000
VERIFYTIME ?= 20s
VERIFYSEEDS ?= 1
VERIFYFAULTS ?=
CLUSTERTIME ?= 3m
CLUSTERSEED ?= 1
CLUSTERCLIENTS ?= 200

# The module that has the files of the official JSON Schema Test Suite among its test data.
SUITE = github.com/google/jsonschema-go@v0.4.2

# The published revisions of MCP.
REVISIONS := $(sort $(basename $(notdir $(wildcard schema/mcp/20*.yaml))))

# The schemas of this repository and where they are generated, as schema:folder: what users link or read is below generated, the rest stands next to its schema.
SCHEMAS = examples/weather/weather.rpc.yaml:generated/weather test/toolbox/toolbox.rpc.yaml:generated/toolbox \
	examples/lsp/lsp.rpc.yaml:generated/lsp examples/editor/editor.rpc.yaml:generated/editor schema/mcp/module.yaml:generated/mcp20260728 \
	examples/issues/rpc/issues.rpc.yaml:examples/issues/rpc runtime/internal/weather/weather.rpc.yaml:runtime/internal/weather/rpc \
	cmd/rpcgen/internal/workshop/verify/faulty/library.rpc.yaml:cmd/rpcgen/internal/workshop/verify/faulty/rpc \
	test/allkinds/parts.rpc.yaml:test/allkinds/rpc/parts test/allkinds/allkinds.rpc.yaml:test/allkinds/rpc \
	test/backend/backend.rpc.yaml:test/backend/rpc test/conformance/conformance.rpc.yaml:test/conformance/rpc \
	test/jsonrpc/jsonrpc.rpc.yaml:test/jsonrpc/rpc test/ledger/ledger.rpc.yaml:test/ledger/rpc test/office/office.rpc.yaml:test/office/rpc \
	test/streams/rpc/streams.rpc.yaml:test/streams/rpc \
	test/view/view.rpc.yaml:test/view/rpc

# The folders of those that have a test kit.
KITS = generated/weather generated/toolbox

# What the command and all that users link must build for; the last one has 32-bit integers.
LINKED = ./cmd/... ./runtime/... ./test/allkinds/rpc/... ./generated/toolbox
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 linux/386

# What the playground compiles for browsers; "make cross" builds it too.
BROWSER = ./cmd/rpcgen/internal/workshop/playground/wasm

# The modules of their own. What waits longest stands first, since it runs beside "full" and "race", which compute.
MODULES = nats websocket gateway mount shop otel tools downstream ottercache tokens soakmodule

# Compilers that collect garbage less often take a seventh less processor time, and half as much memory again; most tests end before there is much to collect.
# What measures keeps the default.
ci everything quick scale lint cross rehearse jsonschema specs: export GOGC ?= 400
test race short full watched costs whole raced $(MODULES): export GOGC = 1600
test race short full watched costs whole raced $(MODULES): export GOMEMLIMIT = 1GiB

# What measures is compiled as users have it.
bench compare microbench fuzz load: export GOFLAGS =
bench compare microbench fuzz load: export CGO_ENABLED =

.PHONY: $(shell sed -n 's/^\([a-z]*\):.*/\1/p' Makefile)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## compile the example schema, start the server, call it, show the exchange
	$(GO) run ./cmd/rpcgen generate --out generated/weather examples/weather/weather.rpc.yaml
	$(GO) run ./examples/weather/client

test: check ## everything that must hold; what only "make lint" finds, .ci/run finds too
	@rm -rf $(RESULTS)
	@$(STEPS) -j3 $(addprefix step-,full race $(firstword $(MODULES)) short $(MODULES)); code=$$?; $(BIN)/gotest -summary && exit $$code

# What continuous integration runs after "make test": what each step adds is in its line of "make help". Of three steps that run at the same time, one waits
# for a network, for timers, or has one thread; the longest steps stand first, so that none runs alone in the end. Random inputs are fewer there than by
# default, and always the same.
CI = lint watched exhaustive rehearse verify specs conformance ship typescript soak cluster jsonschema extension services benchmodule login peers image
FEW = REHEARSE= JSONSCHEMACHECKS=1000 JSONSCHEMABATCHES=4 TYPESCRIPTVALUES=20000 SPECSVALUES=50 VERIFYTIME=15s VERIFYFAULTS='$(SAMPLE)' SOAKTIME=1m CLUSTERTIME=1m CLUSTERCLIENTS=50
SAMPLE = empty-text|Hang/enum|banner|ignores-end|Invalid/(required|type|minimum)|DropsUnknown|OutputSchema/(null|enum)|TextDiffers/number|Content|Leak/traceback|IDKept/negative|Schema/reference

# What a release needs besides, which takes hours: the default number of random inputs, all pages, all platforms, and programs that others wrote.
REST = watchedservers cross scale mutations editors workbench load fuzz

ci: test ## what continuous integration runs, in a clean clone with an empty build cache
	@$(STEPS) -j3 -Otarget $(addprefix step-,$(CI)) $(FEW); code=$$?; $(BIN)/gotest -summary && exit $$code

everything: test ## all that is tested, with as much random input as it takes by default; says at its end what passed, and takes hours
	@$(STEPS) $(addprefix step-,$(CI) $(REST)); code=$$?; $(BIN)/gotest -summary && exit $$code

# A step is a target that says at the end of all of them whether it passed.
STEPS = $(MAKE) --no-print-directory -k
step-%: | $(BIN)/gotest
	@begin=$$(date +%s); $(MAKE) --no-print-directory $*; code=$$?; mkdir -p $(RESULTS); \
	case $$code in 0) said=passed;; *) said=failed;; esac; echo "$$said: make $*, in $$(($$(date +%s) - begin)) s" >> $(RESULTS)/steps; exit $$code

modules: $(MODULES)

$(MODULES) test race short watched full costs whole raced peers login benchmodule: | $(BIN)/gotest

$(BIN)/gotest: $(wildcard test/gotest/*.go test/results/*.go)
	@$(GO) build -o $@ ./test/gotest

# The command as all targets compile it: what "go tool" starts is compiled without the flags above, and so is all that it links, which takes two minutes more.
compiler:
	@$(GO) build -o bin/ ./cmd/rpcgen

check: compiler ## are the generated files up to date?
	@for pair in $(SCHEMAS); do \
		case " $(KITS) " in *" $${pair#*:} "*) kit=--kit;; *) kit=;; esac; \
		bin/rpcgen check $$kit --out $${pair#*:} $${pair%:*} || exit 1; \
	done

quick: ## what to run between two edits: what tests the changes since the last commit, and what refuses them
	@$(GO) run ./test/quick

golden: ## rewrite every golden file; look at the difference before you commit it
	@for package in $$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | sort -u); do \
		$(GO) test $$package -update || exit 1; \
	done

race: ## run the tests of the runtime with the race detector, with fewer random inputs
	$(RACE) -short $$($(RACED))

short: ## run the tests of the other packages, with fewer random inputs
	$(TEST) -short $$($(TESTED) $(PACKAGES) | grep -vxF "$$($(RACED); $(GO) list $(FULL))")
	$(TEST) -run Alloc ./runtime

watched: ## run what "make test" runs without the race detector with it, where goroutines start: the modules of their own, servers, examples and the command
	$(RACE) $(ALONE) -short $$($(TESTED) $(PACKAGES) | grep -vxF "$$($(RACED); $(GO) list $(SEQUENTIAL) $(FULL))")
	@$(STEPS) -j2 -Otarget WATCH=-race $(filter-out tools downstream shop gateway tokens soakmodule,$(MODULES))

full: ## run the tests of many random inputs, with all of them
	$(TEST) $(FULL)

exhaustive: costs whole raced ## run the tests that "make test" leaves out or runs in a short form, and all packages that servers link with the race detector; takes about 5 minutes

costs:
	$(TEST) ./cmd/rpcgen/internal/source/verdicts -run TestAllKinds -exhaustive
	$(TEST) ./test/allkinds -run 'TestCostIsBounded|TestTimeIsLinear' -exhaustive

whole:
	cd examples/downstream && $(GO) tool rpcgen check rpc/notes.rpc.yaml && $(GO) generate ./...
	$(TEST) '-exec=env GOFLAGS=' -run TestSizes ./test/house
	$(TEST) -run 'TestScripts/(init|import_mount)' ./cmd/rpcgen/command -exhaustive
	$(TEST) ./cmd/rpcgen/internal/language/diff ./cmd/rpcgen/internal/language/format ./runtime ./runtime/mcp/mcphttp ./runtime/x/contract

raced:
	$(RACE) $(ALONE) -short $(filter-out $(SEQUENTIAL),$(FULL)) $(filter-out ./runtime/x/contract/% %/properties,$(filter ./runtime/% ./schema/% ./test/mcp %/faulty,$(SEQUENTIAL)))

scale: ## try all sizes of schemas and all hostile texts, of which "make test" tries a sample; takes about 10 minutes
	$(GO) test ./cmd/rpcgen/command -run 'TestLinear|TestHundredThousand|TestScripts/ship' -exhaustive
	$(GO) test ./cmd/rpcgen/internal/source/hostile -exhaustive -timeout 60m

# The modules whose tests "go test" does not vet.
NESTED = $(filter-out docs/testdata/% test/specs test/cluster test/workbench,$(patsubst %/go.mod,%,$(shell git ls-files '*/go.mod')))

lint: ## gofmt, vet, staticcheck and revive, which would look at other modules too without the list, generated code included
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); test -z "$$files" || { echo "$$files"; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet $(PACKAGES)
	@for module in $(NESTED); do (cd $$module && $(GO) vet ./...) || exit 1; done
	$(TOOL) staticcheck $(PACKAGES)
	cd .tools && $(GO) tool staticcheck ./...
	$(TOOL) revive -config .tools/revive.toml $$($(GO) list $(PACKAGES))

tools: ## test the programs of .tools, a module of its own
	cd .tools && $(TEST) ./...

rehearse: ## make a version of all modules in a clone, use it from empty folders, make its archives again and compare them, and follow the pages with it; keeps nothing
	cd .tools && $(GO) test -vet=off ./release -run TestRehearse -rehearse $(REHEARSE) -v -count=1 -timeout 60m

image: ## build the image of the command with buildah, or docker, and start it; skipped where neither works
	.tools/image/build.sh

ship: ## ship the shop twice, and have the official command for bundles and the programs for images of others judge it; needs node, npm and a network
	.tools/ship/ship.sh

release: ## make VERSION (v0.1.0) in a clone below bin/release, with its tags and archives; pushes nothing
	cd .tools && $(GO) run ./release $(VERSION)

cross: ## build for every platform, without optimization, which takes a third less time
	@for platform in $(PLATFORMS); do \
		echo "build $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -gcflags='all=-N -l' $(LINKED) || exit 1; \
	done
	@echo "build js/wasm"
	GOOS=js GOARCH=wasm $(GO) build -gcflags='all=-N -l' -o /dev/null $(BROWSER)

downstream: compiler ## test a repository that uses rpcgen; "make whole" generates it with go tool and go generate
	cd examples/downstream && $(BIN)/rpcgen check rpc/notes.rpc.yaml && $(TEST) ./...

shop: compiler ## the MCP server of examples/shop: drift and tests
	cd examples/shop && $(BIN)/rpcgen check --kit rpc/shop.rpc.yaml && $(MODULE) -short ./...

watchedservers: ## the tests of the shop and of the gateway with the race detector, on a machine that does nothing else
	@$(MAKE) --no-print-directory WATCH=-race shop gateway

gateway: compiler ## the MCP gateway, a module of its own: drift and tests
	cd cmd/mcpgateway && $(BIN)/rpcgen check rpc/gateway.rpc.yaml && $(MODULE) ./...

mount: ## test what joins generated servers and servers of SDKs, two modules of their own
	cd runtime/x/mount/gosdk && $(MODULE) ./...
	cd runtime/x/mount/mcpgo && $(MODULE) ./...

conformance: ## run the official conformance suite of MCP, and the clients and servers of others; needs npm and a network
	$(GO) run ./test/conformance/cmd/run

editors: extension ## drive rpcgen lsp by Neovim, by the client of Visual Studio Code, and by the packed extension; needs nvim, node, npm and a network
	$(GO) build -o bin/ ./cmd/rpcgen
	RPCGEN=$(CURDIR)/bin/rpcgen nvim --headless -u NONE -i NONE -n -c 'luafile examples/lsp/editors/neovim.lua'
	@mkdir -p bin/editors && cp examples/lsp/editors/* bin/editors/
	cd bin/editors && npm ci --no-audit --no-fund --loglevel=error && node vscode.mjs $(CURDIR)/bin/rpcgen lsp

extension: ## pack the extension for Visual Studio Code into bin/vscode/rpcgen.vsix, and drive it; needs node and npm
	.tools/vscode/pack.sh
	.tools/vscode/drive.sh

fuzz: ## fuzz every reader, FUZZTIME (60s) each
	@for package in $$($(GO) list ./runtime/... ./schema/... ./templates ./cmd/... ./test/allkinds); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

soakmodule: ## test what draws and judges the scenarios of the soak
	cd test/soak && $(TEST) -short ./...

soak: ## put a server under a mixed load, and check whose answer every answer is in random combinations of features, with the race detector, for SOAKTIME (3m) from SOAKSEED (1)
	cd test/soak && CGO_ENABLED=1 $(GO) run -race . -time $(SOAKTIME) -seed $(SOAKSEED)

jsonschema: ## judge 240,000 random schemas and values (12 for each of JSONSCHEMACHECKS, which JSONSCHEMASEED draws) as an independent validator does, 2,000 schemas in generated code as well (50 for each of JSONSCHEMABATCHES), and run the official JSON Schema Test Suite
	$(GO) test -vet=off ./cmd/rpcgen/internal/source/verdicts -v -timeout 30m -rapid.checks=$(JSONSCHEMACHECKS) -rapid.seed=$(JSONSCHEMASEED) -batches $(JSONSCHEMABATCHES) -batch 50 -batchseed $(JSONSCHEMASEED) \
		-suite "$$($(GO) mod download -json $(SUITE) | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')/jsonschema/testdata/draft2020-12"

verify: ## look for 70 faults of servers, each in VERIFYTIME (20s) with the seeds from 1 to VERIFYSEEDS (1), or for those whose names match VERIFYFAULTS; takes about 30 minutes
	$(GO) test -vet=off ./cmd/rpcgen/internal/workshop/verify/faulty -run 'TestFound|TestClean' -v -timeout 12h -budget $(VERIFYTIME) -seeds $(VERIFYSEEDS) -fault '$(VERIFYFAULTS)'

services: ## check the MCP servers and the plain one of this repository with verify, with --sandbox for 10 seconds each
	$(GO) build -o bin/ ./cmd/rpcgen ./test/conformance ./examples/issues
	$(GO) build -o bin/weather ./examples/weather/server
	cd examples/shop && $(GO) build -o $(CURDIR)/bin/shop .
	cd cmd/mcpgateway && $(GO) build -o $(CURDIR)/bin/gateway .
	printf 'servers:\n  shop:\n    command: [$(CURDIR)/bin/shop, -db, $(CURDIR)/bin/gateway.db]\n    prefix: shop_\n' > bin/gateway.yaml
	@for server in conformance issues shop "gateway -config $(CURDIR)/bin/gateway.yaml"; do \
		bin/rpcgen verify --sandbox --time 10s -- $(CURDIR)/bin/$$server || exit 1; \
	done
	bin/rpcgen verify --sandbox --time 10s examples/weather/weather.rpc.yaml -- $(CURDIR)/bin/weather

mutations: ## look for 21 mutations of the handlers of examples/shop with its test kit; takes about 10 minutes
	cd examples/shop && $(GO) test -run TestMutations -v -timeout 2h .

specs: ## import, generate, build and vet 52 specifications of others, and compare verdicts on SPECSVALUES (1,000) values of each type with an independent validator's; needs npm and a network; WRITE=-write writes the table in docs/import.md
	cd test/specs && $(GO) vet ./... && $(GO) run . $(WRITE)
	$(GO) test -vet=off ./cmd/rpcgen/internal/source/verdicts -v -timeout 30m -run TestSpecifications -specs $(CURDIR)/test/specs/testdata -values $(SPECSVALUES)

otel: ## test what tells OpenTelemetry, three modules of their own
	cd runtime/rpcotel && $(MODULE) ./...
	cd runtime/mcp/mcpotel && $(MODULE) ./...
	cd runtime/x/otel && $(MODULE) ./...

ottercache: ## test the store of package cache, a module of its own
	cd runtime/x/cache/ottercache && $(MODULE) ./...

websocket: ## test the WebSocket transport, a module of its own, and its example
	cd runtime/transport/websocket && $(MODULE) ./...
	cd examples/websocket && $(TEST) ./...

tokens: ## compare the estimates of rpcgen budget with a vocabulary, in a module of its own; LISTS=FOLDER adds lists of other servers
	cd cmd/rpcgen/internal/workshop/budget/o200k && LISTS=$(LISTS) $(MODULE) ./...

nats: ## test services and sessions on NATS, modules of their own, and the example
	cd runtime/x/mcpnats && $(MODULE) ./...
	cd runtime/transport/natsrpc && $(MODULE) ./...
	cd examples/nats && $(MODULE) ./...

cluster: ## put three replicas on NATS, after a balancer without stickiness, under load and faults for CLUSTERTIME (3m) from CLUSTERSEED (1)
	cd test/cluster && $(GO) vet ./... && $(GO) test -vet=off -skip TestCluster ./... && $(GO) run . -time $(CLUSTERTIME) -seed $(CLUSTERSEED) -clients $(CLUSTERCLIENTS)

load: ## open 12,000 WebSocket connections, idle, calling, slow, vanishing and flooding, and measure what they cost; needs ulimit -n 20000 and about 3 minutes
	cd examples/websocket && $(GO) run ./load

typescript: ## compile generated TypeScript, call servers by it in Node, and compare its validators with the interpreter on TYPESCRIPTVALUES (100,000) values; needs node, npm and a network
	@mkdir -p bin/typescript && cp $(filter-out %.go %/testdata,$(wildcard test/typescript/*)) bin/typescript/
	cd bin/typescript && npm ci --no-audit --no-fund --loglevel=error
	$(GO) test -vet=off ./test/typescript -v -typescript $(CURDIR)/bin/typescript
	$(GO) test -vet=off ./cmd/rpcgen/internal/language/diff -v -run TestTypeScript -typescript $(CURDIR)/bin/typescript
	$(GO) test -vet=off ./runtime/transport/rpchttp -v -run TestTypeScript -typescript $(CURDIR)/bin/typescript
	cd runtime/transport/websocket && $(GO) test -vet=off -v -run TestTypeScript -typescript $(CURDIR)/bin/typescript
	$(GO) test -vet=off ./cmd/rpcgen/internal/source/verdicts -v -timeout 30m -run TestTypeScript -typescript $(CURDIR)/bin/typescript -typescriptvalues $(TYPESCRIPTVALUES)

peers: ## have the JSON-RPC libraries of others for Go meet what is here, in a module of their own
	cd test/peers && $(RACE) $(ALONE) ./...

login: ## have clients and rpcgen call log in at the OpenID provider of zitadel/oidc, in a module of its own
	cd test/login && $(RACE) $(ALONE) ./...

benchmodule: ## do rpcgen and its peers still give the same answers?
	cd test/bench && $(GO) tool rpcgen check --out rpc bench.rpc.yaml && \
		$(GO) tool rpcgen check --side server --out tools tools.rpc.yaml && $(GO) run ./cmd/compact $(TEST) ./...

bench: compare ## measure rpcgen and other libraries; writes docs/performance.md and test/bench/figures.md; compares as "make compare" does
	cd test/bench && $(GO) run ./cmd/compact $(GO) run ./cmd/measure -out ../../docs

BASE ?= $(shell git log -1 --format=%h -- test/bench/figures.md)

compare: ## compare the paths that every call takes with those of commit BASE, by default that of the last figures, old and new in one run
	ALSO="runtime/bench_test.go" LAYOUTS=4 .tools/compare $(BASE) runtime 'Dispatch|Refusal|Session|RoundTrip|Batch'
	LAYOUTS=4 .tools/compare $(BASE) runtime/mcp 'ToolsCall|ToolsList$$|Session'
	ALSO="test/bench" LAYOUTS=2 ROUNDS=4 .tools/compare $(BASE) test/bench/peer 'Large|HTTP|Call'

microbench: ## run the plain benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

generate: ## bring the generated files up to date
	$(GO) test ./cmd/rpcgen/internal/language/editor -run 'TestPublished|TestHighlighted' -update
	$(GO) build -tags bootstrap -o bin/bootstrap/ ./cmd/rpcgen
	@for pair in $(SCHEMAS); do \
		case " $(KITS) " in *" $${pair#*:} "*) kit=--kit;; *) kit=;; esac; \
		bin/bootstrap/rpcgen generate $$kit --out $${pair#*:} $${pair%:*} || exit 1; \
	done

# The last step prints what is left to decide. What was edited of the revision stays, so that it can be run again.
revision: ## add a revision of MCP to all that knows them, and print what a person has to decide: make revision SCHEMA=schema.json DATE=2026-12-01
	$(GO) test ./cmd/rpcgen/internal/source/revisions -run '^TestAdd$$' -add '$(abspath $(SCHEMA))' -date '$(DATE)'
	$(GO) test ./schema/mcp -run 'TestModule|TestErrors' -update
	$(MAKE) generate docs
	$(GO) test ./cmd/rpcgen/internal/source/revisions -run TestDiff -update
	$(GO) test ./schema -update
	$(GO) test ./cmd/rpcgen/internal/source/revisions -count=1 -v -run '^TestAdd$$' -add '$(abspath $(SCHEMA))' -date '$(DATE)'

playground: ## build the playground, a static page with the compiler for browsers, into bin/playground, which any web server can serve
	@mkdir -p bin/playground
	GOOS=js GOARCH=wasm $(GO) build -gcflags=all=-l -ldflags '-s -w' -o bin/playground/compiler.wasm $(BROWSER)
	gzip -9nf bin/playground/compiler.wasm
	cp cmd/rpcgen/internal/workshop/playground/page/*.html cmd/rpcgen/internal/workshop/playground/page/*.js runtime/x/explorer/page/look.css runtime/x/explorer/page/dom.js \
		"$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" bin/playground/

workbench: playground ## drive the playground and the explorer in Chromium, and in Firefox where it is, a module of its own, and print figures; installs Chromium where there is none; needs npm and a network
	@mkdir -p bin/workbench
	.tools/chromium/install.sh
	npm install --prefix bin/workbench --no-audit --no-fund --loglevel=error axe-core@4
	cd test/workbench && $(GO) vet ./... && for browser in chromium firefox; do $(GO) test -count=1 -v -timeout 30m ./... -browser $$browser || exit 1; done

docs: ## write the references of MCP, and what changed between its last two revisions, as HTML pages into bin/docs
	@mkdir -p bin/docs
	$(GO) build -o bin/ ./cmd/rpcgen
	@for revision in $(REVISIONS); do \
		bin/rpcgen export --format html --out bin/docs/mcp-$$revision.html schema/mcp/$$revision.yaml || exit 1; \
	done
	set -- $(lastword $(filter-out $(lastword $(REVISIONS)),$(REVISIONS))) $(lastword $(REVISIONS)); \
		bin/rpcgen diff --html bin/docs/mcp-$$1-to-$$2.html schema/mcp/$$1.yaml schema/mcp/$$2.yaml >/dev/null || [ $$? -eq 1 ]
