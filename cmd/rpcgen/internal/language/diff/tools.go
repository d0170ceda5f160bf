package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// compareTools compares the tools of the current documents.
func (c *callComparer) compareTools() {
	olds, news := c.doc.old.Tools, c.doc.new.Tools
	eachPair(c.pairing.tools, olds, news, func(o *ir.Tool) {
		c.callGone(scope{path: c.doc.path("tools", o.Name), old: o.Pos}, ToolRemoved, c.pairing.calls[o], toolText(o), "the tool is gone",
			handlerGone(c.names.old.Tool(o)))
	}, c.tool, func(n *ir.Tool) {
		c.callAdded(scope{path: c.doc.path("tools", n.Name), new: n.Pos}, ToolAdded, c.pairing.calls[n], toolText(n), "a new tool", handlerLacks(c.names.new.Tool(n)))
	})
	c.toolOrder(olds, news)
}

func handlerGone(name string) Judgement {
	return Judgement{Break, name + " is gone for callers, and is never called any more"}
}

func handlerLacks(name string) Judgement {
	return Judgement{Warning, "handlers that do not embed UnimplementedServer lack " + name}
}

// toolText is a tool on one line.
func toolText(t *ir.Tool) string {
	text := t.Name + "(" + strings.TrimPrefix(typeWords(t.Input), "nothing") + ")"
	if form := outputWords(t); form != "" {
		return text + " -> " + form
	}
	return text
}

// tool compares two versions of one tool.
func (c *callComparer) tool(o, n *ir.Tool) {
	before, after := c.names.old.Tool(o), c.names.new.Tool(n)
	s := scope{path: c.doc.path("tools", n.Name), old: o.Pos, new: n.Pos, uses: usesOfPair(c.pairing.calls[o], c.pairing.calls[n], inParams)}
	c.callName(s, ToolRenamed, c.pairing.calls[n], o.Name, n.Name, before, after)
	c.meta(s, o.Meta, n.Meta)
	c.set(s, ToolSetting, o.Meta, n.Meta, []setting{
		{name: "hints", was: hints(o.Hints), is: hints(n.Hints), model: Judgement{Warning, "clients that ask before they call may ask otherwise"}},
		{name: "http", was: o.HTTP.String(), is: n.HTTP.String(), model: Judgement{Warning, "calls are answered by another request"}},
		{name: "icons", was: pictures(o.Icons), is: pictures(n.Icons)},
		{name: "timeout", was: duration(o.Timeout), is: duration(n.Timeout)},
		{name: "rate", was: o.Rate.String(), is: n.Rate.String(), inGo: func() Judgement { return c.without(rateFunction, ir.FromClient) }},
		scopesSetting(o.Scopes, n.Scopes),
		{name: "cache", was: o.Keep.String(), is: n.Keep.String(), inGo: func() Judgement { return c.without(keepFunction, ir.FromClient) }},
		{name: "view", was: resultLimit(o.View), is: resultLimit(n.View), model: Judgement{Warning, "results are cut, refused or shortened at another size"}},
		{name: "codec", was: wordIf(o.Fast, "fast"), is: wordIf(n.Fast, "fast")},
		taskSetting(o.Task, n.Task),
		unknownSetting(o.Input, n.Input),
		{name: "meta", was: o.MetaData.Shown(), is: n.MetaData.Shown()},
		{name: "inputSchema", was: o.Schema.Shown(), is: n.Schema.Shown(), model: Judgement{Warning, "models are told of other arguments"}},
	})
	c.payload(c.part(s, "input", c.pairing.calls[o], c.pairing.calls[n], inParams, o.Input, n.Input), "input", o.Input, n.Input)
	c.output(s, o, n)
	c.methodErrors(s, c.pairing.calls[o], c.pairing.calls[n])
	c.asks(s, o, n)
}

// taskSetting compares whether calls run as tasks. A client that does not take tasks cannot call a tool that runs as nothing else, and a
// client that asks for a task is refused where there is none.
func taskSetting(o, n ir.TaskSupport) setting {
	s := setting{name: "task", was: o.String(), is: n.String(), model: Judgement{OK, "models call it as before"}}
	switch n {
	case ir.TaskRequired:
		s.lost = "calls without a task"
	case ir.TaskNever:
		s.lost = "calls that ask for a task"
	}
	return s
}

// unknownSetting compares whether members that inputs in place do not name are refused. Of other inputs their types tell.
func unknownSetting(o, n ir.Type) setting {
	before, ok := o.(*ir.Struct)
	after, too := n.(*ir.Struct)
	if !ok || !too || !before.Additional.Drops() || !after.Additional.Drops() || before.Additional == after.Additional {
		return setting{}
	}
	s := setting{name: "unknown", was: "ignore", is: "refuse", model: Judgement{OK, "models send what the input names"}}
	s.lost = "calls with members that the input does not name"
	if after.Additional == ir.AdditionalSkipped {
		s.was, s.is, s.lost = "refuse", "ignore", ""
	}
	return s
}

func hints(h ir.Hints) string {
	var all []string
	if h.Title != "" {
		all = append(all, "title "+strconv.Quote(h.Title))
	}
	all = append(all, ir.Each(h.Said(), func(one ir.NamedHint) string { return one.Name + " " + one.Hint.String() })...)
	return strings.Join(all, ", ")
}

// toolOrder reports the first tool that comes before one that it came after: of the order of tools/list nothing depends but what has been kept for a model.
func (c *callComparer) toolOrder(olds, news []*ir.Tool) {
	place := map[*ir.Tool]int{}
	for i, o := range olds {
		place[o] = i
	}
	last, ahead := -1, ""
	for _, n := range news {
		o := c.pairing.tools[n]
		if o == nil {
			continue
		}
		if place[o] < last {
			s := scope{path: strings.TrimSuffix(c.doc.path("tools", ""), "/"), old: o.Pos, new: n.Pos, uses: uses{moved: true}}
			change := c.emit(s, ListOrder, "", "", "the order of tools has changed: "+n.Name+" comes after "+ahead+" now", relation{})
			change.Model = Judgement{OK, "models choose alike; what was cached of a prompt with the list is made anew"}
			return
		}
		last, ahead = place[o], n.Name
	}
}

// listedByTool reports whether a tool of a document lists an error.
func listedByTool(doc *ir.Document, e *ir.Error) bool {
	return slices.ContainsFunc(doc.Tools, func(t *ir.Tool) bool { return slices.Contains(t.Errors, e) })
}
