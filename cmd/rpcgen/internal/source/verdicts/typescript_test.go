package verdicts_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

var (
	scripts      = flag.String("typescript", "", "folder of test/typescript with its packages installed: compare validators of TypeScript with the interpreter")
	scriptValues = flag.Int("typescriptvalues", 100_000, "how many values they are compared on")
)

// scriptQuestion is a text, and what the interpreter says of it.
type scriptQuestion struct {
	Check string     `json:"check"`
	Text  string     `json:"text"`
	Want  [][]string `json:"want"`
}

// TestTypeScript asks generated validators of TypeScript, in Node, about values that nearly fit. They find the same violations as the interpreter, at the same
// pointers, in the same words. Without --bigint they also refuse what a number of JavaScript does not hold.
func TestTypeScript(t *testing.T) {
	if *scripts == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	schemas := []string{allkinds + "allkinds.rpc.yaml", "../../../../../schema/mcp/2025-11-25.yaml", "../../../../../schema/mcp/2026-07-28.yaml", "../../../../../examples/lsp/lsp.rpc.yaml"}
	shares := []int{70, 10, 10, 10}
	for i, name := range schemas {
		t.Run(filepath.Base(name), func(t *testing.T) {
			doc, faults := schema.Load(name)
			if doc == nil {
				t.Fatal(faults)
			}
			compareInNode(t, doc, *scriptValues*shares[i]/100)
		})
	}
}

func compareInNode(t *testing.T, doc *ir.Document, values int) {
	dir, err := os.MkdirTemp(*scripts, "verdicts-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, big := range []bool{false, true} {
		folder := filepath.Join(dir, map[bool]string{false: "numbers", true: "bigints"}[big])
		files, faults := typescript.Generate(doc, typescript.Options{BigInt: big})
		if len(faults) > 0 || len(files) == 0 {
			t.Fatal(faults)
		}
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(folder, f.Name), f.Text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	questions := filepath.Join(dir, "values.jsonl")
	n := writeQuestions(t, questions, doc, values)
	out, err := exec.Command("node", filepath.Join(*scripts, "verdicts.mjs"), dir).CombinedOutput()
	t.Logf("%d values: %s", n, out)
	if err != nil {
		t.Fatal(err)
	}
}

// writeQuestions draws values of all declared types, and returns how many.
func writeQuestions(t *testing.T, name string, doc *ir.Document, values int) int {
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	names, _ := templates.NewNames(doc)
	type source struct {
		check string
		of    ir.Type
		from  []ir.Value
	}
	var all []source
	for _, d := range doc.Types {
		if from := samples(&ir.Ref{Decl: d}); !d.Mixin && !d.Go.Bound() && len(from) > 0 {
			all = append(all, source{names.Declared(d) + "Check", &ir.Ref{Decl: d}, from})
		}
	}
	n := 0
	ask := func(s source, v ir.Value) {
		q := scriptQuestion{Check: s.check, Text: v.String(), Want: [][]string{}}
		read, err := ir.ParseJSON([]byte(q.Text))
		if err != nil {
			t.Fatalf("%s: %v", q.Text, err)
		}
		for _, f := range judge.Judge(s.of, read) {
			q.Want = append(q.Want, []string{f.Pointer, f.Rule, f.Message})
		}
		slices.SortFunc(q.Want, slices.Compare[[]string])
		if err := encoder.Encode(q); err != nil {
			t.Fatal(err)
		}
		n++
	}
	for _, s := range all {
		for _, v := range s.from {
			for _, v := range near(v) {
				if n < values/2 {
					ask(s, v)
				}
			}
		}
	}
	e := newEditor(1)
	for _, text := range []string{"9007199254740993", "18446744073709551615", "-9223372036854775808", "0.1", "1.10", "19.990", "99999999999999999999.99", "1e400", "1e-400", "2.5e2", "-0",
		`"123456"`, `"a-b"`, `"2026-02-30"`, `"P1DT2H"`, `"aGk="`, `"aGk"`, `"é😀"`, `"\u0000\u0007\u00ad"`, `"ann@example.com"`, `"a@b@c"`, `"123e4567-e89b-12d3-a456-426614174000"`,
		`"/x{/id,y*}"`, `{"__proto__":1,"constructor":"x"}`, `{"type":"text","text":""}`, `[1,1.0]`, `[{"x":1,"y":2},{"y":2.0,"x":1}]`} {
		v, err := ir.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		e.pool = append(e.pool, v)
	}
	for n < values {
		s := all[e.IntN(len(all))]
		ask(s, e.edited(s.from[e.IntN(len(s.from))]))
	}
	return n
}

// TestSameNames compares the names of validators with those that the comparison looks for.
func TestSameNames(t *testing.T) {
	doc, faults := schema.Load(allkinds + "allkinds.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	files, _ := typescript.Generate(doc, typescript.Options{})
	names, _ := templates.NewNames(doc)
	for _, f := range files {
		if f.Name != "validate.ts" {
			continue
		}
		for _, d := range doc.Types {
			if !d.Mixin && !d.Go.Bound() && !strings.Contains(string(f.Text), "export const "+names.Declared(d)+"Check: ") {
				t.Errorf("%s has no validator", d.Name)
			}
		}
	}
}
