package backend

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// read reads the output of an answer.
func (c *Client) read(ctx context.Context, q *request, a *answer, decode func(*wire.Reader), check func(*violation.List), principal string) error {
	if decode == nil {
		return nil
	}
	output, err := c.output(q, a, principal)
	if err != nil {
		return odd(q, a, err.Error())
	}
	return c.decode(ctx, q, a, output, decode, check)
}

var errNoJSON = errors.New("it is not JSON")

// output makes the JSON of the output of an answer.
func (c *Client) output(q *request, a *answer, principal string) ([]byte, error) {
	call := q.call
	switch {
	case len(call.Output) > 0:
	case len(a.body) == 0:
		return []byte("{}"), nil
	default:
		return a.body, nil // what it is, decoding finds out
	}
	valid := len(a.body) > 0 && wire.Check(a.body, wire.MaxDepth) == nil
	root := wire.Peek{}
	if valid {
		root = wire.PeekAt(a.body)
	}
	values := make([]wire.Peek, len(call.Output))
	q.plan.output.pick(root, values)
	b := make([]byte, 0, len(a.body)+64)
	var items wire.Peek
	for i := range call.Output {
		place := &call.Output[i]
		if call.Page != nil && place.Field == call.Page.Items {
			items = values[i]
		}
		value, err := place.value(a, values[i], valid)
		if err != nil {
			return nil, err
		}
		if value != nil {
			b = append(append(wire.AppendString(append(b, ','), place.Field), ':'), value...)
		}
	}
	if call.Rest {
		if !valid && len(a.body) > 0 {
			return nil, errNoJSON
		}
		for name, value := range root.Members() {
			if call.Page != nil && name == call.Page.Items && items.Kind() == wire.Invalid {
				items = value
			}
			if !q.plan.named[name] {
				b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
			}
		}
	}
	if next := c.next(q, a, root, items, principal); next != "" {
		for _, place := range call.Output {
			if place.In == "next" {
				b = wire.AppendString(append(wire.AppendString(append(b, ','), place.Field), ':'), next)
			}
		}
	}
	return wire.CloseObject(b, 0), nil
}

// value is the JSON of a member of the output; nil if it is absent.
func (p *Place) value(a *answer, found wire.Peek, valid bool) ([]byte, error) {
	switch p.In {
	case "status":
		return strconv.AppendInt(nil, int64(a.status), 10), nil
	case "header":
		text := a.header.Get(cmp.Or(p.As, p.Field))
		switch {
		case text == "":
			return nil, nil
		case !p.Text && json.Valid([]byte(text)):
			return []byte(text), nil
		}
		return wire.AppendString(nil, strings.ToValidUTF8(text, "\uFFFD")), nil
	case "body":
		switch {
		case p.Whole && p.Bytes:
			return wire.AppendBytes(nil, a.body), nil
		case p.Whole && p.Text && !(valid && a.isJSON()):
			return wire.AppendString(nil, strings.ToValidUTF8(string(a.body), "\uFFFD")), nil
		case !valid && len(a.body) > 0:
			return nil, errNoJSON
		case found.Kind() == wire.Invalid:
			return nil, nil
		}
		return found.JSON(), nil
	}
	return nil, nil
}

// maxRounds bounds how often an answer is read with what does not fit left out.
const maxRounds = 8

// decode reads the output. What does not fit is left out where it may be absent, and reported.
func (c *Client) decode(ctx context.Context, q *request, a *answer, output []byte, decode func(*wire.Reader), check func(*violation.List)) error {
	var first *violation.Error
	for round := 0; ; round++ {
		err := wire.Unmarshal(output, decode, check)
		if err == nil {
			return nil
		}
		broken, ok := errors.AsType[*violation.Error](err)
		if !ok {
			return odd(q, a, err.Error())
		}
		if first == nil {
			first = broken
			c.deviates(ctx, q, a, broken)
		}
		rest, ok := without(output, broken.Violations)
		if !ok || round == maxRounds {
			return odd(q, a, first.Error())
		}
		output = rest
	}
}

// deviates reports the places at which an answer differs from the schema. Names of members in a pointer may be those of the API.
func (c *Client) deviates(ctx context.Context, q *request, a *answer, broken *violation.Error) {
	call, secrets := q.call, q.secrets()
	for _, v := range broken.Violations {
		d := Deviation{Backend: c.api.Name, Tool: call.Tool, Status: a.status, Pointer: secrets.hide(v.Pointer), Rule: v.Rule, Expected: v.Expected,
			Got: clean(secrets.hide(v.Got), maxKept)}
		if c.opts.OnDeviation != nil {
			c.opts.OnDeviation(ctx, d)
		}
		if c.logged.allows(call.Tool+" "+general(d.Pointer)+" "+v.Rule, time.Now()) {
			c.opts.Logger.WarnContext(ctx, "an answer of an API differs from the schema", "backend", d.Backend, "tool", d.Tool, "status", d.Status, "pointer",
				d.Pointer, "rule", d.Rule, "expected", d.Expected)
		}
	}
}

