package templates

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// tool is a tool with its Go names.
type tool struct {
	*ir.Tool
	name string // SearchItems for search_items
	asks []*question
}

// mixed reports whether the handler returns an output and content blocks.
func (t *tool) mixed() bool { return t.Content != nil && t.Output != nil }

// whole reports whether the handler returns a whole CallToolResult.
func (t *tool) whole() bool { return t.Content.Any() && t.Output == nil }

// silent reports whether the handler returns nothing but an error.
func (t *tool) silent() bool { return t.Content == nil && t.Output == nil }

// resultName is the type of what such a handler returns.
func (t *tool) resultName() string { return t.name + "Result" }

// question is a typed elicitation of a tool with its Go names.
type question struct {
	*ir.Ask
	name   string // AskPlaceOrderConfirm
	params string // of the struct that the message takes its fields from; empty for the tool's input, or none
	form   string // of the struct that the user fills in
}

// resource is a resource or a template with its Go names.
type resource struct {
	*ir.Resource
	name string // Item for item
}

// prompt is a prompt with its Go names.
type prompt struct {
	*ir.Prompt
	name string // ReviewOrder for review_order
}

// namesOfTools are reserved in every package that has an MCP server.
func namesOfTools(doc *ir.Document) []string {
	if doc.Server == nil {
		return nil
	}
	return []string{"Server", "UnimplementedServer", "NewServer", "Client", "NewClient", "MethodClient", "NewMethodClient", "MethodBatch"}
}

// mcp names what a document declares for MCP.
func (n *naming) mcp(doc *ir.Document) {
	for _, t := range doc.Tools {
		n.tool(t)
	}
	for _, r := range doc.Resources {
		n.resource(r)
	}
	for _, p := range doc.Prompts {
		n.prompt(p)
	}
}

// handled takes a method of the interface that a server implements.
func (n *naming) handled(name, what string, at site) {
	n.claim("Server."+name, what, at)
}

func (n *naming) tool(t *ir.Tool) {
	own := &tool{Tool: t, name: n.name(t.Name, &t.Meta)}
	at := n.at(t.Pos, own.name, "Tool", "")
	n.claim("Tool"+own.name, t.Name, at)
	n.handled(own.name, t.Name, n.at(t.Pos, own.name, "Server.", ""))
	if t.Task != ir.TaskNever {
		n.handled("Start"+own.name, "the task of "+t.Name, at)
		n.handled(own.name+"Task", "the task of "+t.Name, at)
	}
	if t.Input != nil {
		n.payload(t.Input, own.name+"Input", "the input of the tool "+t.Name, t.Pos)
	}
	if t.Output != nil {
		n.payload(t.Output, own.name+"Output", "the output of the tool "+t.Name, t.Pos)
	}
	if own.mixed() {
		n.claim(own.resultName(), "the result of the tool "+t.Name, at)
	}
	for _, e := range t.Errors {
		n.toolError(e)
	}
	for _, a := range t.Asks {
		if a.Name != "" {
			own.asks = append(own.asks, n.question(own, a))
		}
	}
	n.tools = append(n.tools, own)
}

// toolError names an error that a tool declares; those under errors have names already.
func (n *naming) toolError(e *ir.Error) {
	if e.OfTool && !slices.ContainsFunc(n.errors, func(own *errorType) bool { return own.Error == e }) {
		n.error(e)
	}
}

func (n *naming) question(t *tool, a *ir.Ask) *question {
	base := t.name + n.namer.exported(a.Name)
	own := &question{Ask: a, name: "Ask" + base, form: base + "Form"}
	n.claim(own.name, a.Name, n.at(a.Pos, own.name, "", ""))
	what := "the question " + a.Name + " of the tool " + t.Name
	n.inline(a.Form, own.form, "what the user fills in for "+what, &ir.Meta{Pos: a.Pos})
	if a.Params != nil {
		own.params = base + "Params"
		n.inline(a.Params, own.params, "what the message of "+what+" speaks of", &ir.Meta{Pos: a.Pos})
	}
	return own
}

