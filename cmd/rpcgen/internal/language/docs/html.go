//go:build !js

package docs

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"html/template"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Style is the style of the page, for pages that look like it.
func Style() string { return style }

// HTML writes doc as one page that needs nothing else: no network, no other file. The page forbids itself any script but its
// own, so that even a mistake in escaping could run nothing.
func HTML(doc *ir.Document) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"href":   func(anchor string) template.URL { return template.URL("#" + anchor) }, // of safe characters by construction
		"tokens": tokens,
		"digest": func(which string) string { return Digest(map[string]string{"script": script, "style": style}[which]) },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, struct {
		page
		Style  template.CSS
		Script template.JS
	}{view(doc), template.CSS(style), template.JS(script)})
	return text.HTML(out.Bytes()), err
}

// Digest names a script or a style in the policy of the page.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// token is a piece of JSON text of one kind, for its colour.
type token struct{ Kind, Text string }

var lexical = text.Pattern(`("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*`)

// tokens splits JSON text.
func tokens(json string) []token {
	var all []token
	done := 0
	for _, at := range lexical().FindAllStringSubmatchIndex(json, -1) {
		end, kind := at[1], "lit"
		switch {
		case at[4] >= 0:
			end, kind = at[3], "key"
		case at[2] >= 0:
			kind = "str"
		}
		if at[0] > done {
			all = append(all, token{"", json[done:at[0]]})
		}
		all = append(all, token{kind, json[at[0]:end]})
		done = end
	}
	return append(all, token{"", json[done:]})
}
