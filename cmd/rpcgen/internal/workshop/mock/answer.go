package mock

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// answers makes the results of one operation. It is safe for concurrent use.
type answers struct {
	mu      sync.Mutex
	schema  *values.Schema // nil if there is none
	repeats map[string]int // of equal requests; nil unless answers vary
}

// newAnswers returns answers that fit a JSON Schema, which is empty for none.
func newAnswers(schema string, vary bool) (*answers, error) {
	a := new(answers)
	if vary {
		a.repeats = make(map[string]int)
	}
	if schema == "" {
		return a, nil
	}
	compiled, err := values.Compile([]byte(schema))
	if err != nil {
		return nil, err
	}
	compiled.Profile = values.Page
	a.schema = compiled
	if _, err = a.result(0, request{}, "{}"); err != nil {
		source, _ := ir.ParseJSON([]byte(schema)) // it was compiled
		if why := large(source); why != "" {
			return nil, fmt.Errorf("%w: %s", err, why)
		}
	}
	return a, nil
}

// large names the keyword because of which values are larger than those that are made; empty if there is none.
func large(schema ir.Value) (why string) {
	const many = 10_000
	jsonschema.Walk(schema, func(p *jsonschema.Place) bool {
		for _, m := range p.Value.Fields {
			if n, err := strconv.ParseFloat(m.Value.Text, 64); why == "" && slices.Contains([]string{"minLength", "minItems", "minProperties"}, m.Name) && err == nil && n > many {
				why = p.Pointer() + "/" + m.Name + " is " + m.Value.Text
			}
		}
		return why == ""
	})
	return why
}

// request is what an answer depends on: equal requests have equal answers.
type request struct {
	operation string
	args      string // JSON, canonical
	repeat    int
}

// choices returns the choices of an answer.
func (r request) choices(seed uint64, words ...string) *values.Choices {
	return values.For(seed, append([]string{r.operation, r.args, strconv.Itoa(r.repeat)}, words...)...)
}

// request returns the request of an operation with arguments, "" for none.
func (a *answers) request(operation, args string) request {
	r := request{operation: operation}
	if args != "" {
		r.args = transcript.Canonical([]byte(args))
	}
	if a.repeats != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		r.repeat = a.repeats[r.args]
		if len(a.repeats) < mostRepeats || r.repeat > 0 {
			a.repeats[r.args]++
		}
	}
	return r
}

// mostRepeats limits the different requests whose repeats are counted.
const mostRepeats = 100_000

