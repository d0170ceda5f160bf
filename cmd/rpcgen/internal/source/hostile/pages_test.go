package hostile_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// pageShape checks the reference of a schema, and returns the shape of its document: its elements, what is inside what, and the names of
// their attributes, but for those that an author's words may be set in.
func pageShape(t testing.TB, doc *ir.Document) string {
	t.Helper()
	page, err := docs.HTML(doc)
	return checkHTML(t, page, err)
}

// ofWords are the elements that an author's words may be set in: paragraphs, lists, code between backticks, places to break a line.
var ofWords = []string{"p", "ul", "li", "code", "wbr"}

// checkPages looks at everything else that is written for readers of a schema.
func checkPages(t testing.TB, b *bundle, doc *ir.Document) {
	t.Helper()
	checkMarkdown(t, string(docs.Markdown(doc)))
	old, ok := b.load(b.files[b.name])
	if !ok {
		return
	}
	names := func(doc *ir.Document) diff.Names { n, _ := templates.NewNames(doc); return n }
	v := diff.View{Report: diff.Compare(old, doc, names)}
	page, err := v.HTML()
	checkHTML(t, page, err)
	var out bytes.Buffer
	if err := v.WriteMarkdown(&out); err != nil {
		t.Error(err)
	}
	checkMarkdown(t, out.String())
	out.Reset()
	if err := v.WriteText(&out); err != nil || !text.Clean(out.String()) {
		t.Errorf("%v, %q", err, out.String())
	}
	checkPrinted(t, v.WriteJSON, v.WriteGitHub)
}

// checkDiagnostics prints diagnostics in all formats.
func checkDiagnostics(t testing.TB, list diag.List, source diag.Source) {
	t.Helper()
	var out bytes.Buffer
	if err := list.WriteText(&out, source); err != nil || !text.Clean(out.String()) {
		t.Errorf("%v, %q", err, out.String())
	}
	checkPrinted(t, list.WriteJSON, list.WriteGitHub)
}

// checkPrinted prints as the command does: JSON stays JSON, and every line for GitHub is one command of ours.
func checkPrinted(t testing.TB, asJSON, forGitHub func(io.Writer) error) {
	t.Helper()
	var plain, printed bytes.Buffer
	if err := errors.Join(asJSON(&plain), asJSON(text.Writer{Writer: &printed})); err != nil {
		t.Error(err)
	}
	var before, after any
	if err := errors.Join(json.Unmarshal(plain.Bytes(), &before), json.Unmarshal(printed.Bytes(), &after)); err != nil {
		t.Errorf("%v: %s", err, printed.Bytes())
	}
	one, _ := json.Marshal(before)
	two, _ := json.Marshal(after)
	if !bytes.Equal(one, two) {
		t.Errorf("printing JSON changes it: %s, %s", one, two)
	}
	printed.Reset()
	if err := forGitHub(text.Writer{Writer: &printed}); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(printed.String()) {
		if !strings.HasPrefix(line, "::error file=") && !strings.HasPrefix(line, "::warning file=") && !strings.HasPrefix(line, "::notice::") {
			t.Errorf("a line for GitHub: %q", line)
		}
	}
}

// Of these is a page made; a value of attribute names that begin with data- is checked by its characters alone.
var (
	elements = strings.Fields("html head meta title style body a header button nav h1 h2 h3 h4 h5 span ul li main p div form label select option " +
		"input article figure figcaption pre code mark dl dt dd table thead tbody tr th td section script wbr strong")
	attributes = strings.Fields("lang charset http-equiv content name class href type id aria-expanded aria-controls aria-label tabindex title role " +
		"autocomplete spellcheck placeholder value hidden scope data-for data-search data-wire data-go data-typescript data-model")
	plainID = regexp.MustCompile(`^[A-Za-z0-9~._/-]+$`)
)

