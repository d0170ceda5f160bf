//go:build !js

package diff

import (
	"bytes"
	_ "embed" // for the parts of the page
	"html/template"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	ownStyle string
	//go:embed page.js
	script string
)

// page is what the HTML page shows.
type page struct {
	Title    string
	Old, New string
	Semver   Version
	Reason   string
	Aspects  []aspectRow
	Changes  []entry
	Style    template.CSS
	Script   template.JS
}

// aspectRow is the line of an aspect in the summary.
type aspectRow struct {
	Aspect             Aspect
	Break, Warning, OK int
	Absent             bool
}

// entry is a change.
type entry struct {
	*Change
	Anchor   string
	Verdict  string
	Verdicts []judgementLine // of every aspect in a word each
	Findings []judgementLine
	Used     string
	OldAt    string
	NewAt    string
	OldLines []line
	NewLines []line
	Allowed  bool
	Search   string
}

// HTML writes the report as one page that needs nothing else: no network, no other file. Without scripts it shows everything.
func (v View) HTML() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"href":  func(anchor string) template.URL { return template.URL("#" + anchor) }, // of digits and letters alone
		"split": strings.Split,
		"odd":   func(i int) bool { return i%2 == 1 },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	bump, reason := v.Semver()
	style := docs.Style() + ownStyle
	p := page{
		Title: v.Report.New.Heading(), Old: v.Old.Label, New: v.New.Label, Semver: bump, Reason: reason,
		Style: template.CSS(style), Script: template.JS(script), Aspects: ir.Each(Aspects, func(s Aspect) aspectRow {
			return aspectRow{s, v.Count(s, Break), v.Count(s, Warning), v.Count(s, OK), v.Count(s, NotApplicable) == len(v.Changes)}
		}),
	}
	for i, c := range v.Changes {
		p.Changes = append(p.Changes, v.entry(i, c))
	}
	var out bytes.Buffer
	err = t.Execute(&out, struct {
		page
		StyleDigest, ScriptDigest string
	}{p, docs.Digest(style), docs.Digest(script)})
	return text.HTML(out.Bytes()), err
}

func (v View) entry(i int, c *Change) entry {
	e := entry{
		Change: c, Anchor: "c" + digits(i+1), Verdict: c.Worst().String(), Findings: findings(c), OldAt: v.Old.at(c.Old), NewAt: v.New.at(c.New),
		Allowed: c.Worst() == Break && !v.breaks(c), Search: c.Path + " " + c.Text + " " + string(c.Kind),
	}
	if sharedType(c) {
		e.Used = usesLine(c)
	}
	for _, s := range Aspects {
		if verdict := c.On(s).Verdict; verdict != NotApplicable {
			e.Verdicts = append(e.Verdicts, judgementLine{Aspect: s.String(), Verdict: verdict.String()})
		}
	}
	e.OldLines, e.NewLines = v.excerpts(c)
	return e
}
