package check

import (
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// readWaiting reads how the end of the work that an answer of 202 announces is waited for.
func (q *requestChecker) readWaiting(e syntax.Entry) {
	if !q.d.mapping(e, "write {get: /path, until: {status: completed}} or {location: true}") {
		return
	}
	place := grammar.Tool().Value("http").Value("wait")
	q.d.keys(e.Value, "wait", place)
	w := &ir.Waiting{Pos: e.Key.Span.Pos}
	parent := e.Value
	for _, e := range parent.Entries {
		switch e.Key.Text {
		case "id":
			w.ID = q.c.pathKey(parent, "id")
		case "until":
			w.Until = q.conditions(e)
		case "fail":
			w.Fail = q.conditions(e)
		case "every":
			if w.Every = q.d.duration(e, "time between requests"); w.Every > 0 && w.Every < shortestWait {
				q.d.report(diag.InvalidValue, e.Value.Span, "write "+shortestWait.String()+" or more", "every cannot be %q", e.Value.Text)
			}
		default:
			q.d.plain(e, map[string]any{"get": &w.Get, "location": &w.Location})
		}
	}
	switch {
	case (w.Get != "") == w.Location:
		q.d.report(diag.MissingKey, e.Key.Span, "write get: and a path, or location: true",
			"wait says where the state of the work is by get or by location, one of them")
		return
	case w.Get != "" && len(w.Until) == 0:
		q.d.report(diag.MissingKey, e.Key.Span, "add until: {PATH: VALUE}", "nothing says when the work is done")
		return
	}
	q.h.Wait = w
}

// shortestWait is the shortest time between two requests for the state of some work.
const shortestWait = 100 * time.Millisecond

// conditions reads paths into an answer, each with its value, or a list of such values.
func (q *requestChecker) conditions(e syntax.Entry) (all []ir.FixedMember) {
	for _, e := range q.d.entries(e, "write path: value") {
		if !answerPath().MatchString(e.Key.Text) {
			q.d.report(diag.AnswerPath, e.Key.Span, `write a path such as action.status or items[0].state`, "%q is not a path into an answer", e.Key.Text)
			continue
		}
		v := q.d.value(e.Value)
		nested := func(one ir.Value) bool { return one.Kind == ir.Object || one.Kind == ir.Array }
		if nested(v) && (v.Kind == ir.Object || len(v.Items) == 0 || slices.ContainsFunc(v.Items, nested)) {
			q.d.report(diag.InvalidValue, e.Value.Span, "write text, a number, true, false or null, or a list of these",
				"a member of an answer is compared with a value, or with several")
		}
		all = append(all, ir.FixedMember{Pos: e.Key.Span.Pos, Path: e.Key.Text, Value: v})
	}
	return all
}

// waitFields checks what the path of the requests for the state names: {id}, and fields that the path of the request names as well.
func (q *requestChecker) waitFields() {
	w := q.h.Wait
	if w == nil || w.Get == "" {
		return
	}
	e := q.entry.Value.Entry("wait").Value.Entry("get")
	if !q.wellFormed(w.Get, e.Value) {
		return
	}
	known := q.inPath
	if w.ID != "" {
		known = append(slices.Clone(known), "id")
	}
	for _, at := range pathField().FindAllStringIndex(w.Get, -1) {
		if name := w.Get[at[0]+1 : at[1]-1]; !slices.Contains(known, name) {
			help := q.d.suggest(name, func() []string { return known })
			if name == "id" {
				help = "add id: and its path in the answer, such as data.id"
			}
			q.report(diag.UnknownPlaceholder, e.Value.Within(at[0], at[1]-at[0]), help, "%s names {%s}, which is neither {id} nor in the path of the request",
				w.Get, name)
		}
	}
	if w.ID != "" && !strings.Contains(w.Get, "{id}") {
		q.report(diag.UnknownPlaceholder, e.Value.Span, "write {id} where it belongs", "%s does not name {id}, which id gives a value", w.Get)
	}
}
