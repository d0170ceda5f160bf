package lsp

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// references finds where a schema names a type: T in its own file, alias.T in others. The declaration is not among them.
type references struct {
	name  string
	found []diag.Span
}

// value looks at what stands at a place of the grammar.
func (r *references) value(n *syntax.Node, p *grammar.Place) {
	if p == nil || p == grammar.Data() {
		return
	}
	switch n.Kind {
	case syntax.Sequence:
		for _, item := range n.Items {
			r.value(item, p.Items)
		}
	case syntax.Mapping:
		for _, e := range n.Entries {
			r.entry(e, p)
		}
	case syntax.Scalar:
		if e, fault := syntax.ParseExpr(n); p.Takes(grammar.Expression) && fault == nil {
			r.expression(e)
		}
	}
}

func (r *references) entry(e syntax.Entry, p *grammar.Place) {
	if e.Key.Text == "$ref" && p.Key("$ref") != nil {
		if at := strings.LastIndexByte(e.Value.Text, '/') + 1; e.Value.Text[at:] == r.name {
			r.found = append(r.found, e.Value.Within(at, len(r.name)))
		}
		return
	}
	r.value(e.Value, p.Value(e.Key.Text))
}

func (r *references) expression(e *syntax.Expr) {
	if e.Kind == syntax.NameExpr && e.Name == r.name {
		r.found = append(r.found, e.Span)
	}
	for _, arg := range e.Args {
		r.expression(arg)
	}
}

// paths looks at the paths that begin with the name of a type: those of go.rename and, after types., those of lint.ignore.
func (r *references) paths(root tree) {
	if renamed := root.Get("go").Get("rename"); renamed.Node != nil {
		for _, e := range renamed.Entries {
			r.path(e.Key, "")
		}
	}
	ignored := root.Get("lint").Get("ignore")
	if ignored.Node == nil {
		return
	}
	for _, item := range ignored.Items {
		if at := item.Get("at"); at != nil {
			r.path(at, "types.")
		}
	}
}

func (r *references) path(n *syntax.Node, prefix string) {
	rest, ok := strings.CutPrefix(n.Text, prefix+r.name)
	if ok && (rest == "" || strings.IndexByte(".[{|*", rest[0]) >= 0) {
		r.found = append(r.found, n.Within(len(prefix), len(r.name)))
	}
}
