# make help lists the targets.

GO ?= go
TOOL = $(GO) tool -modfile=.tools/go.mod
PACKAGES = ./...

# The tests of docs follow pages in folders that differ from run to run, and build with -trimpath for that reason. If all else does so too, nothing
# is compiled twice. What is compiled for the race detector is not of the pages, and the modules of this repository share it without -trimpath.
FLAGS := $(shell $(GO) env GOFLAGS)
export GOFLAGS := $(FLAGS) -trimpath
RACE = $(GO) test -race -trimpath=false

# Packages that start no goroutine, which TestSequential checks: the race detector watches those that call them.
SEQUENTIAL = ./test/house ./docs ./schema/... ./cmd/rpcgen/internal/diff ./cmd/rpcgen/internal/docs ./cmd/rpcgen/internal/editor ./cmd/rpcgen/internal/format \
	./cmd/rpcgen/internal/hostile ./cmd/rpcgen/internal/importer ./cmd/rpcgen/internal/lint ./cmd/rpcgen/internal/manifest ./cmd/rpcgen/internal/openrpc \
	./cmd/rpcgen/internal/revisions ./cmd/rpcgen/internal/sample ./cmd/rpcgen/internal/subschema ./cmd/rpcgen/internal/typecheck ./cmd/rpcgen/internal/verdicts \
	./runtime/gen/rule ./runtime/gen/conform ./runtime/gen/pattern ./runtime/gen/uri ./runtime/gen/wire ./runtime/internal/properties

# Packages with tests that try more without -short.
FULL = ./test/house ./docs ./cmd/rpcgen ./cmd/rpcgen/internal/verdicts ./runtime ./runtime/mcp/mcphttp ./templates ./cmd/rpcgen/internal/hostile ./test/allkinds

