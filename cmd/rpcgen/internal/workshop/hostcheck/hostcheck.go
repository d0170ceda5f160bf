// Package hostcheck reports what hosts of MCP and APIs of models do not take in a list of tools: names, texts, schemas and numbers that are past the
// limits of package hosts.
//
//test:sequential
package hostcheck

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// List is what a server lists.
type List struct {
	Server       string // its name in the configuration of a host; empty if it is not known
	Instructions string
	Tools        []ir.Value // objects
	at           string     // JSON Pointer of the object with the tools
	bare         bool       // the document is the list
}

// Parse reads {"tools": [...], "instructions": ..., "serverInfo": {"name": ...}}, of which only the tools are required, a response with such a result, or
// a list of tools alone.
func Parse(text []byte) (List, error) {
	v, err := ir.ParseJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return List{}, err
	}
	l := List{}
	if result, ok := v.Get("result"); ok {
		v, l.at = result, "/result"
	}
	if v.Kind == ir.Array {
		l.bare, l.Tools = true, v.Items
	} else {
		tools, ok := v.Get("tools")
		if !ok || tools.Kind != ir.Array {
			return List{}, errors.New("it has no list of tools: write {\"tools\": [...]}, as rpcgen tools --json prints it")
		}
		l.Tools = tools.Items
	}
	for i, t := range l.Tools {
		if t.Kind != ir.Object {
			return List{}, fmt.Errorf("%s is not an object", l.tool(i))
		}
	}
	l.Instructions = v.Member("instructions").Text
	l.Server = v.Member("serverInfo").Member("name").Text
	return l, nil
}

// tools returns the JSON Pointer of the list.
func (l *List) tools() string {
	if l.bare {
		return l.at
	}
	return l.at + "/tools"
}

func (l *List) tool(i int) string { return fmt.Sprintf("%s/%d", l.tools(), i) }

// Finding is what hosts do not take.
type Finding struct {
	Code     diag.Code
	Severity diag.Severity // a warning or a note
	Pointer  string        // JSON Pointer into the document
	Message  string
	Help     string
}

// Options are how a list is checked.
type Options struct {
	Strict bool      // the strictest of the present and the older values of a limit holds
	Now    time.Time // by which limits are old
}

// Check returns what the hosts whose limits are given do not take in a list, in the order of the list.
func Check(set *hosts.Set, held []hosts.Held, list List, o Options) []Finding {
	r := &run{set: set, held: held, list: list, Options: o, merged: map[place]int{}}
	for i, t := range list.Tools {
		one := tool{at: list.tool(i), value: t}
		one.name = one.text("name")
		r.names = append(r.names, one.name)
		if input, ok := t.Get("inputSchema"); ok {
			one.input = nodes(one.at+"/inputSchema", input)
		}
		if output, ok := t.Get("outputSchema"); ok {
			one.output = nodes(one.at+"/outputSchema", output)
		}
		r.tools = append(r.tools, one)
	}
	for _, h := range held {
		if check := checks[h.Key]; check != nil {
			check(r, h)
		}
	}
	return r.findings()
}

// tool is a tool with the schemas within its own.
type tool struct {
	at            string // JSON Pointer
	name          string
	value         ir.Value
	input, output []*node // outer schemas first; nil if there are none
}

// text returns a member that is text.
func (t *tool) text(name string) string {
	v, _ := t.value.Get(name)
	if v.Kind != ir.Text {
		return ""
	}
	return v.Text
}

// run is one check of a list.
type run struct {
	Options
	set    *hosts.Set
	held   []hosts.Held
	list   List
	tools  []tool
	names  []string
	found  []findings
	merged map[place]int // where each finding stands
}

// place tells findings apart: what several hosts do not take for the same reason is one finding.
type place struct {
	key         hosts.Key
	at, message string
}

type findings struct {
	place
	help  string
	warns bool
	hosts []hosts.Held
}

// report reports what a host does not take.
func (r *run) report(h hosts.Held, at, help, format string, args ...any) {
	r.add(h, at, help, h.Warns(), format, args...)
}

