// Package openrpc writes the checked model as an OpenRPC 1.3 document.
//
// OpenRPC describes what a client may call. What it cannot express is kept in members that begin with x-, which are free for
// extensions, and is reported as a warning where a reader of the document would otherwise be misled:
//
//	x-callbacks  methods that the server calls and the client serves, in the form of methods
//	x-from       both: a method that either side calls
//	x-params     the schema of params that are more than a list of named values
//	x-protocol   batches, positional params and the session of the protocol
//	x-errors     what is known of an error beyond code and message: the schema of its data, the condition, the retry
//	x-sample     true: the example of a method was made up
//	x-timeout    the default deadline of a method
//	x-mcp        the MCP server: its tools, resources and prompts
//
// Schemas are of JSON Schema draft-07, as OpenRPC demands. A schema has no version, and OpenRPC asks for one: it is the revision of the protocol, or 0.0.0.
//
//test:sequential
package openrpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Version is the version of OpenRPC that is written.
const Version = "1.3.2"

// Export writes doc as one OpenRPC document, indented, with a newline at its end. Warnings say what it could not hold.
func Export(doc *ir.Document) (text []byte, warnings []string, err error) {
	e := &exporter{doc: doc, parts: jsonschema.NewParts(doc, jsonschema.Options{Draft: jsonschema.Draft7}, "#/components/schemas/")}
	root := e.document()
	if e.err != nil {
		return nil, nil, e.err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(root.value().String()), "", "  "); err != nil {
		return nil, nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), e.warnings, nil
}

// exporter writes one document.
type exporter struct {
	doc      *ir.Document
	parts    *jsonschema.Parts
	warnings []string
	err      error // the first schema that could not be written
}

func (e *exporter) warn(at, text string) { e.warnings = append(e.warnings, at+": "+text) }

func (e *exporter) document() *object {
	methods, callbacks := e.methods()
	root := new(object)
	root.text("openrpc", Version)
	ofInfo, rest := divideExt(e.doc.Ext)
	root.set("info", e.info(ofInfo).value())
	root.set("methods", array(methods))
	root.set("components", e.components().value())
	if len(callbacks) > 0 {
		root.set("x-callbacks", array(callbacks))
	}
	root.object("x-protocol", e.protocol())
	root.object("x-errors", e.errorFacts())
	root.object("x-mcp", e.mcp())
	root.keepExtensions(rest, keptOfRoot)
	return root
}

// version is the member under which an import keeps the version of a document.
const versionKey = "x-version"

// divideExt are the members of a document that are about the service, and the others.
func divideExt(all []ir.Ext) (ofInfo, rest []ir.Ext) {
	for _, x := range all {
		if f, ok := keptOfInfo[x.Key]; ok && f.fits(x.Value) || x.Key == versionKey && x.Value.Kind == ir.Text {
			ofInfo = append(ofInfo, x)
		} else {
			rest = append(rest, x)
		}
	}
	return ofInfo, rest
}

func (e *exporter) info(own []ir.Ext) *object {
	info := new(object)
	version := e.doc.Protocol.Revision
	isVersion := func(x ir.Ext) bool { return x.Key == versionKey }
	version = cmp.Or(version, ir.First(own, isVersion).Value.Text)
	own = slices.DeleteFunc(slices.Clone(own), isVersion)
	if s := e.doc.Server; s != nil {
		version = cmp.Or(version, s.Version)
	}
	version = cmp.Or(version, "0.0.0")
	info.text("title", e.doc.Heading())
	info.text("description", e.doc.Doc)
	info.text("version", version)
	info.keepExtensions(own, keptOfInfo)
	return info
}

// protocol keeps what is said of the wire protocol; nothing when it is plain JSON-RPC 2.0.
func (e *exporter) protocol() *object {
	p, o := e.doc.Protocol, new(object)
	if !p.Pos.Valid() {
		return o
	}
	e.warn("protocol", "OpenRPC does not say whether batches are allowed or how a session opens; kept as x-protocol")
	o.text("name", p.Name)
	o.text("revision", p.Revision)
	o.set("batch", boolean(p.Batch))
	o.set("positional", boolean(p.Positional))
	if p.StrictIDs {
		o.text("ids", "strict")
	}
	if p.ParamsBy != ir.ByEither {
		o.text("paramsBy", p.ParamsBy.String())
	}
	o.text("session", p.Session.String())
	o.text("initialize", p.Handshake.Initialize)
	o.text("shutdown", p.Handshake.Shutdown)
	o.text("exit", p.Handshake.Exit)
	o.object("progress", ofTexts("method", p.Progress.Method, "token", p.Progress.Token, "param", p.Progress.Param))
	if p.CancelMethod != "" {
		o.object("cancel", ofTexts("method", p.CancelMethod, "id", p.CancelID))
	}
	return o
}

func (e *exporter) components() *object {
	o, faults := new(object), new(object)
	schemas, err := e.parts.Declarations()
	e.fail(err)
	o.set("schemas", schemas)
	for _, f := range e.doc.Errors {
		faults.set(f.Name, errorObject(f))
	}
	o.object("errors", faults)
	return o
}

func (e *exporter) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// schema is the schema of a type.
func (e *exporter) schema(t ir.Type) ir.Value {
	v, err := e.parts.Type(t)
	e.fail(err)
	return v
}
