package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// RFC 6570 section 2.3, without the percent-encoding, which is not used in practice.
var variableName = text.Pattern(`^[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$`)

// templateKeys lowers uriTemplate and the params that its variables are.
func (c *serverChecker) templateKeys(r *ir.Resource, e syntax.Entry, params *syntax.Entry) {
	if text := c.d.text(e); text != "" {
		r.Template = c.uriTemplate(e.Value, text)
	}
	if r.Template == nil {
		return
	}
	if params == nil {
		r.Params = textParams(r.Template)
		return
	}
	if r.Params = c.types.textFields(*params); r.Params != nil {
		c.d.settle(func() { c.variables(r, *params) })
	}
}

// textParams are the params of a template that does not declare them: text, one for each variable.
func textParams(t *ir.Template) *ir.Struct {
	s := &ir.Struct{At: ir.At{Pos: t.Pos}}
	for _, part := range t.Parts {
		if part.Variable != "" {
			s.Fields = append(s.Fields, &ir.Field{Meta: ir.Meta{Pos: t.Pos}, Name: part.Variable, Type: &ir.String{At: ir.At{Pos: t.Pos}}})
		}
	}
	return s
}

// uriTemplate splits a template at its expressions. Nil: it was reported.
func (c *serverChecker) uriTemplate(n *syntax.Node, text string) *ir.Template {
	t := &ir.Template{Pos: n.Span.Pos, Text: text}
	fault := func(at, length int, help, message string) *ir.Template {
		c.d.report(diag.InvalidTemplate, n.Within(at, length), help, "%s", message)
		return nil
	}
	for i := 0; i < len(text); {
		open := strings.IndexAny(text[i:], "{}")
		if open < 0 {
			t.Parts = append(t.Parts, ir.TemplatePart{Literal: text[i:]})
			break
		}
		if open > 0 {
			t.Parts = append(t.Parts, ir.TemplatePart{Literal: text[i : i+open]})
		}
		i += open
		end := strings.IndexByte(text[i:], '}')
		if text[i] == '}' || end < 0 {
			return fault(i, 1, "write {name}", "the template has a brace without the other")
		}
		part, wrong := expression(text[i+1 : i+end])
		if wrong != "" {
			return fault(i, end+1, "write {name}, {+name} or {#name}", wrong)
		}
		t.Parts = append(t.Parts, part)
		i += end + 1
	}
	if why := unmatchable(t.Parts); why != "" {
		return fault(0, len(text), "begin with a scheme, and put text between two variables", why)
	}
	return t
}

// expression reads what stands between braces: level 1, or an operator of level 2 before it.
func expression(text string) (part ir.TemplatePart, wrong string) {
	name := text
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "#") {
		part.Operator, name = text[0], text[1:]
	}
	switch {
	case strings.ContainsAny(text, ",*:") || name != "" && strings.IndexByte("./;?&=!@|", name[0]) >= 0:
		return part, "{" + text + "} is beyond levels 1 and 2 of RFC 6570, which can be matched"
	case !variableName().MatchString(name):
		return part, quote(name) + " cannot name a variable"
	}
	part.Variable = name
	return part, ""
}

var uriScheme = text.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// unmatchable says why a URI could not be taken apart again in one way only.
func unmatchable(parts []ir.TemplatePart) string {
	if len(parts) == 0 || !uriScheme().MatchString(parts[0].Literal) {
		return "the template does not begin with the scheme of an absolute URI"
	}
	seen := map[string]bool{}
	for i, part := range parts {
		switch {
		case part.Variable == "":
			continue
		case seen[part.Variable]:
			return quote(part.Variable) + " is there twice"
		case parts[i-1].Variable != "":
			return "nothing tells where " + quote(parts[i-1].Variable) + " ends and " + quote(part.Variable) + " begins"
		}
		seen[part.Variable] = true
		for _, later := range parts[i+1:] {
			if part.Operator != 0 && later.Variable != "" {
				return "nothing tells where " + quote(part.Variable) + " ends, which may hold any character, so that it must be the last variable"
			}
		}
	}
	if len(seen) == 0 {
		return "the template has no variable: write uri instead"
	}
	return ""
}

// variables compares the variables of a template with its params.
func (c *serverChecker) variables(r *ir.Resource, params syntax.Entry) {
	var names []string
	for _, part := range r.Template.Parts {
		if part.Variable == "" {
			continue
		}
		names = append(names, part.Variable)
		if r.Params.Field(part.Variable) == nil {
			c.d.report(diag.TemplateParams, params.Key.Span, "add "+part.Variable+": string", "the variable %q of the template is not among the params", part.Variable)
		}
	}
	for _, f := range r.Params.Fields {
		at := point(f.Pos, len(f.Name))
		switch {
		case !slices.Contains(names, f.Name):
			c.d.report(diag.TemplateParams, at, c.d.suggest(f.Name, func() []string { return names }), "the template has no variable %q", f.Name)
		case f.Optional:
			c.d.report(diag.TemplateParams, at, "remove the ?", "the variable %q is always there", f.Name)
		case !ir.IsText(f.Type) && !ir.Is[*ir.Int](f.Type) && !c.d.faulty[ir.Underlying(f.Type)]:
			c.d.report(diag.TemplateParams, at, "use a string, an enum of text, or an integer", "%s is not part of a URI", ir.Describe(f.Type))
		}
	}
}
