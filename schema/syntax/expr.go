package syntax

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// ExprKind is the kind of a type expression.
type ExprKind uint8

// The kinds of expressions.
const (
	NameExpr ExprKind = iota // Name
	ListExpr                 // list<Args[0]> or Args[0][]
	MapExpr                  // map<Args[0]>
	AltExpr                  // Args[0] | Args[1] | ...
)

// Expr is a type expression: expr = alt { "|" alt }, alt = name | alias.Name | list<expr> | map<expr> | alt[] | (expr).
type Expr struct {
	Kind ExprKind
	Span diag.Span
	Name string
	Args []*Expr
}

// ParseExpr reads the type expression of a scalar, or says what is wrong where.
func ParseExpr(n *Node) (*Expr, *diag.Diagnostic) {
	p := &exprParser{node: n, text: n.Text}
	e := p.expr(0)
	if p.fault == nil && p.peek() != 0 {
		p.fail(p.at, 1, "remove it, or join two types with |", "unexpected "+quote(string([]rune(p.text[p.at:])[0])))
	}
	if p.fault != nil {
		return nil, p.fault
	}
	return e, nil
}

type exprParser struct {
	node  *Node
	text  string
	at    int
	fault *diag.Diagnostic
}

func (p *exprParser) fail(offset, length int, help, message string) {
	if p.fault == nil {
		p.fault = &diag.Diagnostic{Code: diag.InvalidExpression, Span: p.node.Within(offset, length), Message: message, Help: help}
	}
}

// peek returns the next character after blanks; 0 at the end.
func (p *exprParser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *exprParser) expect(c byte, help string) {
	if p.peek() != c {
		p.fail(p.at, 1, help, "expected "+quote(string(c)))
		return
	}
	p.at++
}

func (p *exprParser) expr(depth int) *Expr {
	if depth > maxDepth {
		p.fail(p.at, 1, "give the inner part a name of its own", "the expression is nested too deeply")
		return nil
	}
	p.peek()
	start := p.at
	alts := []*Expr{p.alt(depth)}
	for p.fault == nil && p.peek() == '|' {
		p.at++
		alts = append(alts, p.alt(depth))
	}
	if len(alts) == 1 {
		return alts[0]
	}
	return p.make(AltExpr, start, alts...)
}

func (p *exprParser) make(kind ExprKind, start int, args ...*Expr) *Expr {
	return &Expr{Kind: kind, Span: p.node.Within(start, p.at-start), Args: args}
}

func (p *exprParser) alt(depth int) *Expr {
	c := p.peek()
	start := p.at
	var e *Expr
	if c == '(' {
		p.at++
		e = p.expr(depth + 1)
		p.expect(')', "close the parenthesis")
	} else {
		e = p.name(depth)
	}
	for lists := depth; p.fault == nil && p.peek() == '['; lists++ {
		if lists > maxDepth {
			p.fail(p.at, 1, "give the inner part a name of its own", "the expression is nested too deeply")
		}
		p.at++
		p.expect(']', "T[] is a list of T")
		e = p.make(ListExpr, start, e)
	}
	return e
}

// name reads a name, or list<...> or map<...>.
func (p *exprParser) name(depth int) *Expr {
	start := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at]) {
		p.at++
	}
	name := p.text[start:p.at]
	if name == "" {
		p.fail(start, 1, "", "expected the name of a type")
		return nil
	}
	if p.peek() != '<' {
		return &Expr{Kind: NameExpr, Span: p.node.Within(start, len(name)), Name: name}
	}
	kind, ok := map[string]ExprKind{"list": ListExpr, "map": MapExpr}[name]
	if !ok {
		p.fail(start, len(name), "only list<T> and map<T> take a type", quote(name)+" takes no type in < >")
		return nil
	}
	p.at++
	arg := p.expr(depth + 1)
	p.expect('>', "close the <")
	return p.make(kind, start, arg)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '$' || c >= 0x80
}

// String writes the expression in its canonical spelling: list<T>, one space around |, and parentheses only where a choice is part of another.
func (e *Expr) String() string {
	switch e.Kind {
	case ListExpr:
		return "list<" + e.Args[0].String() + ">"
	case MapExpr:
		return "map<" + e.Args[0].String() + ">"
	case AltExpr:
		alts := make([]string, 0, len(e.Args))
		for _, arg := range e.Args {
			if arg.Kind == AltExpr {
				alts = append(alts, "("+arg.String()+")")
				continue
			}
			alts = append(alts, arg.String())
		}
		return strings.Join(alts, " | ")
	}
	return e.Name
}