func (r *run) add(h hosts.Held, at, help string, warns bool, format string, args ...any) {
	p := place{h.Key, at, fmt.Sprintf(format, args...)}
	i, ok := r.merged[p]
	if !ok {
		i = len(r.found)
		r.merged[p] = i
		r.found = append(r.found, findings{place: p, help: help})
	}
	f := &r.found[i]
	if warns && !f.warns {
		f.warns = true
		f.hosts = slices.Insert(f.hosts, 0, h) // the host that matters most is named first
		return
	}
	f.hosts = append(f.hosts, h)
}

func (r *run) findings() []Finding {
	all := make([]Finding, len(r.found))
	order := map[string]int{}
	for i, f := range r.found {
		if _, ok := order[f.at]; !ok {
			order[f.at] = i
		}
		first := f.hosts[0]
		all[i] = Finding{Code: diag.Code(first.Code()), Severity: diag.Note, Pointer: f.at, Message: f.message + ": " + r.whoDoes(f.hosts),
			Help: r.explain(f.help, first)}
		if f.warns {
			all[i].Severity = diag.Warning
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(r.index(a.Pointer)-r.index(b.Pointer), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Code, b.Code))
	})
	return all
}

// index returns the index of the tool that a pointer leads to; -1 for the whole list.
func (r *run) index(pointer string) int {
	i := -1
	if rest, ok := strings.CutPrefix(pointer, r.list.tools()+"/"); ok {
		fmt.Sscanf(rest, "%d", &i)
	}
	return i
}

var does = map[string]string{"refuse": "refuses %s", "drop": "leaves %s out", "cut": "cuts %s", "group": "puts %s into groups", "warn": "advises against %s"}

// verb says what a host does; %s stands for what it does it to.
func verb(h hosts.Held) string {
	if h.On != "cut" {
		return does[h.On]
	}
	switch h.Key {
	case hosts.FullName, hosts.NameBudget, hosts.ToolName:
		return "shortens %s"
	case hosts.ToolDescription, hosts.SchemaDescription, hosts.Instructions:
		return does[h.On]
	}
	return "removes %s"
}

// object says what a host does it to.
func object(key hosts.Key) string {
	switch key {
	case hosts.Tools, hosts.ToolsGrouped, hosts.StrictTools, hosts.Instructions, hosts.OptionalTotal, hosts.UnionTotal:
		return "them"
	}
	return "it"
}

// whoDoes says which hosts do what.
func (r *run) whoDoes(all []hosts.Held) string {
	texts := make([]string, len(all))
	for i, h := range all {
		texts[i] = h.Name() + " " + fmt.Sprintf(verb(h), object(h.Key))
		switch {
		case h.Form == hosts.Number && h.Key != hosts.DescriptionMin:
			texts[i] += " above " + text.Thousands(r.number(h))
		case h.Form == hosts.Pattern:
			texts[i] += " (it takes " + h.Pattern.String() + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// explain adds to a help where the limit is from.
func (r *run) explain(help string, h hosts.Held) string {
	source := fmt.Sprintf("%s, seen %s", h.Source, h.Seen.Format(time.DateOnly))
	if h.Sure == "reported" {
		source += ", reported by others"
	}
	if r.Now.Sub(h.Seen) > hosts.Old {
		source += ", more than 180 days ago: look it up before you rely on it"
	}
	for i, w := range h.Was {
		if h.Form == hosts.Number {
			source += fmt.Sprintf("%s %s on %s", map[bool]string{true: "; other values:", false: ","}[i == 0], text.Thousands(w.Number), w.Seen.Format(time.DateOnly))
		}
	}
	if help == "" {
		return source
	}
	return help + " (" + source + ")"
}

// number returns the number of a limit.
func (r *run) number(h hosts.Held) int {
	n := h.Number
	if r.Strict {
		for _, w := range h.Was {
			n = min(n, w.Number)
		}
	}
	return n
}

// matches reports whether a text fits the pattern of a limit.
func (r *run) matches(h hosts.Held, text string) bool {
	return h.Pattern.MatchString(text) && !(r.Strict && slices.ContainsFunc(h.Was, func(w hosts.Past) bool { return !w.Pattern.MatchString(text) }))
}

// clip returns the beginning of a text.
func clip(s string) string { return text.Clip(s, 60) }
