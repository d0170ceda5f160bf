package mock

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/stream"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// service is what is mocked.
type service struct {
	server   *ir.Server // of MCP; nil for a service of JSON-RPC, and for a list of tools
	name     string
	mcp      bool
	protocol runtime.Protocol // of the methods
	methods  []*operation
	lists    [4][]*operation         // of MCP, by tools, resources, resourceTemplates and prompts
	states   map[string]collectionOp // by the names of tools and methods
}

// The lists of MCP.
const (
	tools = iota
	resources
	resourceTemplates
	prompts
)

// listNames are the names of the lists, and keyOf the members of their entries that tell them apart.
var (
	listNames = [...]string{"tools", "resources", "resourceTemplates", "prompts"}
	keyOf     = [...]string{"name", "uri", "uriTemplate", "name"}
)

// all returns all operations of a service.
func (s *service) all() []*operation { return append(slices.Concat(s.lists[:]...), s.methods...) }

// operation is a tool, a method, a resource, a template or a prompt.
type operation struct {
	name          string
	entry         string // of the list, JSON; empty for a method
	input, output string // JSON Schemas; empty for none
	keys          string // names of the params in their order, newline-separated
	optional      bool   // the params may be left out
	notification  bool
	declared      *ir.Method   // nil unless it is a method
	stream        *stream.Form // nil unless the method is a stream
	item          string       // JSON Schema of its items
	errors        []*failure
	asks          []*ir.Ask
	content       contentKind
	mimeType      string

	answers *answers // made from output, see newAnswers
	items   *answers // made from item likewise
}

// contentKind says what a resource contains.
type contentKind int

const (
	contentJSON contentKind = iota
	contentText
	contentBlob
)

// failure is an error that a schema declares.
type failure struct {
	*ir.Error
	data string // JSON Schema of its data; empty for none
}

// ofSchema returns the service that a schema declares.
func ofSchema(doc *ir.Document, seed uint64) (*service, error) {
	s := &service{server: doc.Server, mcp: doc.Server != nil, name: doc.Package, protocol: protocolOf(doc)}
	var err error
	if s.states, err = statesOf(doc, seed); err != nil {
		return nil, err
	}
	published := templates.Published(doc)
	for _, t := range doc.Tools {
		o, err := ofEntry(cmp.Or(t.Listed, published.Tools[t.Name]))
		if err != nil {
			return nil, err
		}
		o.asks = t.Asks
		if t.Output != nil { // examples are in the schema of the type, and not in what is published
			if o.output, err = schemaOf(doc, t.Output, false); err != nil {
				return nil, err
			}
		}
		if o.errors, err = failuresOf(doc, t.Errors); err != nil {
			return nil, err
		}
		s.lists[tools] = append(s.lists[tools], o)
	}
	for _, m := range doc.Methods {
		if m.From == ir.FromServer {
			continue
		}
		o, err := ofMethod(doc, m)
		if err != nil {
			return nil, err
		}
		s.methods = append(s.methods, o)
	}
	for _, r := range doc.Resources {
		o, err := ofResource(doc, r)
		if err != nil {
			return nil, err
		}
		o.entry = cmp.Or(r.Listed, published.Resources[r.Name])
		list := resources
		if r.Template != nil {
			list = resourceTemplates
		}
		s.lists[list] = append(s.lists[list], o)
	}
	for _, p := range doc.Prompts {
		s.lists[prompts] = append(s.lists[prompts], &operation{name: p.Name, entry: cmp.Or(p.Listed, published.Prompts[p.Name])})
	}
	if len(s.all()) == 0 {
		return nil, fmt.Errorf("%s: it declares nothing that a client calls", doc.File)
	}
	return s, nil
}

