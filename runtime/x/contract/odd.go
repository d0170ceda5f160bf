package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// odd is a fault in a message of the server that no call asked for, or in the form of an answer.
type odd struct {
	fault
	after int // calls of tools
}

// find keeps an odd message, the first one of each kind. The session is locked.
func (s *session) find(check, keyword, message string) {
	if !slices.ContainsFunc(s.odds, func(o odd) bool { return o.check == check && o.keyword == keyword }) {
		s.odds = append(s.odds, odd{fault{check: check, keyword: keyword, severity: Error, proof: ByProtocol, message: message}, s.made})
	}
}

// oddity is what is wrong with the messages of a session, by the keyword of the fault; "" if nothing is.
func (s *session) oddity(keyword string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.odds {
		if o.keyword == keyword {
			return o.message
		}
	}
	return ""
}

// form looks at the form of an answer.
func (s *session) form(v *jsontree.Value, plain bool) {
	e, result := v.In("error"), v.In("result")
	s.mu.Lock()
	defer s.mu.Unlock()
	_, numeric := e.In("code").Float()
	switch {
	case e != nil && result != nil:
		s.find("Content", "response", "an answer has both a result and an error: "+clip(v.JSON(), 120))
	case e == nil && result == nil:
		s.find("Content", "response", "an answer has neither a result nor an error: "+clip(v.JSON(), 120))
	case e != nil && (!numeric || !e.In("code").Is(jsontree.Integer) || !e.In("message").Is(jsontree.Text)):
		s.find("ErrorCode", "form", "an error has no integer code or no message: "+clip(e.JSON(), 120))
	case !plain && result != nil && !result.Is(jsontree.Object):
		s.find("Content", "response", "a result is not an object: "+clip(v.JSON(), 120))
	}
}

// logLevels are those of logging, the least urgent first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// checkMessage looks at the form of a request or a notification of the server.
func (s *session) checkMessage(method string, id, params *jsontree.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notification := strings.HasPrefix(method, "notifications/")
	switch {
	case id.Is(jsontree.Null):
		s.find("IDKept", "null", "a request of the server, "+clip(method, 60)+", has the id null")
	case id != nil && notification:
		s.find("Notified", "id", "the notification "+clip(method, 60)+" has an id, as if it were a request")
	case id == nil && !notification:
		s.find("Notified", "request", "the request "+clip(method, 60)+" has no id, and cannot be answered")
	case method == "notifications/tools/list_changed":
		s.changes = true
	case method == "notifications/message":
		level := params.In("level").Str()
		s.logs = append(s.logs, level)
		if !slices.Contains(logLevels, level) || params.In("data") == nil {
			s.find("Content", "log", "a log message has an unknown level or no data: "+clip(params.JSON(), 120))
		}
	case method == "notifications/progress":
		s.progress(params)
	}
}

// progress looks at a notification of progress.
func (s *session) progress(params *jsontree.Value) {
	token := cmp.Or(params.In("progressToken"), &jsontree.Value{Kind: jsontree.Null})
	last, known := s.tokens[idKey(token)]
	_, http := s.isProcess()
	is, numeric := params.In("progress").Float()
	switch {
	case !known:
		s.find("Notified", "progress", "a notification of progress has a token that no request had: "+clip(params.JSON(), 100))
	case !numeric || is <= last.at:
		s.find("Notified", "progress", "progress does not grow from one notification to the next: "+clip(params.JSON(), 100))
	case last.over && !http: // there the two may come in another order
		s.find("Notified", "progress", "progress is notified after the answer: "+clip(params.JSON(), 100))
	default:
		last.at = is
		s.tokens[idKey(token)] = last
		s.moved = time.Now()
	}
}

