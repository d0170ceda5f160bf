package typecheck

import (
	"go/token"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// TestFunctions finds what is wrong with functions that are checked apart from the declarations, in the part of a file where it stands, and nothing else.
func TestFunctions(t *testing.T) {
	const head = "package p\n\nimport \"strings\"\n\n"
	files := []templates.File{
		{Name: "a.go", Text: []byte(head + `type T struct{ a, b int }

func (t *T) Sum(more ...int) int { return t.a + t.b + len(more) }

func (T) None() {}

var _ interface{ Sum(...int) int } = (*T)(nil)

func New(string) *T { return &T{1, 2} }`)},
		{Name: "a.go", Head: len(head), Text: []byte(head + `func Unused() { n := 1 }

func Missing() int { strings.ToUpper("a") }

func (t *T) Wrong() string { return New("a").Sum(t.a) }

func (t *T) Right() string { return strings.Repeat("a", New("a").Sum(T{1, 2}.b)) }

func Call() { Right() }`)},
		{Name: "b.go", Text: []byte("package p\n\nfunc (t *T) Sum() {}\n\nfunc New() {}")},
	}
	c := &checkedCode{doc: &ir.Document{Package: "p", File: "p.rpc.yaml"}, set: token.NewFileSet()}
	c.declare(files)
	c.check(GoCommand{}, files)
	var all []string
	for _, f := range c.faults {
		all = append(all, strings.TrimPrefix(f.Message, "this becomes Go that does not compile: "))
	}
	const want = `b.go: New redeclared in this block
b.go: method T.Sum already declared at a.go:7:13
a.go: declared and not used: n
a.go: missing return
a.go: cannot use New("a").Sum(t.a) (value of type int) as string value in return statement
a.go: undefined: Right`
	if got := strings.Join(all, "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}
