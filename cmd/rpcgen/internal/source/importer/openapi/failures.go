package openapi

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// failure is an error that a tool declares: a status whose body says more than the error of the backend gives.
type failure struct {
	name, status, message string
	form                  string                // its status, its message and what its data are; failures of one form are one error
	at                    source.Part           // the body
	schema                ir.Value              // of the data
	read                  map[string]*yaml.Node // where fields of the data stand in the body
}

// failureNames are the statuses that say what is wrong with a call, and the names of their errors. Others are about credentials, load and faults of the API.
var failureNames = map[string]string{"402": "PaymentRequired", "404": "NotFound", "409": "Conflict", "410": "Gone", "412": "PreconditionFailed",
	"413": "TooLarge",
	"422": "Unprocessable", "423": "Locked"}

// formalNames are members of the bodies of errors that say nothing of what is wrong: the status again, links, and what identifies the call.
var formalNames = []string{"status", "statusCode", "status_code", "http_status", "type", "instance", "timestamp", "path", "documentation_url",
	"documentationUrl", "url", "href", "link",
	"links", "help", "help_url", "doc_url", "more_info", "request_id", "requestId", "request_log_url", "trace_id", "traceId", "object", "schemas", "ok", "success"}

// failures are the errors of a tool. A tool that is in the file has those of the file.
func (b *toolBuilder) failures() {
	one := b.l.hosts.of[b.op]
	all, fault := b.l.d.answers(b.op)
	known := b.l.faults
	defer func() { b.l.faults = known }() // of errors that the tool does without
	if one.message == "" || b.l.before.has(b.op) || fault != nil {
		return
	}
	for _, a := range all {
		for _, m := range b.l.d.contents(b.op, a.Part, "produces") {
			schema, ok := m.schema()
			if ok && isJSON(m.name) && failureNames[a.status] != "" && !slices.ContainsFunc(b.t.failures, func(f *failure) bool { return f.status == a.status }) {
				b.failure(a.status, schema, one)
			}
		}
	}
}

// failure adds the error of a status, if its body has members of texts and numbers in addition to those that the error of the backend names.
func (b *toolBuilder) failure(status string, schema source.Part, one *host) {
	in, prefix := b.l.shapeOf(schema), ""
	if holder, _, nested := strings.Cut(one.message, "."); nested {
		i, ok := in.byName[holder]
		if !ok {
			return
		}
		in, prefix = b.l.shapeOf(in.members[i].Part), holder+"."
	}
	before := len(b.l.faults)
	f := &failure{name: failureNames[status], status: status, at: schema, read: map[string]*yaml.Node{}}
	properties, more := object(schema), false
	plain := func(s *shape) bool { // a text, a number, a boolean, or a list of these
		return slices.Contains(scalars, s.kind) || s.kind == "array" && s.items != nil && slices.Contains(scalars, b.l.shapeOf(*s.items).kind)
	}
	for _, m := range in.members {
		path, name := bodyPath(prefix, m.name), fieldName(m.name)
		is := b.l.shapeOf(m.Part)
		shared := path == one.message || path == one.details
		if !shared && (slices.Contains(formalNames, m.name) || slices.Contains(messages, m.name) || slices.Contains(details, m.name) || !plain(is)) {
			continue
		}
		v, ok := b.l.answer(m.Part, 1)
		if !ok || (source.Cursor{Value: properties}).Has(name) {
			continue
		}
		more = more || !shared
		properties.Fields = append(properties.Fields, member(name, v))
		if path != name {
			f.read[name] = flow("body", path)
		}
		if path == one.message {
			f.message = "{" + name + "}" + f.message
		} else {
			f.message += "; " + name + ": {" + name + "}"
		}
	}
	if !more || f.message[0] != '{' || len(b.l.faults) > before {
		return
	}
	f.schema = ofType(schema, "object", member("properties", properties))
	f.form = f.status + f.message + f.schema.String()
	b.l.nameFailure(f, b.t.Name)
	b.t.failures = append(b.t.failures, f)
}

// nameFailure gives an error the name of the one of its form, or else that of its status, and where that is taken that of its tool and its status.
func (l *lowering) nameFailure(f *failure, tool string) {
	name := l.failed[f.form]
	const itself = "name " // before names in the map, whose forms begin with a status
	if wanted := tree.NameOf(tree.JoinWords(tool) + f.name); name == "" {
		name = f.name
		for n := 1; l.before != nil && l.before.errors[name] || l.failed[itself+name] != ""; n++ {
			if name = wanted; n > 1 {
				name += strconv.Itoa(n)
			}
		}
	}
	f.name, l.failed[f.form], l.failed[itself+name] = name, name, name
}

// declareFailures writes the errors of a tool: one that another tool declares by its name alone.
func declareFailures(i *draft.Draft, schemas source.Cursor, t *Tool, declared map[string]bool) *yaml.Node {
	all := tree.Mapping()
	if !slices.ContainsFunc(t.failures, func(f *failure) bool { return !declared[f.name] }) {
		names := ir.Each(t.failures, func(f *failure) string { return f.name })
		return tree.Texts(names)
	}
	for _, f := range t.failures {
		if declared[f.name] {
			tree.Set(all, f.name, tree.Plain(""))
			continue
		}
		declared[f.name] = true
		one, data := tree.Mapping(), tree.Mapping()
		one.Style = yaml.FlowStyle
		tree.Set(one, "http", tree.Plain(f.status))
		tree.Set(one, "message", tree.Text(f.message))
		s, _ := schemas.Path("errors", f.status)
		importHalf(i, data, "data", t.Name+"_"+f.name, s, f.read)
		tree.Set(one, "data", tree.Get(data, "data"))
		tree.Set(all, f.name, one)
	}
	return all
}
