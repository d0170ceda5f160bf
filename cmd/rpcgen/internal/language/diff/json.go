package diff

import (
	"encoding/json"
	"io"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// The JSON form is for programs: its keys never change their meaning.
type (
	jsonReport struct {
		Old     string                    `json:"old"`
		New     string                    `json:"new"`
		Semver  jsonSemver                `json:"semver"`
		Counts  map[string]map[string]int `json:"counts"`
		Changes []jsonChange              `json:"changes"`
	}
	jsonSemver struct {
		Bump   Version `json:"bump"`
		Reason string  `json:"reason"`
	}
	jsonChange struct {
		ID      string          `json:"id"`
		Kind    Kind            `json:"kind"`
		Path    string          `json:"path"`
		Text    string          `json:"text"`
		Was     string          `json:"was,omitempty"`
		Is      string          `json:"is,omitempty"`
		Old     *jsonPos        `json:"old"`
		New     *jsonPos        `json:"new"`
		Uses    []string        `json:"uses,omitempty"`
		Wire    []jsonDirection `json:"wire"`
		Go      jsonJudgement   `json:"go"`
		Script  jsonJudgement   `json:"typescript"`
		Model   jsonJudgement   `json:"model"`
		Allowed bool            `json:"allowed,omitempty"`
	}
	jsonDirection struct {
		Sender   string        `json:"sender"`
		Received jsonJudgement `json:"received"` // old sender, new receiver
		Sent     jsonJudgement `json:"sent"`     // new sender, old receiver
	}
	jsonJudgement struct {
		Verdict string `json:"verdict"`
		Reason  string `json:"reason"`
	}
	jsonPos struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
)

// WriteJSON prints the report as one JSON document.
func (v View) WriteJSON(w io.Writer) error {
	bump, reason := v.Semver()
	out := jsonReport{Old: v.Old.Label, New: v.New.Label, Semver: jsonSemver{bump, reason}, Counts: map[string]map[string]int{}, Changes: []jsonChange{}}
	for _, s := range Aspects {
		out.Counts[s.String()] = map[string]int{}
		for _, verdict := range []Verdict{NotApplicable, OK, Warning, Break} {
			out.Counts[s.String()][verdict.String()] = v.Count(s, verdict)
		}
	}
	out.Changes = append(out.Changes, ir.Each(v.Changes, v.jsonChange)...)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (v View) jsonChange(c *Change) jsonChange {
	j := jsonChange{
		ID: c.ID, Kind: c.Kind, Path: c.Path, Text: c.Text, Was: c.Was, Is: c.Is, Uses: c.Uses,
		Old: newJSONPos(c.Old), New: newJSONPos(c.New), Wire: []jsonDirection{}, Go: newJSONJudgement(c.Go), Script: newJSONJudgement(c.Script), Model: newJSONJudgement(c.Model),
		Allowed: c.Worst() == Break && !v.breaks(c),
	}
	for _, d := range c.Wire {
		j.Wire = append(j.Wire, jsonDirection{d.Sender.String(), newJSONJudgement(d.Received), newJSONJudgement(d.Sent)})
	}
	return j
}

func newJSONJudgement(j Judgement) jsonJudgement { return jsonJudgement{j.Verdict.String(), j.Reason} }

func newJSONPos(pos diag.Pos) *jsonPos {
	if !pos.Valid() {
		return nil
	}
	return &jsonPos{pos.File, pos.Line, pos.Col}
}
