package templates

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitCall writes the table of the request of a tool and of its answer.
func (w *backendWriter) emitCall(f *jen.File, t *tool) {
	h := t.HTTP
	boundary(f)
	remark(f, w.names.callVar(t)+" is the request that answers "+t.Name+".")
	table(f, w.names.callVar(t), backend("Call"), func(set func(string, bool, jen.Code)) {
		set("Tool", true, jen.Id("Tool"+t.name))
		set("Method", true, jen.Lit(h.Verb))
		set("Path", true, jen.Lit(h.Path))
		set("Body", h.Body != "" && h.Body != "json", jen.Lit(h.Body))
		set("Media", h.Media != "", jen.Lit(h.Media))
		set("Object", bodyIsObject(t), jen.True())
		set("Input", len(sentPlaces(t)) > 0, places(sentPlaces(t)))
		set("Query", len(h.Query) > 0, constants(h.Query))
		set("Headers", len(h.Headers) > 0, constants(h.Headers))
		set("Members", len(h.Members) > 0, fixedMembers(h.Members))
		set("Anonymous", h.Auth != nil && len(h.Auth) == 0, jen.True())
		set("Auth", len(h.Auth) > 0, alternatives(h.Auth))
		set("Idempotent", t.Hints.Idempotent == ir.HintYes, jen.True())
		set("RetryKey", h.RetryKey != "", jen.Lit(h.RetryKey))
		set("Link", h.Redirect == "link", jen.True())
		set("Page", h.Page != nil, w.page(t))
		set("Wait", h.Wait != nil, waitCode(h.Wait))
		set("Timeout", t.Timeout > 0, duration(t.Timeout))
		set("Output", len(h.Read) > 0, places(h.Read))
		set("Rest", len(h.Read) > 0 && readsRest(t), jen.True())
		set("Errors", len(w.declaredStatuses(t)) > 0, w.errorTable(w.declaredStatuses(t)))
	})
}

// sentPlaces lists the members of the input that have a place of their own. The one in which callers choose is not sent.
func sentPlaces(t *tool) []ir.PlacedField {
	all := t.HTTP.Sent
	if t.View == nil || t.View.Choose == "" {
		return all
	}
	chosen := ir.Underlying(t.Input).(*ir.Struct).Field(t.View.Choose)
	return append(all[:len(all):len(all)], ir.PlacedField{Field: chosen, Place: ir.Place{In: "none"}})
}

// bodyIsObject reports whether the body is a JSON object, also when it has no members. A schema that says body: json says so of tools without any.
func bodyIsObject(t *tool) bool {
	h := t.HTTP
	in, ok := shapeOrNil(t.Input).(*ir.Struct)
	if h.Bodiless || h.Body == "form" || h.Body == "multipart" || h.Body == "text" || h.Body == "bytes" {
		return false
	}
	if !ok {
		return h.Body != ""
	}
	placed := map[*ir.Field]ir.Place{}
	for _, p := range sentPlaces(t) {
		placed[p.Field] = p.Place
	}
	byRule := h.Verb == "POST" || h.Verb == "PUT" || h.Verb == "PATCH"
	for _, f := range in.Fields {
		place, own := placed[f]
		if own && place.In == "body" && !place.Whole || !own && byRule && !strings.Contains(h.Path, "{"+f.Name+"}") {
			return true
		}
	}
	return h.Body != "" && !slices.ContainsFunc(h.Sent, func(p ir.PlacedField) bool { return p.Place.In == "body" })
}

// readsRest reports whether the output has members that lie where the rule says.
func readsRest(t *tool) bool {
	out, ok := ir.Underlying(t.Output).(*ir.Struct)
	return !ok || len(out.Fields) > len(t.HTTP.Read) || out.Additional == ir.AdditionalKept
}

// places is a table of places.
func places(all []ir.PlacedField) jen.Code {
	return rows(backend("Place"), len(all), func(i int, g *jen.Group) {
		f, p := all[i].Field, all[i].Place
		addMember(g, "Field", f.Name)
		addMember(g, "In", p.In)
		addMember(g, "As", p.Name)
		addMember(g, "Style", p.Style)
		addMember(g, "Type", p.Type)
		_, isBytes := ir.NonNull(f.Type).(*ir.Bytes)
		for _, flag := range []struct {
			name string
			is   bool
		}{
			{"Whole", p.Whole},
			{"Text", (p.Whole || p.In == "header") && !isBytes && ir.KindsOf(f.Type).Has(ir.Text)},
			{"Bytes", p.Whole && isBytes},
		} {
			if flag.is {
				g.Id(flag.name).Op(":").True()
			}
		}
	})
}

