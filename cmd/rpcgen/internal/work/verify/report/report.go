// Package report writes what rpcgen verify has found for other programs: as JSON, JUnit, SARIF and as workflow commands of GitHub. It also
// reads and writes baselines, the lists of findings that are known.
//
//test:sequential
package report

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Options are what a report does not know itself. The zero value is what the fields say.
type Options struct {
	Place   func(tool string) diag.Span // where a schema declares a tool; nil, or a zero span, if that is not known
	Fails   contract.Severity           // findings of this severity or a worse one fail; empty means contract.Warning
	Version string                      // of rpcgen
}

// place returns where the first tool of a finding that has a place is declared; a zero span if none has.
func (o Options) place(f contract.Finding) diag.Span {
	for _, tool := range f.Tools {
		if o.Place == nil {
			break
		}
		if span := o.Place(tool); span.Valid() {
			return span
		}
	}
	return diag.Span{}
}

// fails reports whether a finding counts as a failure.
func (o Options) fails(f contract.Finding) bool {
	least := cmp.Or(o.Fails, contract.Warning)
	return f.Severity.Rank() >= least.Rank()
}

// JSON writes a report as one document, which schema/verify-v1.json describes.
func JSON(w io.Writer, r *contract.Report) error { return indented(w, r) }

// indented writes JSON with an end of line.
func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// GitHub writes findings as workflow commands, which GitHub shows at the line that declares the tool, or in the summary of the run.
func GitHub(w io.Writer, r *contract.Report, o Options) error {
	severities := map[contract.Severity]diag.Severity{contract.Error: diag.Error, contract.Warning: diag.Warning, contract.Note: diag.Note}
	list := make(diag.List, 0, len(r.Findings))
	for _, f := range r.Findings {
		d := diag.Diagnostic{
			Code: diag.Code(f.Check), Severity: severities[f.Severity], Span: o.place(f), Message: f.Message, Help: "reproduce: " + f.Reproduce,
		}
		if f.Advice != "" {
			d.Help = f.Advice + "\n" + d.Help
		}
		list = append(list, d)
	}
	return list.WriteGitHub(w)
}
