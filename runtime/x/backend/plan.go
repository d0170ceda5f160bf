package backend

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// plan is a Call in the form in which requests are made and answers are read.
type plan struct {
	texts  []string // the path around its fields: one more than fields
	fields []string
	places map[string]*Place
	byRule string // where members of the input lie that have no place of their own
	body   *member
	output tree
	named  map[string]bool // members of the output that have a place
	errors []tree
	poll   *Call // asks for the state of what an answer of 202 announces; nil if that is not waited for

	headers http.Header // constants
	accept  []string    // the media type of the answer
}

// member is a member of a body that is sent: an object, a constant, or a member of the input.
type member struct {
	name   string
	fixed  string // JSON; empty if it is none
	field  string // of the input; empty if it is none
	inside []*member
}

// callPlan returns the plan of the call. A path that cannot be read panics: the compiler has checked it.
func (c *Call) callPlan() *plan {
	c.once.Do(func() {
		p := &plan{places: map[string]*Place{}, byRule: "body", body: new(member), named: map[string]bool{}, headers: constants(c.Headers),
			accept: []string{c.accepts()}}
		rest := c.Path
		for {
			before, after, ok := strings.Cut(rest, "{")
			p.texts = append(p.texts, before)
			if !ok {
				break
			}
			var name string
			name, rest, _ = strings.Cut(after, "}")
			p.fields = append(p.fields, name)
		}
		if c.Method == "GET" || c.Method == "HEAD" || c.Method == "DELETE" {
			p.byRule = "query"
		}
		for i := range c.Input {
			place := &c.Input[i]
			p.places[place.Field] = place
			if place.In == "body" && !place.Whole && place.As != "" {
				p.body.add(mustPath(place.As)).field = place.Field
			}
		}
		for _, name := range p.fields {
			p.places[name] = &Place{Field: name, In: "path"}
		}
		for _, m := range c.Members {
			p.body.add(mustPath(m.Name)).fixed = m.Value
		}
		p.output = outputTree(c.Output, p.named)
		for _, e := range c.Errors {
			p.errors = append(p.errors, outputTree(e.Data, nil))
		}
		if c.Wait != nil {
			p.poll = &Call{Tool: c.Tool, Method: "GET", Path: c.Wait.Path, Anonymous: c.Anonymous, Auth: c.Auth}
		}
		c.plan = p
	})
	return c.plan
}

// outputTree finds the members of an output in a body.
func outputTree(places []Place, named map[string]bool) tree {
	var t tree
	for i, place := range places {
		if named != nil {
			named[place.Field] = true
		}
		switch {
		case place.In != "body":
		case place.Whole:
			t.add(nil, i)
		case place.As == "":
			t.add(steps{{name: place.Field}}, i)
		default:
			t.add(mustPath(place.As), i)
		}
	}
	return t
}

func mustPath(path string) steps {
	s, err := parsePath(path)
	if err != nil {
		panic("backend: " + path + " is " + err.Error())
	}
	return s
}

// add returns the member at a path, with the objects on the way.
func (m *member) add(path steps) *member {
next:
	for _, s := range path {
		for _, inner := range m.inside {
			if inner.name == s.name {
				m = inner
				continue next
			}
		}
		inner := &member{name: s.name}
		m.inside = append(m.inside, inner)
		m = inner
	}
	return m
}

// present reports whether anything in the member is sent.
func (m *member) present(values map[string]wire.Peek) bool {
	if m.fixed != "" {
		return true
	}
	if _, ok := values[m.field]; ok && m.field != "" {
		return true
	}
	return slices.ContainsFunc(m.inside, func(inner *member) bool { return inner.present(values) })
}

// appendMembers appends the members inside of m that are present, each with a comma before it.
func (m *member) appendMembers(b []byte, values map[string]wire.Peek) []byte {
	for _, inner := range m.inside {
		if !inner.present(values) {
			continue
		}
		b = append(wire.AppendString(append(b, ','), inner.name), ':')
		switch {
		case inner.fixed != "":
			b = append(b, inner.fixed...)
		case inner.field != "":
			b = append(b, values[inner.field].JSON()...)
		default:
			start := len(b)
			b = wire.CloseObject(inner.appendMembers(b, values), start)
		}
	}
	return b
}
