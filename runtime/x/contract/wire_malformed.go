package contract

import (
	"context"
	"fmt"
	"strings"
)

// malformedLines are messages that are none.
var malformedLines = []struct{ keyword, line string }{
	{"no JSON", `hello`}, {"half a message", `{"jsonrpc":"2.0","id":1,"method":"pi`}, {"empty object", `{}`}, {"empty list", `[]`}, {"number", `1`}, {"text", `"x"`}, {"null", `null`},
	{"no method", `{"jsonrpc":"2.0","id":5}`}, {"method that is a number", `{"jsonrpc":"2.0","id":6,"method":1}`}, {"params that are a text", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}`},
	{"params that are a list", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[1]}`}, {"params that are null", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":null}`},
	{"id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`}, {"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"\xff\xfe\"}"}, {"another version", `{"jsonrpc":"1.0","id":11,"method":"ping"}`},
	{"20,000 levels", `{"jsonrpc":"2.0","id":12,"method":"ping","params":{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`},
	{"8 MiB", ""},
}

// malformed sends what is not a message.
func malformed(r rig) {
	if !r.runs("Malformed") {
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	_, http := s.isProcess()
	survives := func(ctx context.Context, s *session, line []byte) string {
		sctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
		defer cancel()
		_ = s.send(sctx, line, s.headers("ping", "")) // what comes next shows it
		for range 2 {                                 // the first answer may be that to the line
			if s.alive(ctx, r.probing()) {
				return ""
			}
		}
		return s.gone()
	}
	for _, one := range malformedLines {
		line := []byte(one.line)
		if one.keyword == "8 MiB" {
			if http {
				continue // it may be far away
			}
			line = []byte(`{"jsonrpc":"2.0","id":13,"method":"rpcgen/none","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)
		}
		if s = r.session(); s == nil || !r.left(100) {
			return
		}
		what := survives(r.ctx, s, line)
		if what == "" {
			continue
		}
		r.main = nil
		s.kill()
		sent := []string{strings.ToValidUTF8(one.line, "\uFFFD")}
		if len(one.line) > 1000 || one.line == "" {
			sent = nil
		}
		r.twice(fault{check: "Malformed", keyword: one.keyword,
			message: fmt.Sprintf("the server answers nothing more after a malformed message (%s): %s", one.keyword, what)}, sent, func(ctx context.Context, s *session) bool { return survives(ctx, s, line) != "" })
	}
}
