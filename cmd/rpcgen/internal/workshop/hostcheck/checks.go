package hostcheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/budget"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// checks are what is done for each limit. Those of results and processes have none.
var checks map[hosts.Key]func(*run, hosts.Held)

func init() {
	checks = map[hosts.Key]func(*run, hosts.Held){
		hosts.ToolName: eachTool((*run).toolName), hosts.FullName: eachTool((*run).fullName), hosts.NameBudget: eachTool((*run).nameBudget), hosts.UniqueNames: (*run).uniqueNames,
		hosts.PropertyName: inputs(propertyName), hosts.ToolDescription: eachTool((*run).toolDescription), hosts.DescriptionMin: eachTool((*run).descriptionMin),
		hosts.SchemaDescription: inputs(schemaDescription), hosts.Instructions: (*run).instructions,
		hosts.ListBytes:  ofList(func(t *tool) int { return len(budget.ModelView(t.value, true)) }, cheaper, "the list has %s bytes"),
		hosts.ListTokens: ofList(func(t *tool) int { return budget.Tokens(budget.ModelView(t.value, false)) }, cheaper, "the list takes about %s tokens"),
		hosts.InputRoot:  inputs(inputRoot), hosts.InputType: rootType("input"), hosts.OutputRoot: rootType("output"),
		hosts.Keywords: inputs(keywords), hosts.NoRefs: inputs(noRefs), hosts.NoRecursion: eachTool((*run).noRecursion), hosts.ArrayItems: inputs(arrayItems),
		hosts.TypeArrays: inputs(typeArrays), hosts.Typed: inputs(checkTyped), hosts.EnumType: inputs(enumType), hosts.EnumEmpty: inputs(enumEmpty),
		hosts.Formats: inputs(formats), hosts.Lookaround: inputs(lookaround), hosts.BoolSchema: eachTool((*run).boolSchema), hosts.Draft07: inputs(draft07Valid),
		hosts.RequiredDeclared: inputs(requiredDeclared), hosts.Required: inputs(checkRequired), hosts.Closed: inputs(checkClosed),
		hosts.Properties: ofTool("properties", total(properties)), hosts.Depth: ofTool("levels of objects and arrays", depth),
		hosts.EnumValues: ofTool("values of enums", total(func(s *node) int { return len(s.get("enum").Items) })), hosts.EnumTexts: ofTool("characters in names of properties and values of enums", total(enumTexts)),
		hosts.Tools: (*run).numberOfTools, hosts.ToolsGrouped: (*run).numberOfTools, hosts.StrictTools: (*run).numberOfTools,
		hosts.OptionalTotal: ofAll("optional parameters", total(func(s *node) int { return len(s.optional()) })), hosts.UnionTotal: ofAll("parameters that are unions", total(unions)),
		hosts.MaxItemsTotal: ofAll("items in arrays at most", total(maxItems)),
	}
}

// eachTool checks each tool.
func eachTool(check func(*run, hosts.Held, *tool)) func(*run, hosts.Held) {
	return func(r *run, h hosts.Held) {
		for i := range r.tools {
			check(r, h, &r.tools[i])
		}
	}
}

// inputs checks each schema within the inputs of tools.
func inputs(check func(*run, hosts.Held, *node)) func(*run, hosts.Held) {
	return eachTool(func(r *run, h hosts.Held, t *tool) {
		for _, n := range t.input {
			check(r, h, n)
		}
	})
}

// ofTool compares a number of each tool with the limit.
func ofTool(what string, count func([]*node) int) func(*run, hosts.Held) {
	return eachTool(func(r *run, h hosts.Held, t *tool) {
		if n := count(t.input); n > r.number(h) {
			r.report(h, t.at+"/inputSchema", "make two tools of it, or take something out", "the input of %q has %s %s", t.name, text.Thousands(n), what)
		}
	})
}

// total adds up a number of each schema within an input.
func total(count func(*node) int) func([]*node) int {
	return func(all []*node) (n int) {
		for _, s := range all {
			n += count(s)
		}
		return n
	}
}

// ofAll compares a number of the inputs of all tools together with the limit.
func ofAll(what string, count func([]*node) int) func(*run, hosts.Held) {
	return ofList(func(t *tool) int { return count(t.input) }, "take something out, or serve some of the tools by another server", "all tools together have %s "+what)
}

