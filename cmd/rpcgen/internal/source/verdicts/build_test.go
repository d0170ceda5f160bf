package verdicts_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/marked"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// question is a value of a type, and whether it is valid.
type question struct {
	of    string  // what the type was made of
	typ   ir.Type // the type
	value ir.Value
	valid bool
	first int // the number of the same question to the first codec
}

// batch is the imported text of a source, and the types in it that are asked about.
type batch struct {
	text  []byte
	types []string // the names of the types
	asked map[string][]question
}

// built is a module of one package a batch and codec, and a program that is linked with all of them.
type built struct {
	*testing.T
	dir       string
	imports   strings.Builder
	types     strings.Builder
	questions []question // in the order in which the program is asked
	asked     bytes.Buffer
	held      int // types so far
	packages  int
	marks     *rand.Rand // draws codecs of methods; nil if they have none
	unjudged  bool       // only the codecs are compared
}

func newBuilt(t *testing.T) *built { return &built{T: t, dir: overlay.Folder(t)} }

// The codecs that batches are generated with.
const (
	full    = false
	compact = true
)

// add generates the code of a batch. Each type stands in the params of a method, so that it is generated whatever it is and in each codec.
func (b *built) add(one batch, codecs ...bool) {
	var text bytes.Buffer
	text.Write(bytes.Replace(one.text, []byte("rpcgen: v1\n"), []byte("rpcgen: v1\npackage: batch\n"), 1))
	text.WriteString("\nmethods:\n")
	for i, name := range one.types {
		fmt.Fprintf(&text, "  wrapped%d: {params: {value: %s}}\n", i, name)
	}
	doc, err := compiled(text.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	start := len(b.questions)
	for _, codec := range codecs {
		doc.Compact = codec
		b.mark(doc)
		first := start
		b.generate(doc)
		for i, name := range one.types {
			fmt.Fprintf(&b.types, "\tfunc() value { return whole(new(p%d.Wrapped%dParams)) },\n", b.packages, i)
			for _, q := range one.asked[name] {
				q.typ = doc.Types[indexOf(doc, name)].Type
				fmt.Fprintf(&b.asked, "%d {\"value\":%s}\n", b.held, q.value)
				q.first = first
				first++
				b.questions = append(b.questions, q)
			}
			b.held++
		}
		b.packages++
	}
}

// mark draws the codecs of the methods of doc.
func (b *built) mark(doc *ir.Document) {
	if b.marks == nil {
		return
	}
	for _, m := range doc.Methods {
		m.Fast = b.marks.IntN(3) == 0
	}
}

func indexOf(doc *ir.Document, name string) int {
	for i, d := range doc.Types {
		if d.Name == name {
			return i
		}
	}
	return -1
}

func (b *built) generate(doc *ir.Document) {
	files, diags, err := templates.Generate(doc, templates.Options{})
	if err != nil || diags.HasErrors() {
		b.Fatal(err, diags)
	}
	name := fmt.Sprintf("p%d", b.packages)
	for _, f := range files {
		b.write(filepath.Join(name, f.Name), f.Text)
	}
	fmt.Fprintf(&b.imports, "\t%s \"batches/%s\"\n", name, name)
}

func (b *built) write(name string, text []byte) {
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		b.Fatal(err)
	}
}

// module writes the file of the module.
func (b *built) module() {
	root, err := filepath.Abs("../../../../..")
	if err != nil {
		b.Fatal(err)
	}
	marked.Watch(root)
	b.write("go.mod", fmt.Appendf(nil, "module batches\n\ngo 1.26.0\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace github.com/rpcgen-go/rpcgen => %s\n", root))
}

// program reads lines of the number of a type and a value, and writes the values as they are encoded again, or why they are refused after an
// exclamation mark.
const program = `package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"

%s)

type value interface {
	wire.Appender
	wire.Decoder
}

// whole is v, with the methods that it leaves to a Walker.
func whole(v any) value {
	if v, ok := v.(compact.Walked); ok {
		return walked{v}
	}
	return v.(value)
}

type walked struct{ compact.Walked }

func (v walked) AppendJSON(b []byte) []byte     { return compact.WalkAppend(b, v.Walked) }
func (v walked) DecodeJSON(r *wire.Reader)      { compact.WalkDecode(r, v.Walked) }
func (v walked) CheckRules(vs *violation.List) { compact.WalkRules(vs, v.Walked) }

var types = []func() value{
%s}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		number, text, _ := bytes.Cut(line, []byte(" "))
		n, err := strconv.Atoi(string(number))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, answer(types[n](), text))
	}
}

func answer(v value, text []byte) string {
	if err := wire.UnmarshalCopy(text, v); err != nil {
		return "!" + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	again, err := wire.Marshal(v)
	if err != nil {
		return "?" + err.Error()
	}
	return string(again)
}
`

// run builds the program and compares its answers with what is expected: verdicts, and that a value is encoded as it was, without what its type
// does not keep.
func (b *built) run() {
	b.module()
	b.write("main.go", fmt.Appendf(nil, program, b.imports.String(), b.types.String()))
	build := exec.Command("go", "build", "-mod=mod", "-gcflags=./...=-l -dwarf=false", "-o", "batches", ".")
	build.Dir = b.dir
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%.4000s", err, out)
	}
	ask := exec.Command(filepath.Join(b.dir, "batches"))
	ask.Stdin = &b.asked
	var failed bytes.Buffer
	ask.Stderr = &failed
	out, err := ask.Output()
	if err != nil {
		b.Fatalf("%v\n%.4000s", err, &failed)
	}
	answers := bufio.NewScanner(bytes.NewReader(out))
	answers.Buffer(nil, 1<<24)
	n, said := 0, make([]string, len(b.questions))
	for ; answers.Scan() && n < len(b.questions); n++ {
		q := b.questions[n]
		b.compare(q, answers.Text())
		if said[n] = answers.Text(); said[n] != said[q.first] {
			b.Errorf("%s\n%s: the first codec says %s, another one %s", q.of, q.value, said[q.first], said[n])
		}
	}
	if n != len(b.questions) {
		b.Errorf("%d of %d questions are answered", n, len(b.questions))
	}
	b.Logf("%d types in %d packages, asked about %d values", b.held, b.packages, n)
}

func (b *built) compare(q question, answer string) {
	if b.unjudged {
		return
	}
	taken := !strings.HasPrefix(answer, "!")
	if taken != q.valid {
		b.Errorf("%s\n%s: generated code says %s, valid is %v", q.of, q.value, answer, q.valid)
		return
	}
	if !taken {
		return
	}
	again, err := ir.ParseJSON([]byte(answer))
	if err != nil {
		b.Errorf("%s\n%s is encoded as %s: %v", q.of, q.value, answer, err)
		return
	}
	if want := judge.Kept(q.typ, q.value); !judge.Equal(member(again, "value"), want) {
		b.Errorf("%s\n%s is encoded as %s, want %s", q.of, q.value, answer, want)
	}
}
