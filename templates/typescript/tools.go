package typescript

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// mcpNames are what the module of tools may import as values.
var mcpNames = []string{"Content", "MCPClient", "PromptResult", "RequestOptions", "ResourceContents", "ToolError", "ToolResult", "callForOutput",
	"callTool", "expand", "getPrompt", "readBlob",
	"readContents", "readJSON", "readText"}

// tools writes the module with the calls of tools, resources and prompts of an MCP server; nothing if there are none.
func (m *module) tools() string {
	f := m.functions(append([]string{"t", "client"}, mcpNames...)...)
	for _, t := range m.doc.Tools {
		f.tool(t)
	}
	for _, r := range m.doc.Resources {
		f.resource(r)
	}
	for _, p := range m.doc.Prompts {
		f.prompt(p)
	}
	f.toolErrors()
	if len(f.all) == 0 {
		return ""
	}
	body := render(f.text())
	return render(f.imports(body, "mcp", mcpNames)) + body
}

// tool writes the function that calls a tool.
func (f *functions) tool(t *ir.Tool) {
	name := f.names.Tool(t)
	fn := function{name: f.name(name), params: []doc{"client: MCPClient"},
		about: commentLines(&t.Meta, "Calls the tool "+t.Name+".", f.errorNames(t.Errors), scopeWords(t.Scopes))}
	var input doc = "{}"
	if t.Input != nil {
		f.nameIt(t.Input, name+"Input", "the input of the tool "+t.Name)
		fn.params = append(fn.params, "input: "+f.typeName(t.Input))
		input = "input"
	}
	fn.params = append(fn.params, "options?: RequestOptions")
	args := []doc{"client", text.ScriptString(t.Name), input, "options"}
	output := t.Published()
	if output != nil {
		f.nameIt(output, name+"Output", "the output of the tool "+t.Name)
	}
	calls := "callTool"
	switch {
	case output != nil && t.Content == nil:
		fn.result, calls = "Promise<"+f.typeName(output)+">", "callForOutput"
	case output != nil:
		fn.result = "Promise<ToolResult<" + f.typeName(output) + ">>"
	default:
		fn.result = "Promise<ToolResult<unknown>>"
	}
	fn.body = concat{"return ", call{calls, args}, ";"}
	f.add(fn)
}

// resource writes the function that reads a resource.
func (f *functions) resource(r *ir.Resource) {
	fn := function{name: f.name(f.names.Resource(r)), params: []doc{"client: MCPClient"}, about: commentLines(&r.Meta, "Reads the resource "+r.Name+".")}
	uri := text.ScriptString(r.URI)
	if r.Template != nil {
		f.nameIt(r.Params, strings.TrimPrefix(f.names.Resource(r), "Read")+"Params", "the variables of the resource "+r.Name)
		fn.params = append(fn.params, "params: "+f.typeName(r.Params))
		uri = f.expansion(r)
	}
	fn.params = append(fn.params, "options?: RequestOptions")
	read, result := "readText", "string"
	switch ir.Underlying(r.Content).(type) {
	case *ir.String:
	case *ir.Bytes:
		read = "readBlob"
	case nil, *ir.Any:
		read, result = "readContents", "ResourceContents[]"
	default:
		read, result = "readJSON", f.typeName(r.Content)
	}
	fn.result = "Promise<" + result + ">"
	var declared doc = assign{"const uri =", uri}
	if r.Template != nil {
		declared = "const uri = " + uri
	}
	fn.body = concat{declared, ";", hardline{}, "return ", call{read, []doc{"client", "uri", "options"}}, ";"}
	f.add(fn)
}

// expansion writes the URI of a template.
func (f *functions) expansion(r *ir.Resource) string {
	var b strings.Builder
	b.WriteByte('`')
	for _, p := range r.Template.Parts {
		if p.Variable == "" {
			b.WriteString(strings.NewReplacer("`", "\\`", `\`, `\\`, "${", "\\${").Replace(p.Literal))
			continue
		}
		if p.Operator == '#' {
			b.WriteByte('#')
		}
		member := "params[" + text.ScriptString(p.Variable) + "]"
		if plainName().MatchString(p.Variable) {
			member = "params." + p.Variable
		}
		if field := r.Params.Field(p.Variable); field != nil && field.Optional {
			member += ` ?? ""`
		}
		reserved := ""
		if p.Operator != 0 {
			reserved = ", true"
		}
		b.WriteString("${expand(" + member + reserved + ")}")
	}
	b.WriteByte('`')
	return b.String()
}

// prompt writes the function that gets a prompt.
func (f *functions) prompt(p *ir.Prompt) {
	name := f.names.Prompt(p)
	fn := function{name: f.name(name), params: []doc{"client: MCPClient"}, result: "Promise<PromptResult>", about: commentLines(&p.Meta, "Gets the prompt "+p.Name+".")}
	var given doc = "{}"
	if p.Arguments != nil {
		f.nameIt(p.Arguments, name+"Arguments", "the arguments of the prompt "+p.Name)
		fn.params = append(fn.params, "given: "+f.typeName(p.Arguments))
		given = "given"
	}
	fn.params = append(fn.params, "options?: RequestOptions")
	fn.body = concat{"return ", call{"getPrompt", []doc{"client", text.ScriptString(p.Name), given, "options"}}, ";"}
	f.add(fn)
}

// toolErrors writes what tells the declared errors of tools apart.
func (f *functions) toolErrors() {
	for _, e := range f.doc.ErrorsByTools() {
		f.tells(e, "ToolError", text.ScriptString(e.Name))
	}
}