// asksFor looks at the form that the user is asked to fill in.
func (s *session) asksFor(form *jsontree.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	properties := form.In("properties")
	wrong := form.In("type").Str() != "object" || !properties.Is(jsontree.Object)
	for _, name := range properties.Names() {
		switch field := properties.In(name); field.In("type").Str() {
		case "string", "number", "integer", "boolean":
		case "array": // since 2025-11-25, of choices
			wrong = wrong || field.In("items") == nil
		default:
			s.find("Content", "elicitation", "the user is asked for "+clip(name, 40)+" of a form, which is not a text, number, boolean or choice: "+clip(field.JSON(), 80))
		}
	}
	if wrong {
		s.find("Content", "elicitation", "the user is asked to fill in a form that is not an object with properties: "+clip(form.JSON(), 100))
	}
}

// lastProgress is the last progress of a request.
type lastProgress struct {
	at   float64
	over bool // it was answered
}

// moves reports whether progress was notified lately.
func (s *session) moves(lately time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.moved.IsZero() && time.Since(s.moved) < lately
}

// overhears keeps the suspicions of what a session has said that no call asked for.
func overhears(r rig, s *session) {
	s.mu.Lock()
	all := s.odds
	s.odds = nil
	s.mu.Unlock()
	history := s.history()
	for _, o := range all {
		r.overheard(o.fault, history[:min(o.after, len(history))], func(s *session) bool {
			for _, l := range mcpLists {
				if s.info.In("capabilities").In(l.capability) != nil {
					s.request(r.ctx, l.method, "", r.o.Timeout)
				}
			}
			time.Sleep(quiet)
			return s.oddity(o.keyword) != ""
		})
	}
}

// progress calls tools that ask for their progress.
func progress(r rig) {
	r.controls(fault{check: "Notified", keyword: "progress"}, func(_ context.Context, s *session, call func(*tool)) string {
		s.watched = true
		for _, t := range r.active() {
			call(t)
		}
		time.Sleep(quiet)
		s.watched = false
		return s.oddity("progress")
	})
}

// levels asks for few log messages.
func levels(r rig) {
	if s := r.session(); s == nil || s.info.In("capabilities").In("logging") == nil {
		return
	}
	r.controls(fault{check: "Capability", keyword: "level"}, func(ctx context.Context, s *session, call func(*tool)) string {
		if stateless(s.revision) || s.request(ctx, "logging/setLevel", `{"level":"emergency"}`, r.probeTimeout()).result() == nil {
			return ""
		}
		s.mu.Lock()
		before := len(s.logs)
		s.mu.Unlock()
		for _, t := range r.active() {
			call(t)
		}
		time.Sleep(quiet)
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.IndexFunc(s.logs[before:], func(level string) bool { return level != "emergency" }); i >= 0 {
			return fmt.Sprintf("the server sends a log message of the level %s after the level emergency was set", s.logs[before+i])
		}
		return ""
	})
}

// listedLast lists the tools after all calls.
func listedLast(r rig) {
	if !r.runs("ListUnstable") || r.main == nil || r.main.over() || len(r.listed) == 0 {
		return
	}
	differs := func(s *session) bool {
		now, err := r.list(r.ctx, s)
		s.mu.Lock()
		defer s.mu.Unlock()
		has := func(e *jsontree.Value) bool { return slices.ContainsFunc(now, e.Equal) }
		return err == nil && !s.changes && (len(now) != len(r.listed) || slices.ContainsFunc(r.listed, func(e *jsontree.Value) bool { return !has(e) }))
	}
	if !differs(r.main) {
		return
	}
	f := fault{check: "ListUnstable", keyword: "instances", pointer: "/tools", message: "another instance of the server lists the same tools otherwise, such as texts or members in another order"}
	if r.inFresh(differs) {
		r.twice(f, nil, func(_ context.Context, s *session) bool { return differs(s) })
		return
	}
	r.overheard(fault{check: "ListUnstable", keyword: "calls", pointer: "/tools", message: "tools/list answers otherwise after calls, and no notification says so"}, r.main.history(), differs)
}