// checkHTML parses a page: its elements are those of the templates, properly nested, links lead to the page itself, and scripts and styles
// are as they were embedded. It returns the shape of the page.
func checkHTML(t testing.TB, page []byte, err error) string {
	t.Helper()
	if err != nil || !text.Clean(string(page)) {
		t.Errorf("%v, or the page hides something", err)
		return ""
	}
	d := xml.NewDecoder(bytes.NewReader(withoutAssets(t, page)))
	d.Strict, d.AutoClose, d.Entity = false, append(slices.Clone(xml.HTMLAutoClose), "wbr"), xml.HTMLEntity
	var open []string
	var shape strings.Builder
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("the page is not HTML: %v", err)
			return ""
		}
		switch token := token.(type) {
		case xml.StartElement:
			checkElement(t, token)
			if !slices.Contains(ofWords, token.Name.Local) {
				shape.WriteString("\n<" + token.Name.Local)
				for _, a := range token.Attr {
					shape.WriteString(" " + a.Name.Local)
				}
			}
			if !slices.Contains([]string{"meta", "input", "wbr"}, token.Name.Local) {
				open = append(open, token.Name.Local)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != token.Name.Local {
				t.Errorf("</%s> ends %v", token.Name.Local, open)
				return ""
			}
			open = open[:len(open)-1]
			if !slices.Contains(ofWords, token.Name.Local) {
				shape.WriteString(">")
			}
		case xml.Comment, xml.ProcInst:
			t.Errorf("the page has %v", token)
		}
	}
	if len(open) > 0 {
		t.Errorf("%v stay open", open)
	}
	return shape.String()
}

// assets are the scripts and styles of pages.
var assets = regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)

func withoutAssets(t testing.TB, page []byte) []byte {
	if n := len(assets.FindAll(page, -1)); n != 2 || bytes.Count(page, []byte("<script")) != 1 || bytes.Count(page, []byte("<style")) != 1 {
		t.Errorf("%d scripts and styles", n)
	}
	return assets.ReplaceAll(page, nil)
}

func checkElement(t testing.TB, e xml.StartElement) {
	t.Helper()
	if !slices.Contains(elements, e.Name.Local) {
		t.Errorf("the element %s", e.Name.Local)
	}
	for _, a := range e.Attr {
		switch name := a.Name.Local; {
		case !slices.Contains(attributes, name) || a.Name.Space != "":
			t.Errorf("the attribute %s of %s", name, e.Name.Local)
		case name == "href" && (!strings.HasPrefix(a.Value, "#") || !plainID.MatchString(a.Value[1:])):
			t.Errorf("a link to %q", a.Value)
		case name == "id" && !plainID.MatchString(a.Value):
			t.Errorf("the id %q", a.Value)
		}
	}
}

var (
	anchorTag = regexp.MustCompile(`^<a id="[A-Za-z0-9~._/-]+"></a>$`)
	ownTags   = strings.NewReplacer("<br>", "", "<details><summary>", "", "</summary>", "", "</details>", "")
)

// checkMarkdown reads a page as GitHub does: tags are those of the compiler, links lead to the page itself, and rows have the cells of their
// head.
func checkMarkdown(t testing.TB, page string) {
	t.Helper()
	if !text.Clean(page) {
		t.Errorf("the page hides something: %q", page)
	}
	fenced, cells := false, 0
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || anchorTag.MatchString(line) {
			continue
		}
		if n := cellsOf(line); !strings.HasPrefix(line, "|") {
			cells = 0
		} else if cells == 0 {
			cells = n
		} else if n != cells {
			t.Errorf("%d cells below %d: %s", n, cells, line)
		}
		rest := ownTags.Replace(withoutCode(line))
		if strings.ContainsAny(strings.TrimPrefix(rest, ">"), "<>`") {
			t.Errorf("markup in %q", line)
		}
		for i := range rest {
			if strings.HasPrefix(rest[i:], "](") && !strings.HasPrefix(rest[i:], "](#") {
				t.Errorf("a link in %q", line)
			}
		}
	}
	if fenced {
		t.Error("a fence stays open")
	}
}

// cellsOf counts the bars of a line that part cells.
func cellsOf(line string) int {
	n, escaped := 0, false
	for _, c := range line {
		if c == '|' && !escaped {
			n++
		}
		escaped = c == '\\' && !escaped
	}
	return n
}

// withoutCode takes spans of code and escaped characters out of a line.
func withoutCode(line string) string {
	var out strings.Builder
	for line != "" {
		switch {
		case line[0] == '\\' && len(line) > 1:
			line = line[2:]
		case line[0] == '`':
			after := strings.TrimLeft(line, "`")
			fence := line[:len(line)-len(after)]
			end := endOfCode(after, fence)
			if end < 0 {
				out.WriteByte('`')
				return out.String()
			}
			line = after[end:]
		default:
			out.WriteByte(line[0])
			line = line[1:]
		}
	}
	return out.String()
}

// endOfCode finds the run of backticks that is as long as fence.
func endOfCode(s, fence string) int {
	for i := 0; i < len(s); {
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == len(fence) {
			return i + run
		}
		i += max(run, 1)
	}
	return -1
}
