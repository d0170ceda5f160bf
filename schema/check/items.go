package check

import (
	"cmp"
	"math"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// cancelItems is the notification by which clients end streams whose id is that of their request, if the protocol has none.
const cancelItems = "rpc.cancel"

// items reads what a stream sends, and how.
func (c *methodChecker) items(m *ir.Method, e syntax.Entry) {
	if m.Notification {
		c.d.report(diag.NotificationResult, e.Key.Span, "declare it under methods", "only a method has items: a notification has no answer, and no end")
		return
	}
	own := c.defaults
	i := &own
	m.Items = i
	if e.Value.Kind != syntax.Mapping {
		i.Type = c.types.payload(e)
		return
	}
	c.howItems(i, e, grammar.Method().Value("items"))
	i.Type = c.d.brokenType(e.Key.Span.Pos)
	if t := e.Value.Entry("type"); t != nil {
		i.Type = c.types.payload(*t)
	} else {
		c.d.report(diag.MissingKey, e.Key.Span, "add type: with the type of an item", "the items of %q have no type", m.Name)
	}
}

// howItems reads how items travel.
func (c *methodChecker) howItems(i *ir.Items, e syntax.Entry, at *grammar.Place) {
	for _, e := range c.d.keyedEntries(e, "write by:, method:, id: or value: below it", "items", at) {
		switch e.Key.Text {
		case "by":
			if i.First = c.d.word(e, at.Value("by").Words...) == "id"; !i.First {
				i.End, i.EndID = "", ""
			}
		case "end":
			c.itemsEnd(i, e, at.Value("end"))
		case "buffer":
			i.Buffer, _ = c.d.integer(e, 1, 1<<20, diag.InvalidValue)
		case "bytes":
			i.Bytes, _ = c.d.integer(e, 1, math.MaxInt32, diag.InvalidValue)
		case "over":
			i.Oldest = c.d.word(e, at.Value("over").Words...) == "oldest"
		default:
			c.d.plain(e, map[string]any{"method": &i.Method, "id": &i.ID, "value": &i.Value})
		}
	}
}

// itemsEnd reads the method that ends a stream.
func (c *methodChecker) itemsEnd(i *ir.Items, e syntax.Entry, at *grammar.Place) {
	if e.Value.Kind != syntax.Mapping {
		i.End, i.EndID = c.d.text(e), ""
		return
	}
	c.d.keys(e.Value, "end", at)
	if c.d.needs(e.Value, e.Key.Span, "the end of streams", "method", "id") {
		for _, e := range e.Value.Entries {
			c.d.plain(e, map[string]any{"method": &i.End, "id": &i.EndID})
		}
	}
}

// streams completes the methods that are streams, and compares them with others.
func (c *methodChecker) streams() {
	items, p := map[string]*ir.Method{}, &c.doc.Protocol
	onWire, ends := map[[2]string]*ir.Method{}, map[string]*ir.Method{}
	for _, m := range c.doc.Methods {
		c.share(m, onWire)
		i := m.Items
		if i == nil {
			continue
		}
		i.Method, i.ID, i.Value = cmp.Or(i.Method, "rpc.item"), cmp.Or(i.ID, "id"), cmp.Or(i.Value, "item")
		at := diag.Span{Pos: m.Key("items"), Len: len("items")}
		c.streamAlone(m, at)
		switch {
		case i.First && i.End == "":
			c.d.report(diag.MissingKey, at, "add end: with the name of the method by which clients end a stream",
				"the items of %q are by id, and nothing ends them", m.Name)
		case i.First && m.Result != nil:
			c.d.report(diag.ConflictingKeys, diag.Span{Pos: m.Key("result"), Len: len("result")}, "remove result, or by: id",
				"the result of %q is the id of the stream", m.Name)
		case !i.First && i.End != "":
			c.d.report(diag.ConflictingKeys, at, "remove end, or write by: id", "a stream by request is ended as the protocol cancels requests, and %q says end", m.Name)
		case !i.First:
			if p.CancelMethod == "" {
				p.CancelMethod, p.CancelID = cancelItems, "id"
			}
			i.End, i.EndID = p.CancelMethod, p.CancelID
		}
		c.reportUndeclared(at, i.Method, "the notification")
		if i.First {
			c.reportUndeclared(at, i.End, "the ending method")
			if o := ends[i.End]; o == nil {
				ends[i.End] = m
			} else if o.From == m.From && cmp.Or(o.Items.EndID, "id") != cmp.Or(i.EndID, "id") {
				c.d.report(diag.ConflictingKeys, at, "give both the same end:", "%q ends %q as well, by another member of its params", i.End, o.Name)
			}
		}
		other := items[i.Method]
		if other == nil {
			items[i.Method] = m
		} else if other.Items.ID != i.ID || other.Items.First != i.First {
			c.d.report(diag.ConflictingKeys, at, "give one of them another notification with method:, or both the same id: and by:",
				"the notification %q has the items of %q as well, in another form", i.Method, other.Name)
		}
	}
}

// share compares a method with those before it, by their names on the wire and their constants: the first one of a name is there without its constant, too.
func (c *methodChecker) share(m *ir.Method, before map[[2]string]*ir.Method) {
	at := point(m.Pos, len(m.Name))
	if pos := m.Key("wire"); pos.Valid() {
		at = point(pos, len("wire"))
	}
	if m.Items == nil && m.Wire != "" {
		c.d.report(diag.ConflictingKeys, at, "remove wire, and declare the method by that name", "only a stream has another name on the wire, and %q is none", m.Name)
		return
	}
	if slices.Contains(c.doc.Reserved.Methods, m.Wire) {
		c.d.report(diag.ReservedName, at, "choose another name", "%q is reserved and may not be declared again", m.Wire)
	}
	_, value := m.Constant()
	for _, key := range [][2]string{{m.OnWire()}, {m.OnWire(), value}} {
		o := before[key]
		if o == nil {
			before[key] = m
		} else if why := unlike(m, o, c.doc.Exposed); why != "" {
			c.d.collide(diag.DuplicateMethod, at, "name one of them otherwise, or begin the params of both with a constant such as kind: {const: newHeads}",
				quote(o.Name)+" is "+quote(m.OnWire())+" on the wire as well, and "+why, point(o.Pos, len(o.Name)), "declaration of "+quote(o.Name))
			return
		}
	}
}

// unlike says why two methods cannot share a name on the wire; it is empty if they can, or are one.
func unlike(m, o *ir.Method, exposed []ir.Key) string {
	param, value := m.Constant()
	its, other := o.Constant()
	switch {
	case m == o:
		return ""
	case m.Items == nil || o.Items == nil:
		return "only streams share one"
	case m.From != o.From:
		return "they go in two directions"
	case m.Rate != nil || o.Rate != nil:
		return "a rate would count the calls of both"
	case !slices.Equal(m.Scopes, o.Scopes):
		return "their scopes differ"
	case slices.ContainsFunc(exposed, func(k ir.Key) bool { return m.Extension(k.Name).Text != o.Extension(k.Name).Text }):
		return "what they expose differs"
	case value == "":
		return "the first param of " + quote(m.Name) + " is not always a constant text"
	case other == "":
		return "the first param of " + quote(o.Name) + " is not always a constant text"
	case param != its:
		return "their constants have two names, " + quote(its) + " and " + quote(param)
	case value == other:
		return "both have the constant " + quote(value)
	}
	return ""
}

// streamAlone reports what a stream cannot have.
func (c *methodChecker) streamAlone(m *ir.Method, at diag.Span) {
	for _, key := range []string{"timeout", "idempotent", "cache", "page", "embedded", "stream"} {
		if pos := m.Key(key); pos.Valid() {
			c.d.report(diag.ConflictingKeys, diag.Span{Pos: pos, Len: len(key)}, "remove "+key, "%q is a stream, for which %s has no meaning", m.Name, key)
		}
	}
	if m.From == ir.FromBoth {
		c.d.report(diag.ConflictingKeys, diag.Span{Pos: m.Key("from"), Len: len("from")}, "declare a method for each direction", "a stream goes in one direction")
	}
	if c.doc.Server != nil {
		c.d.report(diag.ConflictingKeys, at, "write a method without items; an MCP server reports progress as MCP does", "a schema with server has no streams")
	}
}

// reportUndeclared reports a method or notification that comes with a stream, and is declared as well.
func (c *methodChecker) reportUndeclared(at diag.Span, name, what string) {
	if m := ir.First(c.doc.Methods, func(m *ir.Method) bool { return m.OnWire() == name }); m != nil {
		c.d.collide(diag.DuplicateMethod, at, "remove the declaration: it is generated with the stream", what+" "+quote(name)+" is declared as well",
			point(m.Pos, len(m.Name)), "declaration of "+quote(name))
	}
}