# The packages with tests, of those that are listed.
TESTED = $(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'

# The newest revision of MCP stands for the older ones, which are the work of the same generator, where every line is looked at.
LINTED = $$($(GO) list $(PACKAGES) | grep -v '/generated/mcp202[45]')
FUZZTIME ?= 60s
SOAKTIME ?= 3m
SOAKSEED ?= 1
JSONSCHEMASEED ?= 1
CLUSTERTIME ?= 3m
CLUSTERSEED ?= 1
CLUSTERCLIENTS ?= 200

# The module that has the files of the official JSON Schema Test Suite among its test data.
SUITE = github.com/google/jsonschema-go@v0.4.2

# The schemas of this repository and where they are generated, as schema:folder, from the folder generated on.
REVISIONS = 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28
SCHEMAS = examples/weather/weather.rpc.yaml:weather test/jsonrpc/jsonrpc.rpc.yaml:jsonrpc \
	test/allkinds/parts.rpc.yaml:allkinds/parts test/allkinds/allkinds.rpc.yaml:allkinds test/toolbox/toolbox.rpc.yaml:toolbox \
	test/conformance/conformance.rpc.yaml:conformance examples/lsp/lsp.rpc.yaml:lsp examples/editor/editor.rpc.yaml:editor \
	cmd/mcpgateway/gateway.rpc.yaml:gateway test/soak/pairs/ledger.rpc.yaml:ledger \
	runtime/internal/weather/weather.rpc.yaml:../runtime/internal/weather/rpc \
	$(foreach revision,$(REVISIONS),schema/mcp/$(revision).yaml:mcp$(subst -,,$(revision)))

# What is generated with the compact codec as well, to be compared with the full one.
COMPACT = test/allkinds/allkinds.rpc.yaml:allkinds/compact

# What the command and all that users link must build for; the last one has 32-bit integers.
LINKED = ./cmd/... ./runtime/... ./generated/allkinds/... ./generated/toolbox
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 linux/386

.PHONY: $(shell sed -n 's/^\([a-z]*\):.*/\1/p' Makefile)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## compile the example schema, start the server, call it, show the exchange
	$(GO) run ./cmd/rpcgen generate --out generated/weather examples/weather/weather.rpc.yaml
	$(GO) run ./examples/weather/client

test: check vet lint race short ## everything that must hold
	@$(MAKE) --no-print-directory -j2 full modules

modules: downstream shop otel ottercache websocket nats benchmodule

check: ## are the generated files up to date?
	$(GO) build -o bin/ ./cmd/rpcgen
	@for pair in $(SCHEMAS); do \
		bin/rpcgen check --out generated/$${pair#*:} $${pair%:*} || exit 1; \
	done
	bin/rpcgen check --codec compact --out generated/$(lastword $(subst :, ,$(COMPACT))) $(firstword $(subst :, ,$(COMPACT)))

quick: ## what to run between two edits: vet, and the tests that take seconds
	$(GO) test -short -vet=all $(PACKAGES)

golden: ## rewrite every golden file; look at the difference before you commit it
	@for package in $$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | sort -u); do \
		$(GO) test $$package -update || exit 1; \
	done

vet:
	$(GO) vet $(PACKAGES)

race: ## run the tests of all that runs at the same time as something else with the race detector, with fewer random inputs
	$(RACE) -short -vet=off $$($(TESTED) $(PACKAGES) | grep -vxF "$$($(GO) list $(SEQUENTIAL))")

short: ## run the tests of the other packages, with fewer random inputs
	$(GO) test -short -vet=off $$($(TESTED) $(SEQUENTIAL) | grep -vxF "$$($(GO) list $(FULL))")

full: ## run the tests of many random inputs, with all of them
	$(GO) test -vet=off $(FULL)

exhaustive: ## run the tests that try a sample in "make test" with everything that they can try, and all packages with the race detector; takes about 10 minutes
	$(GO) test ./cmd/rpcgen -run 'TestLinear|TestHundredThousand' -exhaustive
	$(GO) test ./cmd/rpcgen/internal/hostile -exhaustive -timeout 60m
	$(GO) test ./cmd/rpcgen/internal/verdicts -run TestAllKinds -exhaustive
	$(GO) test ./test/allkinds -run 'TestCostIsBounded|TestTimeIsLinear' -exhaustive
	$(GO) test ./cmd/rpcgen/internal/diff ./cmd/rpcgen/internal/format
	$(RACE) -short -vet=off $(SEQUENTIAL)
	$(RACE) -vet=off ./test/allkinds ./templates

lint: ## gofmt, staticcheck and revive, generated code included
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(TOOL) staticcheck $(LINTED)
	$(TOOL) revive -config .tools/revive.toml $(LINTED)

cross: ## build for every platform
	@for platform in $(PLATFORMS); do \
		echo "build $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build $(LINKED) || exit 1; \
	done

downstream: ## use rpcgen the way another repository does
	cd examples/downstream && $(GO) tool rpcgen check rpc/notes.rpc.yaml && $(GO) generate ./... && $(GO) test -vet=all ./...

shop: ## the MCP server of examples/shop: drift, vet, tests
	cd examples/shop && $(GO) tool rpcgen check rpc/shop.rpc.yaml && $(RACE) -vet=all ./...

conformance: ## run the official conformance suite of MCP, and the clients and servers of others; needs npm and a network
	$(GO) run ./test/conformance/cmd/run

editors: ## drive rpcgen lsp by Neovim and by the client of Visual Studio Code; needs nvim, node, npm and a network
	$(GO) build -o bin/ ./cmd/rpcgen
	RPCGEN=$(CURDIR)/bin/rpcgen nvim --headless -u NONE -i NONE -n -c 'luafile examples/lsp/editors/neovim.lua'
	@mkdir -p bin/editors && cp examples/lsp/editors/* bin/editors/
	cd bin/editors && npm ci --no-audit --no-fund --loglevel=error && node vscode.mjs $(CURDIR)/bin/rpcgen lsp

fuzz: ## fuzz every reader, FUZZTIME (60s) each
	@for package in $$($(GO) list ./runtime/... ./schema/... ./templates ./cmd/... ./test/allkinds); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

soak: ## put a server under a mixed load, and check whose answer every answer is in random combinations of features, with the race detector, for SOAKTIME (3m) from SOAKSEED (1)
	$(GO) run -race ./test/soak -time $(SOAKTIME) -seed $(SOAKSEED)

jsonschema: ## judge 240,000 random schemas and values (JSONSCHEMASEED draws others) as an independent validator does, 2,000 schemas in generated code as well, and run the official JSON Schema Test Suite
	$(GO) test ./cmd/rpcgen/internal/verdicts -v -timeout 30m -rapid.checks=20000 -rapid.seed=$(JSONSCHEMASEED) -batches 40 -batch 50 -batchseed $(JSONSCHEMASEED) \
		-suite "$$($(GO) mod download -json $(SUITE) | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')/jsonschema/testdata/draft2020-12"

specs: ## import, generate, build and vet specifications of others, and compare verdicts with an independent validator's; WRITE=-write writes the table in docs/import.md
	cd test/specs && $(GO) vet ./... && $(GO) run . $(WRITE)
	$(GO) test ./cmd/rpcgen/internal/verdicts -v -timeout 30m -run TestSpecifications -specs $(CURDIR)/test/specs/testdata -values 1000

otel: ## test what tells OpenTelemetry, two modules of their own
	cd runtime/rpcotel && $(RACE) -vet=all ./...
	cd runtime/mcp/mcpotel && $(RACE) -vet=all ./...

ottercache: ## vet and test the store of package cache, a module of its own
	cd runtime/x/cache/ottercache && $(RACE) -vet=all ./...

websocket: ## vet and test the WebSocket transport, a module of its own, and its example
	cd runtime/transport/websocket && $(RACE) -vet=all ./...
	cd examples/websocket && $(GO) test -vet=all ./...

nats: ## vet and test services and sessions on NATS, modules of their own, and the example
	cd runtime/mcp/mcpnats && $(RACE) -vet=all ./...
	cd runtime/transport/natsrpc && $(RACE) -vet=all ./...
	cd examples/nats && $(RACE) -vet=all ./...

cluster: ## put three replicas on NATS, after a balancer without stickiness, under load and faults for CLUSTERTIME (3m) from CLUSTERSEED (1)
	cd test/cluster && $(GO) vet ./... && $(GO) test -skip TestCluster ./... && $(GO) run . -time $(CLUSTERTIME) -seed $(CLUSTERSEED) -clients $(CLUSTERCLIENTS)

load: ## open 12,000 WebSocket connections, idle, calling, slow, vanishing and flooding, and measure what they cost; needs ulimit -n 20000 and about 3 minutes
	cd examples/websocket && $(GO) run ./load

peers: ## have the JSON-RPC libraries of others for Go meet what is here, in a module of their own
	cd test/peers && $(RACE) -vet=all ./...

login: ## have clients and rpcgen call log in at the OpenID provider of zitadel/oidc, in a module of its own
	cd test/login && $(RACE) -vet=all ./...

benchmodule: ## do rpcgen and its peers still give the same answers?
	cd test/bench && $(GO) tool rpcgen check --out rpc bench.rpc.yaml && \
		$(GO) tool rpcgen check --side server --out tools tools.rpc.yaml && \
		$(GO) tool rpcgen check --codec compact --out rpc/compact bench.rpc.yaml && \
		$(GO) tool rpcgen check --codec compact --side server --out tools/compact tools.rpc.yaml && $(GO) test -vet=all ./...

bench: export GOFLAGS := $(FLAGS)
bench: ## measure rpcgen and other libraries; writes docs/performance.md and test/bench/figures.md
	cd test/bench && $(GO) run ./cmd/measure -out ../../docs

microbench: ## run the plain benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

generate: ## bring the generated files up to date
	$(GO) test ./cmd/rpcgen/internal/editor -run TestPublished -update
	$(GO) build -tags bootstrap -o bin/bootstrap/ ./cmd/rpcgen
	@for pair in $(SCHEMAS); do \
		bin/bootstrap/rpcgen generate --out generated/$${pair#*:} $${pair%:*} || exit 1; \
	done
	bin/bootstrap/rpcgen generate --codec compact --out generated/$(lastword $(subst :, ,$(COMPACT))) $(firstword $(subst :, ,$(COMPACT)))

docs: ## write the references of MCP, and what changed between its last two revisions, as HTML pages into bin/docs
	@mkdir -p bin/docs
	$(GO) build -o bin/ ./cmd/rpcgen
	@for revision in $(REVISIONS); do \
		bin/rpcgen export --format html --out bin/docs/mcp-$$revision.html schema/mcp/$$revision.yaml || exit 1; \
	done
	bin/rpcgen diff --html bin/docs/mcp-2025-11-25-to-2026-07-28.html schema/mcp/2025-11-25.yaml schema/mcp/2026-07-28.yaml >/dev/null || [ $$? -eq 1 ]