// ofList compares a number of all tools together with the limit.
func ofList(count func(*tool) int, help, message string) func(*run, hosts.Held) {
	return func(r *run, h hosts.Held) {
		sum := 0
		for i := range r.tools {
			sum += count(&r.tools[i])
		}
		if sum > r.number(h) {
			r.report(h, r.list.tools(), help, message, text.Thousands(sum))
		}
	}
}

func (r *run) toolName(h hosts.Held, t *tool) {
	if !r.matches(h, t.name) {
		r.report(h, t.at+"/name", r.rename(t.name), "the name %q has another form than hosts take", clip(t.name))
	}
}

func (r *run) fullName(h hosts.Held, t *tool) {
	full := r.set.FullName(h.Host, r.list.Server, t.name)
	n := utf8.RuneCountInString(full)
	if n <= r.number(h) {
		return
	}
	with := ""
	if prefix := strings.TrimSuffix(full, t.name); prefix != "" {
		with = fmt.Sprintf(" with the prefix %q", prefix)
	}
	if r.list.Server == "" {
		with += " and without the name of the server, which --server gives"
	}
	r.report(h, t.at+"/name", r.rename(t.name), "%s has %d characters%s", clip(t.name), n, with)
}

func (r *run) nameBudget(h hosts.Held, t *tool) {
	if n := utf8.RuneCountInString(t.name); n > r.number(h) {
		r.report(h, t.at+"/name", r.rename(t.name), "%s has %d characters, which leaves little for the name of the server", clip(t.name), n)
	}
}

func (r *run) uniqueNames(h hosts.Held) {
	exact, folded := map[string]string{}, map[string]string{}
	for _, t := range r.tools {
		first, same := exact[t.name]
		near, similar := folded[fold(t.name)]
		switch {
		case same:
			r.report(h, t.at+"/name", r.rename(t.name), "the name %q is that of %s", clip(t.name), first)
		case similar:
			r.add(h, t.at+"/name", r.rename(t.name), false, "the name %q may become that of %s where a host makes names fit", clip(t.name), near)
		}
		if !same {
			exact[t.name] = t.at
		}
		if !similar {
			folded[fold(t.name)] = t.at
		}
	}
}

func propertyName(r *run, h hosts.Held, n *node) {
	if n.isProperty() && !r.matches(h, n.Name) {
		r.report(h, n.at(), "give it another name, and map it in the handler", "the name of the property %q has another form than APIs take", clip(n.Name))
	}
}

// cutWords says what is cut from a text, after a verb such as has.
func cutWords(s string, most int) string {
	return fmt.Sprintf("%s characters, of which those from %q on are lost", text.Thousands(utf8.RuneCountInString(s)), clip(string([]rune(s)[most:])))
}

func (r *run) toolDescription(h hosts.Held, t *tool) {
	if text := t.text("description"); utf8.RuneCountInString(text) > r.number(h) {
		r.report(h, t.at+"/description", "say the most important things first, or move some into descriptions of arguments", "the description of %q has %s", t.name, cutWords(text, r.number(h)))
	}
}

func (r *run) descriptionMin(h hosts.Held, t *tool) {
	if utf8.RuneCountInString(t.text("description")) < r.number(h) {
		r.report(h, t.at+"/description", "say what the tool does", "%q has no description", t.name)
	}
}

func schemaDescription(r *run, h hosts.Held, n *node) {
	if text := n.get("description").Text; utf8.RuneCountInString(text) > r.number(h) {
		r.report(h, n.at()+"/description", "say the most important things first", "the description has %s", cutWords(text, r.number(h)))
	}
}

func (r *run) instructions(h hosts.Held) {
	if text := r.list.Instructions; utf8.RuneCountInString(text) > r.number(h) {
		r.report(h, r.list.at+"/instructions", "say the most important things first", "the instructions have %s", cutWords(text, r.number(h)))
	}
}

// cheaper is where one sees what to take out of a list.
const cheaper = "rpcgen budget shows what takes the most"

func inputRoot(r *run, h hosts.Held, n *node) {
	for _, m := range n.Value.Fields {
		if n.Around == nil && slices.Contains(h.Words, m.Name) {
			r.report(h, n.at()+"/"+ir.EscapePointer(m.Name), "write the members of all branches as optional ones, and say in the description which belong together", "%s stands at the root of the input", m.Name)
		}
	}
}

