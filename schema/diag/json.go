package diag

import (
	"encoding/json"
	"io"
)

// The JSON form is for programs: its keys never change their meaning.
type (
	jsonList struct {
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
		More        int              `json:"more"`
	}
	jsonDiagnostic struct {
		Code     Code          `json:"code"`
		Severity string        `json:"severity"`
		Message  string        `json:"message"`
		Path     string        `json:"path,omitempty"`
		Help     string        `json:"help,omitempty"`
		Related  []jsonRelated `json:"related,omitempty"`
		jsonSpan
	}
	jsonRelated struct {
		Message string `json:"message"`
		jsonSpan
	}
	jsonSpan struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
		Length int    `json:"length"`
	}
)

// WriteJSON prints the list as one JSON document.
func (l List) WriteJSON(w io.Writer) error {
	shown, more := l.cap()
	out := jsonList{Diagnostics: []jsonDiagnostic{}, More: more}
	for _, d := range shown {
		out.Diagnostics = append(out.Diagnostics, newJSON(d))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func newJSON(d Diagnostic) jsonDiagnostic {
	j := jsonDiagnostic{Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Path: d.Path, Help: d.Help, jsonSpan: newJSONSpan(d.Span)}
	for _, r := range d.Related {
		j.Related = append(j.Related, jsonRelated{Message: r.Message, jsonSpan: newJSONSpan(r.Span)})
	}
	return j
}

func newJSONSpan(s Span) jsonSpan {
	return jsonSpan{File: s.File, Line: s.Line, Column: s.Col, Length: s.Len}
}