// result returns the result of a request, of the examples of its schema and of its parts as far as there are some. Its members have the values of arguments with the same name
// and kind.
func (a *answers) result(seed uint64, r request, args string) (string, error) {
	if a.schema == nil {
		return "{}", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	made, ok := a.schema.Full(r.choices(seed))
	for try := 0; try < 5 && !(ok && json.Valid(made)); try++ {
		made, ok = a.schema.Draw(r.choices(seed, strconv.Itoa(try)))
	}
	if !ok || !json.Valid(made) {
		return "", errors.New("no result was found that fits its schema")
	}
	return a.echo(string(made), args), nil
}

// fits reports whether a result fits its schema.
func (a *answers) fits(result string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.schema == nil || len(a.schema.Judge([]byte(result))) == 0
}

// mergeSchema collects what a schema of a document says.
func mergeSchema(root, schema ir.Value) jsonschema.Merged {
	budget := mostMerged
	return jsonschema.Merge(root, schema, &budget)
}

// mostMerged limits what is read of one schema.
const mostMerged = 1000

// longestEcho limits a result in which arguments are repeated, in bytes.
const longestEcho = 64 << 10

// echo returns a result in which members, of the result and of objects in it, have the values of arguments with the same name and kind. A member
// stays if the result would then not fit, or be too long.
func (a *answers) echo(result, args string) string {
	given := wire.PeekAt([]byte(args))
	for name, value := range given.Members() {
		next := string(replaceMembers(nil, wire.PeekAt([]byte(result)), name, value, 3))
		if next != result && len(next) <= longestEcho && len(a.schema.Judge([]byte(next))) == 0 {
			result = next
		}
	}
	return result
}

// replaceMembers appends an object in which the members of a name have a value, if they have its kind.
func replaceMembers(b []byte, in wire.Peek, name string, value wire.Peek, depth int) []byte {
	if in.Kind() != wire.Object || depth == 0 {
		return append(b, in.JSON()...)
	}
	start := len(b)
	for member, one := range in.Members() {
		b = append(wire.AppendString(append(b, ','), member), ':')
		if member == name && one.Kind() == value.Kind() {
			b = append(b, value.JSON()...)
		} else {
			b = replaceMembers(b, one, name, value, depth-1)
		}
	}
	return wire.CloseObject(b, start)
}

// behaviour is what the command line, or a request, asks for in addition to answers.
type behaviour struct {
	seed    uint64
	latency time.Duration
	spread  time.Duration // latencies are up to this much shorter or longer
	fails   []fail
}

// fail is an error on demand.
type fail struct {
	operation string  // empty for all
	name      string  // of a declared error, a code, or failed
	share     float64 // of the requests, from 0 to 1
}

// parseFail reads NAME, NAME=SHARE, OPERATION:NAME or OPERATION:NAME=SHARE.
func parseFail(text string) (f fail, err error) {
	what, share, some := strings.Cut(text, "=")
	f.share = 1
	if some {
		if f.share, err = strconv.ParseFloat(share, 64); err != nil || f.share < 0 || f.share > 1 {
			return f, fmt.Errorf("the share in %q is a number from 0 to 1", text)
		}
	}
	f.name = what
	if i := strings.LastIndexByte(what, ':'); i >= 0 {
		f.operation, f.name = what[:i], what[i+1:]
	}
	if f.name == "" {
		return f, fmt.Errorf("%q has no name of an error", text)
	}
	return f, nil
}

// parseLatency reads 50ms, 50ms±20ms or 50ms+-20ms.
func parseLatency(text string) (latency, spread time.Duration, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, spreads := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	if latency, err = time.ParseDuration(first); err == nil && spreads {
		spread, err = time.ParseDuration(second)
	}
	if err != nil || latency < 0 || spread < 0 || spread > latency {
		return 0, 0, fmt.Errorf("a latency is of the form 50ms or 50ms±20ms, not %q", text)
	}
	return latency, spread, nil
}

// directive is what one request asks of the mock, as text: fail=NAME, latency=2s, or both with a space between.
type directive struct {
	fail    string
	latency time.Duration
}

func parseAsked(text string) (a directive, err error) {
	for word := range strings.FieldsSeq(text) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "fail":
			a.fail = value
		case "latency":
			if a.latency, err = time.ParseDuration(value); err != nil || a.latency < 0 || a.latency > time.Hour {
				return a, fmt.Errorf("a latency is of the form 2s, not %q", value)
			}
		default:
			return a, fmt.Errorf("expected fail=NAME or latency=2s, not %q", word)
		}
	}
	return a, nil
}

// demand waits as long as the answer to a request takes, and returns the error that is asked for, if one is.
func (b *behaviour) demand(ctx context.Context, o *operation, r request, a directive, args string) error {
	if err := b.wait(ctx, r, a); err != nil {
		return err
	}
	if name := b.failure(o, r, a); name != "" {
		return b.raise(o, name, r, args)
	}
	return nil
}