// rootType checks the type at the root of the input or the output of each tool. There need not be an output.
func rootType(what string) func(*run, hosts.Held) {
	return eachTool(func(r *run, h hosts.Held, one *tool) {
		schema, ok := one.value.Get(what + "Schema")
		if t, _ := schema.Get("type"); (ok || what == "input") && (t.Kind != ir.Text || !slices.Contains(h.Words, t.Text)) {
			r.report(h, one.at+"/"+what+"Schema", "write type: "+h.Words[0]+" at the root", "the root of the %s is not of type %s", what, strings.Join(h.Words, " or "))
		}
	})
}

func keywords(r *run, h hosts.Held, n *node) {
	for _, m := range n.Value.Fields {
		if slices.Contains(h.Words, m.Name) {
			r.report(h, n.at()+"/"+ir.EscapePointer(m.Name), "say it in the description; the server checks it in any case", "the schema has the keyword %s", m.Name)
		}
	}
}

func noRefs(r *run, h hosts.Held, n *node) {
	for _, m := range n.Value.Fields {
		if k := jsonschema.KeywordOf(m.Name); k.Refers() || k.Role == jsonschema.Definition {
			r.report(h, n.at()+"/"+ir.EscapePointer(m.Name), "write the definition in place", "the schema has %s", m.Name)
		}
	}
}

// noRecursion looks for references that lead back to a definition that they stand in.
func (r *run) noRecursion(h hosts.Held, t *tool) {
	for _, n := range recursive(t.input, t.at+"/inputSchema") {
		r.report(h, n.at()+"/$ref", "write the levels that are needed", "the reference %s leads back to the schema that it stands in", clip(n.get("$ref").Text))
	}
}

// recursive returns the references that close a circle. Only references within the schema are followed.
func recursive(all []*node, root string) []*node {
	byPointer := map[string]*node{}
	children := map[*jsonschema.Place][]*node{}
	for _, n := range all {
		byPointer[strings.TrimPrefix(n.at(), root)] = n
		if n.Around != nil && n.Keyword.Role != jsonschema.Definition {
			children[n.Around] = append(children[n.Around], n)
		}
	}
	const entered, left = 1, 2
	state := map[*node]int{}
	var closing []*node
	var visit func(n *node)
	visit = func(n *node) {
		state[n] = entered
		if ref, ok := strings.CutPrefix(n.get("$ref").Text, "#"); ok && n.has("$ref") {
			if to := byPointer[text.Unescaped(ref)]; to != nil {
				switch state[to] {
				case entered:
					closing = append(closing, n)
				case 0:
					visit(to)
				}
			}
		}
		for _, child := range children[n.Place] {
			if state[child] == 0 {
				visit(child)
			}
		}
		state[n] = left
	}
	for _, n := range all {
		if state[n] == 0 {
			visit(n)
		}
	}
	return closing
}

func arrayItems(r *run, h hosts.Held, n *node) {
	if n.is("array") && !n.has("items") {
		r.report(h, n.at(), "add items", "the array has no items")
	}
}

func typeArrays(r *run, h hosts.Held, n *node) {
	if n.get("type").Kind == ir.Array {
		r.report(h, n.at()+"/type", "write one type; nullable: true stands for null in this form", "the type is a list, %s", n.get("type"))
	}
}

func checkTyped(r *run, h hosts.Held, n *node) {
	if !n.isProperty() && n.Keyword.Role != jsonschema.Item && (n.Keyword.Role != jsonschema.Branch || n.Around.Around == nil) {
		return
	}
	if !slices.ContainsFunc([]string{"type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"}, n.has) {
		what := "a part"
		if n.isProperty() {
			what = "the property " + strconv.Quote(clip(n.Name))
		}
		r.report(h, n.at(), "say which type it has", "%s has no type", what)
	}
}

func enumType(r *run, h hosts.Held, n *node) {
	if !n.has("enum") {
		return
	}
	const help = "give the values in the description, and the type alone"
	if t := n.get("type"); t.Kind == ir.Text && !slices.Contains(h.Words, t.Text) {
		r.report(h, n.at()+"/enum", help, "the enum is of type %s, and not of %s", t.Text, strings.Join(h.Words, " or "))
		return
	}
	for i, v := range n.get("enum").Items {
		if !slices.Contains(h.Words, v.Kind.String()) {
			r.report(h, n.at()+"/enum/"+strconv.Itoa(i), help, "the value %s of the enum is of type %s, and not of %s", clip(v.String()), v.Kind, strings.Join(h.Words, " or "))
		}
	}
}