func (w *backendWriter) page(t *tool) jen.Code {
	p := t.HTTP.Page
	if p == nil {
		return jen.Nil()
	}
	return jen.Op("&").Add(backend("Page")).ValuesFunc(func(g *jen.Group) {
		addMember(g, "By", p.By)
		addMember(g, "Param", p.Param)
		addMember(g, "From", p.From)
		addMember(g, "More", p.More)
		addMember(g, "Size", p.Size)
		if p.First != 0 {
			g.Id("First").Op(":").Lit(p.First)
		}
		addMember(g, "Items", listOf(t))
	})
}

// fixedMembers are members of JSON that have one value each.
func fixedMembers(all []ir.FixedMember) jen.Code {
	return rows(backend("Header"), len(all), func(i int, g *jen.Group) {
		addMember(g, "Name", all[i].Path)
		g.Id("Value").Op(":").Add(raw(jsonText(all[i].Value)))
	})
}

// waitCode is how the end of some work is waited for.
func waitCode(w *ir.Waiting) jen.Code {
	if w == nil {
		return jen.Nil()
	}
	return jen.Op("&").Add(backend("Wait")).ValuesFunc(func(g *jen.Group) {
		addMember(g, "Path", w.Get)
		addMember(g, "ID", w.ID)
		if len(w.Until) > 0 {
			g.Id("Until").Op(":").Add(fixedMembers(w.Until))
		}
		if len(w.Fail) > 0 {
			g.Id("Fail").Op(":").Add(fixedMembers(w.Fail))
		}
		if w.Every > 0 {
			g.Id("Every").Op(":").Add(duration(w.Every))
		}
	})
}

// listOf is the member of the output that is the list which is continued; empty if there is none.
func listOf(t *tool) string {
	if t.View != nil && t.View.Items != "" {
		return t.View.Items
	}
	out, _ := ir.Underlying(t.Output).(*ir.Struct)
	if out == nil {
		return ""
	}
	for _, f := range out.Fields {
		if _, ok := ir.NonNull(f.Type).(*ir.List); ok {
			return f.Name
		}
	}
	return ""
}

// declaredStatus is an error of a tool with one range of the statuses that mean it.
type declaredStatus struct {
	err    *errorType
	status ir.Statuses
}

// declaredStatuses lists the errors of a tool that answers can mean: those with a status of their own before those with a range.
func (w *backendWriter) declaredStatuses(t *tool) []declaredStatus {
	var single, ranges []declaredStatus
	for _, e := range t.Errors {
		all := e.Statuses
		if len(all) == 0 && e.HTTP >= 400 {
			all = []ir.Statuses{{Low: e.HTTP, High: e.HTTP}}
		}
		for _, s := range all {
			if d := (declaredStatus{w.names.errorOf(e), s}); s.Low == s.High {
				single = append(single, d)
			} else {
				ranges = append(ranges, d)
			}
		}
	}
	return append(single, ranges...)
}

func (w *backendWriter) errorTable(all []declaredStatus) jen.Code {
	return rows(backend("Declared"), len(all), func(i int, g *jen.Group) {
		e := all[i].err
		g.Id("Low").Op(":").Lit(all[i].status.Low)
		g.Id("High").Op(":").Lit(all[i].status.High)
		if data := w.dataPlaces(e); len(data) > 0 {
			g.Id("Data").Op(":").Add(places(data))
		}
		g.Id("Read").Op(":").Func().Params(jen.Id("r").Op("*").Add(wire("Reader"))).Error().BlockFunc(func(g *jen.Group) { w.readError(g, e) })
	})
}

func (w *backendWriter) dataPlaces(e *errorType) []ir.PlacedField {
	var all []ir.PlacedField
	if s, ok := shapeOrNil(e.Data).(*ir.Struct); ok {
		for _, f := range s.Fields {
			if f.HTTP != nil {
				all = append(all, ir.PlacedField{Field: f, Place: *f.HTTP})
			}
		}
	}
	return all
}

func (w *backendWriter) readError(g *jen.Group, e *errorType) {
	switch {
	case e.data != nil:
		g.Id("e").Op(":=").New(jen.Id(e.name))
		g.Add(invoke("e", "DecodeJSON", jen.Id("r")))
		g.Return(jen.Id("e"))
	case e.Data != nil:
		g.Id("e").Op(":=").New(jen.Id(e.name))
		w.values.decodeInto(g, e.Data, "e.Data")
		g.Return(jen.Id("e"))
	default:
		g.Add(invoke("r", "Skip"))
		g.Return(jen.Op("&").Id(e.name).Values())
	}
}