// wait waits as long as an answer takes.
func (b *behaviour) wait(ctx context.Context, r request, a directive) error {
	d := b.latency
	if b.spread > 0 {
		d += time.Duration((float64(r.choices(b.seed, "latency").Below(2001))/1000 - 1) * float64(b.spread))
	}
	if a.latency > 0 {
		d = a.latency
	}
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// failure returns the name of the error that a request is answered with, or "". The share of an error is one of different requests.
func (b *behaviour) failure(o *operation, r request, a directive) string {
	if a.fail != "" {
		return a.fail
	}
	for _, f := range b.fails {
		if f.operation != "" && f.operation != o.name || f.operation == "" && !o.mayFail(f.name) {
			continue
		}
		const parts = 1_000_000
		if f.share == 1 || float64(r.choices(b.seed, "fail", f.name).Below(parts)) < f.share*parts {
			return f.name
		}
	}
	return ""
}

// mayFail reports whether an operation can be answered with an error.
func (o *operation) mayFail(name string) bool {
	_, err := strconv.ParseInt(name, 10, 32)
	return name == failedName || err == nil || o.declaredFailure(name) != nil
}

// failedName is the error that stands for a failed result of a tool, or an internal error of a method.
const failedName = "failed"

// declaredFailure returns the error of a name that the operation declares, or nil.
func (o *operation) declaredFailure(name string) *failure {
	for _, f := range o.errors {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// raise returns the error that a request is answered with.
func (b *behaviour) raise(o *operation, name string, r request, args string) error {
	const message = "failed on demand"
	f := o.declaredFailure(name)
	switch code, err := strconv.ParseInt(name, 10, 32); {
	case f != nil:
		return f.raise(b.seed, r, args)
	case err == nil:
		return codeError{runtime.ErrorObject{Code: code, Message: message}}
	case name == failedName && o.entry != "":
		return toolError{name: name, message: message}
	case name == failedName:
		return codeError{runtime.ErrorObject{Code: runtime.CodeInternalError, Message: message}}
	}
	return codeError{runtime.ErrorObject{Code: runtime.CodeInvalidParams, Message: fmt.Sprintf("%s does not declare the error %q that the request asks for", o.name, name)}}
}

// raise returns the error with generated data, in which arguments stand as in results.
func (f *failure) raise(seed uint64, r request, args string) error {
	data := ""
	if f.data != "" {
		if a, err := newAnswers(f.data, false); err == nil {
			data, _ = a.result(seed, r, args) // without data, the message has its fields left out
		}
	}
	text := cmp.Or(fillMessage(f.Message, data), f.Name)
	if f.OfTool {
		return toolError{f.Name, text, data}
	}
	o := runtime.ErrorObject{Code: int64(f.Code), Message: text, HTTPStatus: f.HTTP, Retry: f.Retry, Severity: f.Severity, Category: f.Category}
	if data != "" {
		o.AppendData = func(b []byte) []byte { return append(b, data...) }
	}
	return codeError{o}
}

// fillMessage returns a message whose fields are members of an object.
func fillMessage(parts []ir.MessagePart, object string) string {
	var b strings.Builder
	for _, part := range parts {
		if part.Field == nil {
			b.WriteString(part.Text)
		} else if value := wire.PeekAt([]byte(object)).In(part.Field.Name); value.Kind() == wire.Text {
			text, _ := value.Text()
			b.WriteString(text)
		} else {
			b.Write(value.JSON())
		}
	}
	return b.String()
}

// toolError is an error that a tool declares.
type toolError struct{ name, message, data string }

// Error implements error.
func (e toolError) Error() string { return e.message }

// ToolError implements [mcp.ToolError].
func (e toolError) ToolError() string { return e.name }

// AppendData implements [mcp.ToolError].
func (e toolError) AppendData(b []byte) []byte { return append(b, e.data...) }

// codeError is an error with a code.
type codeError struct{ object runtime.ErrorObject }

// Error implements error.
func (e codeError) Error() string { return e.object.Message }

// RPCError implements [runtime.Coder].
func (e codeError) RPCError() runtime.ErrorObject { return e.object }

// asText returns a result as the text of a tool that has no structured content.
func asText(o *operation, args string) string {
	if args == "" || args == "{}" {
		return "An answer of " + o.name + "."
	}
	return "An answer of " + o.name + " to " + args + "."
}

// judge reports what arguments break of their schema, in the words of a generated server.
type judge struct {
	schema ir.Value
	exact  *conform.Schema // nil if the schema has what that does not know

	mu    sync.Mutex
	loose *values.Schema
}

// newJudge returns a judge of a JSON Schema.
func newJudge(schema string) (j *judge, err error) {
	j = new(judge)
	if j.schema, err = ir.ParseJSON([]byte(schema)); err != nil {
		return nil, err
	}
	if j.exact, err = conform.New(schema); err != nil {
		j.loose, err = values.Compile([]byte(schema))
	}
	return j, err
}

// check returns what arguments break.
func (j *judge) check(args string) []violation.Violation {
	var all []violation.Violation
	if j.exact != nil {
		var vs violation.List
		j.exact.Check(&vs, "", args)
		all = vs.All()
	} else {
		j.mu.Lock()
		all = ir.Each(j.loose.Judge([]byte(args)), func(v values.Violation) violation.Violation {
			return violation.Violation{Pointer: v.Pointer, Rule: v.Keyword, Expected: v.Expected, Got: v.Got}
		})
		j.mu.Unlock()
	}
	for i := range all {
		if known, name, unknown := j.unknownMember(all[i].Pointer); unknown {
			all[i].Rule, all[i].Got, all[i].Closest = "additionalProperties", "unknown member "+name, violation.Closest(name, known)
			if all[i].Expected = "no members"; len(known) > 0 {
				all[i].Expected = violation.OneOf(known)
			}
		}
	}
	return all
}

// unknownMember reports whether a pointer leads to a member that the schema of its object does not have, and returns those that it has.
func (j *judge) unknownMember(pointer string) (known []string, name string, unknown bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return nil, "", false
	}
	is := mergeSchema(j.schema, j.schema)
	for _, step := range strings.Split(pointer[:i], "/")[1:] {
		is = mergeSchema(j.schema, is.Part(ir.UnescapePointer(step)))
	}
	name = ir.UnescapePointer(pointer[i+1:])
	for _, s := range is {
		extra, _ := s.Get("additionalProperties")
		properties, _ := s.Get("properties")
		if _, has := properties.Get(name); has || extra.String() != "false" {
			continue
		}
		return properties.Names(), name, true
	}
	return nil, "", false
}