// general is a pointer with * for indexes, so that the elements of a list count as one place.
func general(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// cut marks what is left out of a JSON value.
type cut struct {
	all    bool
	inside map[string]*cut // by the name of a member, or the index of an element
}

// without returns the value without the members that violate rules. It reports false if that would leave out the whole.
func without(b []byte, broken []violation.Violation) ([]byte, bool) {
	root, done := new(cut), false
	for i := range broken {
		if !root.mark(wire.PeekAt(b), &broken[i]) {
			return nil, false
		}
		done = true
	}
	if !done || root.all {
		return nil, false
	}
	return root.copy(nil, wire.PeekAt(b)), true
}

// mark marks the innermost member that holds the place of a violation. Where a member is missing, that is the one which should hold it.
func (c *cut) mark(p wire.Peek, v *violation.Violation) bool {
	var marked *cut
	at := c
	for token := range strings.SplitSeq(strings.TrimPrefix(v.Pointer, "/"), "/") {
		if v.Pointer == "" {
			break
		}
		name, inList := token, p.Kind() == wire.Array
		var inner wire.Peek
		if inList {
			if n, err := strconv.Atoi(name); err == nil {
				inner = p.At(n)
			}
		} else {
			for member, value := range p.Members() {
				if violation.Escape(member) == token {
					name, inner = member, value
					break
				}
			}
		}
		if inner.Kind() == wire.Invalid {
			break // it is missing: what should hold it goes
		}
		p, at = inner, at.at(name)
		if !inList {
			marked = at
		}
	}
	if marked == nil {
		return false
	}
	marked.all = true
	return true
}

func (c *cut) at(name string) *cut {
	if c.inside == nil {
		c.inside = map[string]*cut{}
	}
	if c.inside[name] == nil {
		c.inside[name] = new(cut)
	}
	return c.inside[name]
}

// copy appends a value without what is marked.
func (c *cut) copy(b []byte, p wire.Peek) []byte {
	switch {
	case len(c.inside) == 0:
		return append(b, p.JSON()...)
	case p.Kind() == wire.Array:
		start, i := len(b), 0
		for e := range p.Elements() {
			b = append(b, ',')
			if inner := c.inside[strconv.Itoa(i)]; inner != nil {
				b = inner.copy(b, e)
			} else {
				b = append(b, e.JSON()...)
			}
			i++
		}
		if len(b) == start {
			b = append(b, '[')
		}
		b[start] = '['
		return append(b, ']')
	}
	start := len(b)
	for name, member := range p.Members() {
		inner := c.inside[name]
		if inner != nil && inner.all {
			continue
		}
		b = append(wire.AppendString(append(b, ','), name), ':')
		if inner != nil {
			b = inner.copy(b, member)
		} else {
			b = append(b, member.JSON()...)
		}
	}
	return wire.CloseObject(b, start)
}

// declaredError returns the declared error of an answer; nil if the answer does not hold its data. Where null is not declared, it is the same as absent.
func (c *Client) declaredError(q *request, a *answer, index int) (declared error) {
	d := &q.call.Errors[index]
	root := wire.Peek{}
	valid := len(a.body) > 0 && wire.Check(a.body, wire.MaxDepth) == nil
	if valid {
		root = wire.PeekAt(a.body)
	}
	values := make([]wire.Peek, len(d.Data))
	q.plan.errors[index].pick(root, values)
	for _, nulls := range []bool{true, false} {
		b := q.secrets().HideJSON(d.data(a, root, values, valid, nulls))
		if wire.Unmarshal(b, func(r *wire.Reader) { declared = d.Read(r) }, nil) == nil {
			return modelError(declared)
		}
	}
	return nil
}

// data is the JSON of what is known of an error: members that have places, and those of the body under their own names.
func (d *Declared) data(a *answer, root wire.Peek, values []wire.Peek, valid, nulls bool) (b []byte) {
	named := map[string]bool{}
	for i := range d.Data {
		named[d.Data[i].Field] = true
		if value, err := d.Data[i].value(a, values[i], valid); err == nil && value != nil && (nulls || string(value) != "null") {
			b = append(append(wire.AppendString(append(b, ','), d.Data[i].Field), ':'), value...)
		}
	}
	for name, value := range root.Members() {
		if !named[name] && (nulls || value.Kind() != wire.Null) {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
		}
	}
	return wire.CloseObject(b, 0)
}