// ofFile returns the service of a file with lists of a server, such as the output of "rpcgen tools --json".
func ofFile(name string) (*service, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	entries, err := listed.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &service{mcp: true, name: "mock"}
	for _, e := range entries {
		o := &operation{name: e.Name, entry: e.Text, content: contentText}
		list := slices.Index(listNames[:], e.List)
		if list == tools {
			if o, err = ofEntry(e.Text); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		s.lists[list] = append(s.lists[list], o)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: the list is empty", name)
	}
	return s, nil
}

// ofEntry returns the tool of an entry of a list.
func ofEntry(entry string) (*operation, error) {
	p := wire.PeekAt([]byte(entry))
	o := &operation{entry: entry}
	o.name, _ = p.In("name").Text()
	o.input, o.output = string(p.In("inputSchema").JSON()), string(p.In("outputSchema").JSON())
	if o.name == "" {
		return nil, fmt.Errorf("the tool %.80s has no name", entry)
	}
	return o, nil
}

// ofMethod returns a method of JSON-RPC.
func ofMethod(doc *ir.Document, m *ir.Method) (o *operation, err error) {
	o = &operation{name: m.Name, declared: m, notification: m.Notification, optional: m.ParamsOptional}
	if o.errors, err = failuresOf(doc, m.Errors); err != nil {
		return nil, err
	}
	if m.Params != nil {
		if o.input, err = schemaOf(doc, m.Params, true); err != nil {
			return nil, err
		}
		o.keys = keysOf(m)
	}
	if i := m.Items; i != nil {
		o.stream = &stream.Form{Method: i.Method, ID: i.ID, Item: i.Value, First: i.First, End: i.End, EndID: i.EndID}
		if o.item, err = schemaOf(doc, i.Type, false); err != nil {
			return nil, err
		}
	}
	if m.Result != nil {
		o.output, err = schemaOf(doc, m.Result, false)
	}
	return o, err
}

// keysOf returns the names of the params of a method in their order, see [runtime.Call.Params].
func keysOf(m *ir.Method) string {
	s := ir.AsStruct(ir.Underlying(m.Params))
	if s == nil {
		return ""
	}
	names := ir.Each(s.Fields, func(f *ir.Field) string { return f.Name })
	keys := strings.Join(names, "\n")
	if m.ParamsBy == ir.ByName {
		keys = "\n" + keys
	}
	return keys
}

// schemaOf returns the JSON Schema of a type: an exact one refuses what decoders refuse, and allows numbers up to the limits of their types.
func schemaOf(doc *ir.Document, t ir.Type, exact bool) (string, error) {
	text, err := jsonschema.ExportType(doc, t, jsonschema.Options{Exact: exact})
	return string(text), err
}

// failuresOf returns errors with the schemas of their data.
func failuresOf(doc *ir.Document, all []*ir.Error) (out []*failure, err error) {
	for _, e := range doc.Errors {
		if len(e.When) > 0 && !slices.Contains(all, e) { // every call may meet the condition
			all = append(slices.Clip(all), e)
		}
	}
	for _, e := range all {
		f := &failure{Error: e}
		if e.Data != nil {
			if f.data, err = schemaOf(doc, e.Data, false); err != nil {
				return nil, err
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// ofResource returns a resource or a template.
func ofResource(doc *ir.Document, r *ir.Resource) (o *operation, err error) {
	o = &operation{name: r.Name, mimeType: r.MIMEType}
	switch ir.Underlying(r.Content).(type) {
	case *ir.String, *ir.Any: // any is the whole result, whose parts the schema does not say
		o.content = contentText
	case *ir.Bytes:
		o.content = contentBlob
	default:
		o.output, err = schemaOf(doc, r.Content, false)
	}
	return o, err
}

// protocolOf returns the protocol of the methods of a schema.
func protocolOf(doc *ir.Document) runtime.Protocol {
	p := doc.Protocol
	return runtime.Protocol{
		Name: cmp.Or(p.Name, doc.Package), Revision: p.Revision, Batch: p.Batch, Positional: p.Positional, NullID: !p.StrictIDs,
		CancelMethod: p.CancelMethod, CancelID: p.CancelID,
		InitializeMethod: p.Handshake.Initialize, ShutdownMethod: p.Handshake.Shutdown, ExitMethod: p.Handshake.Exit,
	}
}