func enumEmpty(r *run, h hosts.Held, n *node) {
	values := n.get("enum")
	if n.has("enum") && len(values.Items) == 0 {
		r.report(h, n.at()+"/enum", "add the values, or leave the enum out", "the enum has no values")
	}
	for i, v := range values.Items {
		if v.Kind == ir.Text && v.Text == "" {
			r.report(h, n.at()+"/enum/"+strconv.Itoa(i), "leave it out, and let the argument be optional", "a value of the enum is an empty text")
		}
	}
}

func formats(r *run, h hosts.Held, n *node) {
	if f := n.get("format"); f.Kind == ir.Text && (n.is("string") || !n.has("type")) && !slices.Contains(h.Words, f.Text) {
		r.report(h, n.at()+"/format", "say it in the description; the server checks it in any case", "the format is %q, and not %s", clip(f.Text), strings.Join(h.Words, " or "))
	}
}

func lookaround(r *run, h hosts.Held, n *node) {
	const help = "say it in the description, or write a pattern without it"
	if p := n.get("pattern").Text; looksAround(p) {
		r.report(h, n.at()+"/pattern", help, "the pattern %s has a look-around", clip(p))
	}
	for _, m := range n.get("patternProperties").Fields {
		if looksAround(m.Name) {
			r.report(h, n.at()+"/patternProperties/"+ir.EscapePointer(m.Name), help, "the pattern %s has a look-around", clip(m.Name))
		}
	}
}

// looksAround reports whether a regular expression has a group that looks around: (?=, (?!, (?<= or (?<!.
func looksAround(pattern string) bool {
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			if slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, func(group string) bool { return strings.HasPrefix(pattern[i:], group) }) {
				return true
			}
		}
	}
	return false
}

func (r *run) boolSchema(h hosts.Held, t *tool) {
	for _, n := range slices.Concat(t.input, t.output) {
		if n.Value.Kind == ir.Boolean && n.Keyword.Role != jsonschema.Open {
			r.report(h, n.at(), "write {}", "the schema is %s", n.Value.Text)
		}
	}
}

func draft07Valid(r *run, h hosts.Held, n *node) {
	for _, w := range wrong07(n) {
		r.report(h, n.at()+w.tokens, "write it as JSON Schema draft-07 has it", "%s", w.says)
	}
}

func requiredDeclared(r *run, h hosts.Held, n *node) {
	if !n.isObject() {
		return
	}
	properties := n.get("properties")
	for i, name := range n.requiredNames() {
		if _, ok := properties.Get(name); !ok {
			r.report(h, n.at()+"/required/"+strconv.Itoa(i), "declare it, or take it out", "required names %q, which is not a property", clip(name))
		}
	}
}

func checkRequired(r *run, h hosts.Held, n *node) {
	for _, name := range n.optional() {
		r.report(h, n.at()+"/properties/"+ir.EscapePointer(name), "require it, and let it be null", "the property %q may be missing", clip(name))
	}
}

func checkClosed(r *run, h hosts.Held, n *node) {
	if extra := n.get("additionalProperties"); n.isObject() && (extra.Kind != ir.Boolean || extra.Text != "false") {
		r.report(h, n.at(), "add additionalProperties: false", "the object takes members that it does not name")
	}
}

func properties(s *node) int {
	if s.isProperty() {
		return 1
	}
	return 0
}

func depth(all []*node) (deepest int) {
	for _, s := range all {
		deepest = max(deepest, s.depth())
	}
	return deepest
}

func enumTexts(s *node) (n int) {
	if s.isProperty() {
		n += utf8.RuneCountInString(s.Name)
	}
	for _, v := range s.get("enum").Items {
		if v.Kind == ir.Text {
			n += utf8.RuneCountInString(v.Text)
		}
	}
	return n
}

func (r *run) numberOfTools(h hosts.Held) {
	if n := len(r.tools); n > r.number(h) {
		r.report(h, r.list.tools(), "offer several servers, or show some tools on demand", "the server has %d tools", n)
	}
}

func unions(s *node) int {
	if s.has("anyOf") || s.has("oneOf") || s.get("type").Kind == ir.Array {
		return 1
	}
	return 0
}

func maxItems(s *node) int {
	if most, err := strconv.Atoi(s.get("maxItems").Text); err == nil && most > 0 {
		return min(most, 1<<30)
	}
	return 0
}
