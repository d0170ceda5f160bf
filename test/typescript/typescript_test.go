// Package typescript_test has generated TypeScript call servers in Go, in Node. It needs node and the packages of package.json: make typescript
// installs them and runs it.
//
//test:full

package typescript_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	published "github.com/rpcgen-go/rpcgen/schema/mcp"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

var modules = flag.String("typescript", "", "folder with the files of this one and with the packages installed")

// schemas are compiled by tsc, and laid out by prettier as they are.
var schemas = []string{"test/allkinds/allkinds", "examples/weather/weather", "examples/lsp/lsp", "examples/editor/editor", "test/toolbox/toolbox", "test/office/office", "test/profiles/profiles",
	"test/view/view", "test/conformance/conformance", "test/ledger/ledger", "test/jsonrpc/jsonrpc"}

// write generates the modules of a schema below the folder of the test.
func write(t *testing.T, name, file string) {
	t.Helper()
	doc, faults := schema.Load(file)
	if doc == nil {
		t.Fatal(faults)
	}
	writeDocument(t, name, doc, typescript.Options{})
}

func writeDocument(t *testing.T, name string, doc *ir.Document, options typescript.Options) {
	t.Helper()
	files, faults := typescript.Generate(doc, options)
	if faults.HasErrors() {
		t.Fatal(faults)
	}
	folder := filepath.Join(*modules, "generated", name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// writePage writes the programs of the page about TypeScript, with what they are given.
func writePage(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile("../../docs/typescript.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```ts skip[^\n]*\n(.*?)```").FindAllSubmatch(page, -1)
	if len(programs) == 0 {
		t.Fatal("the page has no programs")
	}
	for i, program := range programs {
		text := strings.NewReplacer(`"./rpc/`, `"./generated/weather/`, `"./logs/`, `"./generated/streams/`, `"./shop/`, `"./generated/toolbox/`).Replace(string(program[1]))
		if strings.Contains(text, "client,") {
			text = "import type { MCPClient } from \"./generated/toolbox/mcp.js\";\n" + text + "\ndeclare const client: MCPClient;\n"
		}
		if err := os.WriteFile(filepath.Join(*modules, fmt.Sprintf("page%d.ts", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	c := exec.Command(program, args...)
	c.Dir = *modules
	out, err := c.CombinedOutput()
	if len(out) > 0 {
		t.Logf("%s", out)
	}
	if err != nil {
		t.Fatal(program, err)
	}
}

// TestTypeScript compiles what is generated for the schemas of this repository, and lets a program use it against servers.
func TestTypeScript(t *testing.T) {
	if *modules == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	if err := os.RemoveAll(filepath.Join(*modules, "generated")); err != nil {
		t.Fatal(err)
	}
	for _, name := range schemas {
		write(t, filepath.Base(name), "../../"+name+".rpc.yaml")
	}
	for _, revision := range published.Revisions {
		write(t, "mcp-"+revision, "../../schema/mcp/"+revision+".yaml")
	}
	hostile, err := os.ReadFile("hostile.rpc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	streams, err := os.ReadFile("../streams/rpc/streams.rpc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"hostile": string(hostile),
		"streams": untyped.ReplaceAllString(string(streams), ""),
		"words":   "rpcgen: v1\npackage: words\nmethods: {ping: {description: Only this text names Listener and RPCError and Numeral.}}\n",
	} {
		doc, faults := (&schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}).Load(name + ".rpc.yaml")
		if doc == nil {
			t.Fatal(faults)
		}
		writeDocument(t, name, doc, typescript.Options{BigInt: true})
	}
	writePage(t)
	run(t, "node_modules/.bin/tsc", "-p", ".")
	run(t, "node_modules/.bin/prettier", "--check", "--log-level=warn", "generated")
	run(t, "node", "out/types.js")
	run(t, "node", "out/texts.js")
	run(t, "node", "out/streams.js")
	t.Run("Methods", callMethods)
	t.Run("Tools", callTools)
	t.Run("Size", func(t *testing.T) { run(t, "node", "size.mjs") })
}

// server answers some methods of all kinds.
type server struct{ allkinds.UnimplementedServer }

func (server) AllStruct(_ context.Context, p allkinds.AllStructParams) (allkinds.AllStructResult, error) {
	if p.Name == "Nowhere" {
		return allkinds.AllStructResult{}, &allkinds.CityNotFoundError{City: p.Name, DidYouMean: []string{"Somewhere"}}
	}
	return allkinds.AllStructResult{Total: int64(len(p.Name)), Point: &allkinds.Point{X: 1, Y: 2.5}}, nil
}

func (server) AllUnion(_ context.Context, s allkinds.Shape) (allkinds.Shape, error) { return s, nil }

// AllScalar answers with a number that no number of JavaScript is.
func (server) AllScalar(_ context.Context, p allkinds.AllScalarParams) (int64, error) {
	return p.N + 1<<53, nil
}

func (server) AllPosition(_ context.Context, p allkinds.AllPositionParams) (string, error) {
	limit, given := p.Limit.Get()
	return fmt.Sprint(p.Name, " ", limit, given, " ", p.Tags), nil
}

func (server) AllSlow(ctx context.Context, p allkinds.AllSlowParams) (result allkinds.AllSlowResult, err error) {
	for result.Steps < p.Steps {
		result.Steps++
		if err := allkinds.ProgressFrom(ctx).Report(ctx, allkinds.ProgressParams{Done: result.Steps}); err != nil {
			return result, err
		}
	}
	return result, nil
}

// AllText waits until its caller cancels it, and tells the caller that it was.
func (server) AllText(ctx context.Context) (string, error) {
	<-ctx.Done()
	peer := runtime.PeerFrom(ctx)
	if peer == nil {
		return "", ctx.Err() // over HTTP
	}
	return "", errors.Join(ctx.Err(), allkinds.NewCallbackClient(peer).AllLog(context.WithoutCancel(ctx), allkinds.AllLogParams{Text: "cancelled"}))
}

// AllBoth asks back, and answers with what it was told.
func (server) AllBoth(ctx context.Context, p allkinds.AllBothParams) (allkinds.AllBothResult, error) {
	back := allkinds.NewCallbackClient(runtime.PeerFrom(ctx))
	answer, err := back.AllAsk(ctx, allkinds.AllAskParams{Question: fmt.Sprint("what comes after ", p.N, "?")})
	if err != nil {
		return allkinds.AllBothResult{}, err
	}
	var n int64
	_, err = fmt.Sscan(answer.Answer, &n)
	return allkinds.AllBothResult{N: n}, err
}

func callMethods(t *testing.T) {
	web := httptest.NewServer(rpchttp.NewHandler(allkinds.NewHandler(server{}), rpchttp.Options{}))
	defer web.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var addresses []string
	for _, framing := range []frame.Framing{frame.Lines, frame.Headers} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go tcp.Serve(ctx, l, allkinds.NewHandler(server{}), tcp.WithFraming(framing))
		_, port, _ := net.SplitHostPort(l.Addr().String())
		addresses = append(addresses, port)
	}
	run(t, "node", append([]string{"out/methods.js", web.URL}, addresses...)...)
}

// box is a server of some tools.
type box struct{ toolbox.UnimplementedServer }

func (box) SearchItems(_ context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	item := toolbox.Item{Sku: "ABC-0001", Name: in.Query, Cents: 1999}
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{item}[:min(1, in.Limit)]}, nil
}

func (box) Reserve(_ context.Context, in toolbox.ReserveInput) error {
	return &toolbox.OutOfStockError{Sku: in.Sku, Left: 3}
}

func callTools(t *testing.T) {
	h := mcphttp.NewHandler(toolbox.NewServer(box{}, mcp.Options{}), mcphttp.Options{})
	defer h.Close()
	web := httptest.NewServer(h)
	defer web.Close()
	run(t, "node", "out/tools.js", web.URL)
}

// TestLists compiles what rpcgen types writes for the tools of servers that others wrote, with the settings of tsconfig.json and those of bundlers.
func TestLists(t *testing.T) {
	if *modules == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	rpcgen := filepath.Join(t.TempDir(), "rpcgen")
	if out, err := exec.Command("go", "build", "-o", rpcgen, "github.com/rpcgen-go/rpcgen/cmd/rpcgen").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	folder := filepath.Join(*modules, "lists")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open("testdata/lists.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]json.RawMessage{}
	if err := json.NewDecoder(unpacked).Decode(&lists); err != nil {
		t.Fatal(err)
	}
	for name, list := range lists {
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, list, 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(rpcgen, "types", file, "--quiet", "--out", filepath.Join(folder, name)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	settings := `{"extends": "../tsconfig.json", "compilerOptions": {"noEmit": true, "isolatedModules": true, "skipLibCheck": false}, "include": ["."]}`
	if err := os.WriteFile(filepath.Join(folder, "tsconfig.json"), []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lists", len(lists))
	run(t, "node_modules/.bin/tsc", "-p", "lists")
}

// TestOrder generates the same text twice, and compares the files with those that are known.
func TestOrder(t *testing.T) {
	doc, faults := schema.Load("../allkinds/allkinds.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	first, _ := typescript.Generate(doc, typescript.Options{})
	again, _ := typescript.Generate(doc, typescript.Options{})
	names := strings.Join(typescript.FileNames, " ")
	for i, f := range first {
		if !bytes.Equal(f.Text, again[i].Text) {
			t.Errorf("%s differs from run to run", f.Name)
		}
		if !strings.Contains(names, f.Name) {
			t.Errorf("%s is not in FileNames", f.Name)
		}
		if !bytes.HasPrefix(f.Text, []byte("// "+templates.Header(doc.File)+"\n")) {
			t.Errorf("%s does not say what it is generated from", f.Name)
		}
	}
}

// untyped are the streams of test/streams for which there is no TypeScript: those that clients send, and those with another name on the wire.
var untyped = regexp.MustCompile(`(?s)  echo: .*?\n|  eth/heads:.*\n\n`)
