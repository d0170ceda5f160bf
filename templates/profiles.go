package templates

import (
	"cmp"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/lower"
)

// profileEntry is the entry of a tool in a profile.
type profileEntry struct {
	constant string // the name of its constant; that of the plain entry if they are equal
	text     string // empty if it is that of the plain entry
	plan     string // how arguments become plain; empty if they are
}

// profileEntries returns the entries of all tools in a profile.
func (w *toolWriter) profileEntries(p lower.Profile) []profileEntry {
	all := make([]profileEntry, len(w.names.tools))
	for i, t := range w.names.tools {
		constant, _, listed, plain := w.toolEntry(t)
		all[i].constant = constant
		text := cmp.Or(listed, plain.String())
		entry, err := ir.ParseJSON([]byte(text))
		if err != nil {
			continue // the entry is listed as it is
		}
		result, plan := lower.Tool(entry, p)
		all[i].plan = plan
		if is := jsonText(result); is != jsonText(entry) {
			all[i].constant, all[i].text = constant+profileName(p), is
		}
	}
	return all
}

// profileName is a profile in names of Go.
func profileName(p lower.Profile) string {
	return map[lower.Profile]string{lower.Gemini: "Gemini", lower.OpenAIStrict: "OpenAIStrict"}[p]
}

// emitProfiles writes a listing of the tools for each profile. Entries that are those of the plain listing share its constants.
func (w *toolWriter) emitProfiles(f *jen.File) {
	if !w.hasProfiles() {
		return
	}
	profiles := jen.Index().Add(mcpgen("Profile")).CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
		for _, name := range w.names.doc.Server.Profiles {
			g.Values(w.emitProfile(f, lower.Profile(name)))
		}
	})
	boundary(f)
	f.Comment("toolProfiles lists the tools for clients whose models take less of JSON Schema.")
	f.Func().Id("toolProfiles").Params().Index().Add(mcpgen("Profile")).Block(jen.Return(profiles))
}

// emitProfile writes the constants of a profile, and returns its fields.
func (w *toolWriter) emitProfile(f *jen.File, p lower.Profile) jen.Dict {
	name := profileName(p)
	all := w.profileEntries(p)
	entries := []jen.Code{raw("[")}
	var planned []jen.Code
	for i, one := range all {
		tool := w.names.tools[i]
		if one.text != "" {
			boundary(f)
			remark(f, one.constant+" is the tool "+tool.Name+" in the list of the profile "+string(p)+".")
			f.Const().Id(one.constant).Op("=").Add(jsonConstant(one.text, true))
		}
		if i > 0 {
			entries = append(entries, raw(","))
		}
		entries = append(entries, jen.Id(one.constant))
		if one.plan != "" {
			plan := w.names.hiddenName(tool.name, "Plan") + name
			boundary(f)
			remark(f, plan+" says how arguments of the tool "+tool.Name+" become those that the schema has.")
			f.Const().Id(plan).Op("=").Add(jsonConstant(one.plan, true))
			plain := jen.Qual(profilePath, "Plain").Call(jen.Id(plan), jen.Id("arguments"))
			planned = append(planned, jen.Case(jen.Id("Tool"+tool.name)).Block(jen.Return(plain)))
		}
	}
	list := "toolList" + name
	boundary(f)
	f.Comment(list + " is the list that clients of the profile " + string(p) + " get, in the order of the schema.")
	f.Const().Id(list).Op("=").Add(sumOfList(append(entries, raw("]"))))
	fields := jen.Dict{jen.Id("Name"): jen.Lit(string(p)), jen.Id("Tools"): jen.Id(list)}
	api, _, _ := strings.Cut(string(p), "-")
	if clients := hosts.Known().ClientsOf(api); len(clients) > 0 {
		fields[jen.Id("Clients")] = jen.Index().String().ValuesFunc(func(g *jen.Group) {
			for _, c := range clients {
				g.Lit(c)
			}
		})
	}
	if len(planned) > 0 {
		plain := "plainOf" + name
		boundary(f)
		f.Comment(plain + " returns the arguments of a tool as the schema has them, given those of a client of the profile " + string(p) + ".")
		f.Func().Id(plain).Params(jen.Id("tool").String(), jen.Id("arguments").Index().Byte()).Index().Byte().Block(
			jen.Switch(jen.Id("tool")).Block(planned...),
			jen.Return(jen.Id("arguments")))
		setField(fields, "Plain", jen.Id(plain))
	}
	return fields
}
