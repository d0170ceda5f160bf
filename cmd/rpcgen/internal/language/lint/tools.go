package lint

import (
	"fmt"
	"regexp"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What models are given to work with.
const (
	UndescribedTool diag.Code = "UndescribedTool" // a tool, prompt or resource without description
	OpenInput       diag.Code = "OpenInput"       // a tool that ignores arguments that its input does not name
	AnyInput        diag.Code = "AnyInput"        // any in the input of a tool
	CachedChange    diag.Code = "CachedChange"    // a tool that may change something, and whose results are kept
	ToolName        diag.Code = "ToolName"        // a name that some providers of models refuse
)

// toolInputs are what a client sends to tools and prompts, and what its user answers.
func (p *pass) toolInputs() []root {
	var all []root
	for _, t := range p.doc.Tools {
		all = append(all, root{"tools." + t.Name + ".input", t.Input})
		for _, a := range t.Asks {
			if a.Form != nil {
				all = append(all, root{"tools." + t.Name + ".asks." + a.Name + ".form", a.Form})
			}
		}
	}
	for _, prompt := range p.doc.Prompts {
		if prompt.Arguments != nil {
			all = append(all, root{"prompts." + prompt.Name + ".arguments", prompt.Arguments})
		}
	}
	return all
}

// toolOutputs are what tools and resources answer.
func (p *pass) toolOutputs() []root {
	return append(ir.Each(p.doc.Tools, func(t *ir.Tool) root { return root{"tools." + t.Name + ".output", t.Published()} }),
		ir.Each(p.doc.Resources, func(r *ir.Resource) root { return root{"resources." + r.Name + ".content", r.Content} })...)
}

// toolErrors are what errors of tools say in addition to their text, and what questions speak of.
func (p *pass) toolErrors() []root {
	var all []root
	for _, t := range p.doc.Tools {
		for _, e := range t.Errors {
			all = append(all, root{"tools." + t.Name + ".errors." + e.Name + ".data", e.Data})
		}
		for _, a := range t.Asks {
			if a.Params != nil {
				all = append(all, root{"tools." + t.Name + ".asks." + a.Name + ".params", a.Params})
			}
		}
	}
	return all
}

func (p *pass) undescribedTool() {
	ask := func(section, name string, m ir.Meta) {
		if m.Doc == "" {
			p.report(section+"."+name, span(m.Pos, name), "add description:", fmt.Sprintf("%q has no description", name))
		}
	}
	for _, t := range p.doc.Tools {
		ask("tools", t.Name, t.Meta)
	}
	for _, r := range p.doc.Resources {
		ask("resources", r.Name, r.Meta)
	}
	for _, prompt := range p.doc.Prompts {
		ask("prompts", prompt.Name, prompt.Meta)
	}
}

func (p *pass) anyInput() {
	w := walker{seen: map[*ir.Decl]bool{}, visit: func(at place) {
		if _, ok := at.t.(*ir.Any); ok {
			p.report(at.path, at.span, "say what it may be", fmt.Sprintf("the value %s may be anything, and a model will invent it", at.name()))
		}
	}}
	w.roots(p.toolInputs())
}

// tools reports the tools that a rule is about. The message has a verb for their name.
func (p *pass) tools(help, message string, isFound func(t *ir.Tool) bool) {
	for _, t := range p.doc.Tools {
		if isFound(t) {
			p.report("tools."+t.Name, span(t.Pos, t.Name), help, fmt.Sprintf(message, t.Name))
		}
	}
}

func (p *pass) openInput() {
	p.tools("remove unknown: ignore, if its callers send no more than the input names", "the tool %q ignores arguments that its input does not name",
		func(t *ir.Tool) bool {
			s, ok := t.Input.(*ir.Struct)
			return ok && s.Additional == ir.AdditionalSkipped
		})
}

var portable = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func (p *pass) cachedChange() {
	p.tools("add hints: {readOnly: true}, or remove the cache", "the tool %q may change something, and its results are kept",
		func(t *ir.Tool) bool { return t.Keep != nil && t.Hints.ReadOnly != ir.HintYes })
}

func (p *pass) toolName() {
	p.tools("use at most 64 letters, digits, _ and -, a letter first", "not every provider of models takes the tool name %q",
		func(t *ir.Tool) bool { return len(t.Name) > 64 || !portable.MatchString(t.Name) })
}