func (n *naming) resource(r *ir.Resource) {
	own := &resource{Resource: r, name: n.name(r.Name, &r.Meta)}
	at := n.at(r.Pos, own.name, "URI", "")
	n.claim(own.uriName(), r.Name, at)
	n.handled("Read"+own.name, r.Name, at)
	if r.Template != nil {
		n.claim(own.name+"URI", r.Name, at)
		n.inline(r.Params, own.name+"Params", "the variables of the template "+r.Name, &ir.Meta{Pos: r.Pos})
		n.completions(own.name, r.Params)
	}
	n.inline(r.Content, own.name+"Content", "the content of the resource "+r.Name, &ir.Meta{Pos: r.Pos})
	n.resources = append(n.resources, own)
}

// uriName is the constant that holds the URI, or the template.
func (r *resource) uriName() string {
	if r.Template != nil {
		return "Template" + r.name
	}
	return "URI" + r.name
}

func (n *naming) prompt(p *ir.Prompt) {
	own := &prompt{Prompt: p, name: n.name(p.Name, &p.Meta)}
	n.claim("Prompt"+own.name, p.Name, n.at(p.Pos, own.name, "Prompt", ""))
	n.handled(own.name, p.Name, n.at(p.Pos, own.name, "Server.", ""))
	if p.Arguments != nil {
		n.inline(p.Arguments, own.name+"Arguments", "the arguments of the prompt "+p.Name, &ir.Meta{Pos: p.Pos})
		n.completions(own.name, p.Arguments)
	}
	n.prompts = append(n.prompts, own)
}

func (n *naming) completions(owner string, s *ir.Struct) {
	for _, f := range s.Fields {
		if f.Complete {
			n.handled(completer(owner, n.fields[f]), f.Name, n.at(f.Pos, n.fields[f], "Server.Complete"+owner, ""))
		}
	}
}

// completer is the method that completes a field.
func completer(owner, field string) string { return "Complete" + owner + field }

// ownsServer reports whether the document declares an MCP server.
func (p *plan) ownsServer() bool { return p.doc.Server != nil }

// modelErrors lists the errors that tools answer with, in the order in which they are used first.
func (p *plan) modelErrors() []*errorType {
	var all []*errorType
	for _, t := range p.tools {
		for _, e := range t.Errors {
			if own := p.errorOf(e); !slices.Contains(all, own) {
				all = append(all, own)
			}
		}
	}
	return all
}

func (p *plan) errorOf(e *ir.Error) *errorType {
	for _, own := range p.errors {
		if own.Error == e {
			return own
		}
	}
	return nil
}

// coded lists the errors that have a code: what methods answer with.
func (p *plan) coded() []*errorType {
	return slices.DeleteFunc(slices.Clone(p.errors), func(e *errorType) bool { return e.OfTool })
}

// findStrict finds out which types of this package lie in what models and users send. Their decoders can refuse members that they do
// not name.
func (p *finder) findStrict() {
	p.strict = map[*named]bool{}
	for _, t := range p.tools {
		p.sent(t.Input)
	}
	for _, o := range p.prompts {
		if o.Arguments != nil {
			p.sent(o.Arguments)
		}
	}
}

func (p *finder) sent(t ir.Type) {
	switch t := t.(type) {
	case *ir.Ref:
		if own := p.byDecl[t.Decl]; own != nil && own.pkg == "" && !p.strict[own] {
			p.strict[own] = true
			p.sent(t.Decl.Type)
		}
	case *ir.Struct:
		if own := p.byType[t]; own != nil && t.Additional != ir.AdditionalSkipped {
			p.strict[own] = true
		}
	}
	for part := range ir.Parts(t) {
		p.sent(part.Type)
	}
}

// reachMCP notes which directions what MCP carries goes.
func (p *finder) reachMCP() {
	serves, calls := p.half != ClientOnly, p.half != ServerOnly
	way := func(t ir.Type, server, client needs) {
		if t == nil {
			return
		}
		if serves {
			p.reach(t, server|needsCheck)
		}
		if calls {
			p.reach(t, client|needsCheck)
		}
	}
	for _, t := range p.tools {
		way(t.Input, needsDecode, needsAppend)
		way(t.Output, needsAppend, needsDecode)
		for _, e := range t.Errors {
			way(e.Data, needsAppend, needsBoth)
		}
		for _, a := range t.asks {
			way(a.Form, needsDecode, 0)
		}
	}
	for _, r := range p.resources {
		if r.Params != nil {
			way(r.Params, 0, 0)
		}
		way(r.Content, needsAppend, needsDecode)
	}
	for _, o := range p.prompts {
		if o.Arguments != nil {
			way(o.Arguments, needsDecode, needsAppend)
		}
	}
}
