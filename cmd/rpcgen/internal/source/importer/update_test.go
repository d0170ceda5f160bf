package importer_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "300"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestUpdates imports a source, edits the result by hand, and imports the next version of the source into it. Each place is then what the
// oracle says, and importing once more changes nothing.
func TestUpdates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := drawVersion(t)
		second := first.next(t)
		was, is := importInto(t, first.source(), nil), importInto(t, second.source(), nil)
		hand := newHand(t, was.Text, is.Text)
		hand.edit(t)
		edited := format.Node(hand.document)
		merged := importInto(t, second.source(), &importer.Result{Text: edited, Last: was.Last})
		want := hand.oracle(string(was.Text), string(edited), string(is.Text), merged.Report)
		got := placesOf(string(merged.Text))
		for _, at := range slices.Sorted(maps.Keys(merge(want, got))) {
			if want[at] != got[at] {
				t.Errorf("%s: want %q, got %q", at, want[at], got[at])
			}
		}
		for _, comment := range hand.comments {
			if place, _, _ := strings.Cut(comment, ": "); !strings.Contains(string(merged.Text), comment) && got[strings.TrimPrefix(place, "# ")] != "" {
				t.Errorf("the comment %q is lost", comment)
			}
		}
		again := importInto(t, second.source(), merged)
		if r := again.Report; string(again.Text) != string(merged.Text) || len(r.Added)+len(r.Changed)+len(r.Removed)+len(r.Kept)+len(r.Dropped) > 0 {
			t.Errorf("importing once more changes the file, or reports changes:\n%s", again.Text)
		}
		if t.Failed() {
			t.Fatalf("imported:\n%s\nedited:\n%s\nimported next:\n%s\nmerged:\n%s\n%+v", was.Text, edited, is.Text, merged.Text, merged.Report)
		}
	})
}

func importInto(t *rapid.T, source string, into *importer.Result) *importer.Result {
	var o importer.Options
	if into != nil {
		o.Out, o.Last = &importer.Source{Name: "out.rpc.yaml", Text: into.Text}, &importer.Source{Name: "out.rpc.source.yaml", Text: into.Last}
	}
	result, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(source)}, o)
	if err != nil {
		t.Fatalf("%v\n%s\n%+v", err, source, into)
	}
	return result
}

// version is one version of a source: definitions, some of which are objects with properties.
type version []definition

type definition struct {
	name   string
	words  map[string]any // description, deprecated
	values []string       // of an enum; nil for an object
	fields []property
}

type property struct {
	name     string
	words    map[string]any // words and rules, next to the type
	of       string         // a type of JSON, or the name of a definition
	required bool
}

func drawWords(t *rapid.T, of string, required bool) map[string]any {
	words := map[string]any{}
	if rapid.Bool().Draw(t, "described") {
		words["description"] = rapid.SampledFrom([]string{"One.", "Two.", "Three: 3", "It is\nlong."}).Draw(t, "description")
	}
	if rapid.IntRange(0, 3).Draw(t, "deprecated") == 0 {
		words["deprecated"] = true
	}
	if !required && rapid.Bool().Draw(t, "default") {
		switch of {
		case "string":
			words["default"] = rapid.SampledFrom([]string{"a", "bb", "10"}).Draw(t, "text")
		case "integer":
			words["default"] = rapid.IntRange(1, 3).Draw(t, "number")
		}
	}
	if of == "integer" && rapid.Bool().Draw(t, "limited") {
		words["maximum"] = rapid.IntRange(3, 5).Draw(t, "maximum")
	}
	if of == "string" && rapid.IntRange(0, 2).Draw(t, "short") == 0 {
		words["maxLength"] = rapid.IntRange(2, 4).Draw(t, "maxLength")
	}
	return words
}

func drawProperty(t *rapid.T, name string) property {
	p := property{name: name, of: rapid.SampledFrom([]string{"string", "integer", "boolean", "Ta", "Tb", "list"}).Draw(t, "of"), required: rapid.Bool().Draw(t, "required")}
	p.required = p.required && p.of > "a" // a type that needs itself has no values
	p.words = drawWords(t, p.of, p.required)
	return p
}

func drawDefinition(t *rapid.T, name string) definition {
	d := definition{name: name, words: drawWords(t, "", true)}
	if name != "Ta" && rapid.IntRange(0, 2).Draw(t, "enum") == 0 {
		d.values = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "green", "blue", "grey"}), 1, 3, rapid.ID).Draw(t, "values")
		return d
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 4, rapid.ID).Draw(t, "fields") {
		d.fields = append(d.fields, drawProperty(t, name))
	}
	return d
}

func drawVersion(t *rapid.T) (all version) {
	for _, name := range []string{"Ta", "Tb", "Tc", "Td"}[:rapid.IntRange(2, 4).Draw(t, "definitions")] {
		all = append(all, drawDefinition(t, name))
	}
	return all
}

// next changes a version here and there.
func (e version) next(t *rapid.T) (all version) {
	changes := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	for _, d := range e {
		if changes("definition") && (d.name > "Tb" || d.values == nil) {
			if d.name > "Tb" {
				continue
			}
			d = drawDefinition(t, d.name)
		}
		if changes("words") {
			d.words = drawWords(t, "", true)
		}
		var fields []property
		for _, p := range d.fields {
			switch rapid.IntRange(0, 7).Draw(t, "field") {
			case 0:
				continue
			case 1:
				p = drawProperty(t, p.name)
			case 2, 3:
				p.words = drawWords(t, p.of, p.required)
			}
			fields = append(fields, p)
		}
		if d.fields = fields; d.values == nil && (changes("new") || len(fields) == 0) {
			d.fields = append(d.fields, drawProperty(t, "new"))
		}
		all = append(all, d)
	}
	if changes("another") {
		all = append(all, drawDefinition(t, "Te"))
	}
	return all
}

// source writes a version as JSON Schema.
func (e version) source() string {
	defs := map[string]any{}
	for _, d := range e {
		s := maps.Clone(d.words)
		defs[d.name] = s
		if d.values != nil {
			s["enum"] = d.values
			continue
		}
		properties, required := map[string]any{}, []string{}
		for _, p := range d.fields {
			f := maps.Clone(p.words)
			properties[p.name] = f
			switch {
			case p.of == "list":
				f["type"], f["items"] = "array", map[string]any{"$ref": "#/$defs/Tb"}
			case p.of < "a":
				f["$ref"] = "#/$defs/" + p.of
			default:
				f["type"] = p.of
			}
			if p.required {
				required = append(required, p.name)
			}
		}
		s["type"], s["properties"], s["required"] = "object", properties, required
	}
	text, _ := json.Marshal(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs})
	return string(text)
}

// hand is a person who edits a schema.
type hand struct {
	document *yaml.Node
	next     map[string]string // what the next import says
	comments []string
	names    map[string]string // types with another name
}

func newHand(t *rapid.T, text, next []byte) *hand {
	document, faults := format.Parse("hand.yaml", text)
	if faults.HasErrors() {
		t.Fatal(faults)
	}
	return &hand{document: document, next: placesOf(string(next)), names: map[string]string{}}
}

// edit makes some edits: of words, names for Go, order and comments, and adds a type and gives one another name.
func (h *hand) edit(t *rapid.T) {
	types := valueOf(h.document.Content[0], "types")
	pairs(types, func(name, value *yaml.Node) {
		at := "types." + name.Value
		h.editWords(t, at, value, true)
		fields := valueOf(value, "fields")
		pairs(fields, func(key, field *yaml.Node) {
			h.editWords(t, at+".fields."+strings.TrimSuffix(key.Value, "?"), field, !strings.HasSuffix(key.Value, "?"))
			if rapid.IntRange(0, 5).Draw(t, "comment") == 0 {
				comment := "# " + at + ".fields." + strings.TrimSuffix(key.Value, "?") + ": here"
				key.HeadComment = comment
				h.comments = append(h.comments, comment)
			}
		})
		if fields != nil && len(fields.Content) > 0 && rapid.IntRange(0, 3).Draw(t, "moved") == 0 {
			c := fields.Content
			fields.Content = append(slices.Clone(c[2:]), c[:2]...)
		}
	})
	if rapid.Bool().Draw(t, "own type") {
		own := &yaml.Node{}
		own.Encode(map[string]any{"description": "Own.", "fields": map[string]string{"x": "integer"}, "x-keep": true})
		types.Content = append(types.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "Own"}, own)
	}
	if rapid.IntRange(0, 3).Draw(t, "renamed") == 0 {
		h.names["Ta"] = "Alpha"
		text := renamed(string(format.Node(h.document)), h.names)
		h.document, _ = format.Parse("hand.yaml", []byte(text))
	}
}

func (h *hand) editWords(t *rapid.T, at string, value *yaml.Node, required bool) {
	if rapid.IntRange(0, 2).Draw(t, "edit") > 0 {
		return
	}
	is := typeOf(value)
	if value.Kind == yaml.ScalarNode {
		inner := *value
		*value = yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "type"}, &inner}}
	}
	put := func(key, is string) {
		drop(value, key)
		value.Content = append(value.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Value: is})
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind of edit") {
	case 0:
		put("description", "By hand, "+at+".")
	case 1:
		drop(value, "description")
	case 2:
		drop(value, "deprecated")
	case 3:
		put("deprecated", "Use another.")
	case 4:
		put("go", "Hand"+regexp.MustCompile(`\W`).ReplaceAllString(at, ""))
	case 5:
		if !required && is == "integer" {
			put("default", "2")
		}
		if !required && is == "string" {
			put("default", "hh")
		}
	case 6:
		drop(value, "default")
	}
}

// typeOf is the type of a field; empty if it has a form of its own.
func typeOf(value *yaml.Node) string {
	if n := valueOf(value, "type"); n != nil {
		return n.Value
	}
	return value.Value
}

var isWords = regexp.MustCompile(`\.(description|deprecated|default|go)$`)

// oracle says what each place must be: what the source says now if it has changed that, and otherwise what the file said. Words that both have changed
// are the person's. What the import says that it dropped must be of words that do not fit.
func (h *hand) oracle(was, edited, is string, report *importer.Report) map[string]string {
	before, now, file := placesOf(renamed(was, h.names)), placesOf(renamed(is, h.names)), placesOf(edited)
	want := map[string]string{}
	for at := range merge(before, now, file) {
		s1, s2, h := before[at], now[at], file[at]
		switch {
		case strings.HasPrefix(at, "types.Own"):
			want[at] = h
		case owner(at) != "" && now[owner(at)] == "":
			// the source no longer has it
		case isWords.MatchString(at) && s1 != h, s1 == s2 && h != "":
			want[at] = h
		default:
			want[at] = s2
		}
		if strings.HasSuffix(at, ".default") && want[at] != "" && want[at] != s2 {
			field := strings.TrimSuffix(at, ".default")
			fits := now[field+".optional"] != "" && (now[field+".type"] == "integer" && strings.HasPrefix(want[at], "!!int") || now[field+".type"] == "string" && strings.HasPrefix(want[at], "!!str"))
			pointer := "/" + strings.ReplaceAll(at, ".", "/")
			dropped := slices.ContainsFunc(report.Dropped, func(d importer.Removal) bool { return d.At == pointer })
			if dropped && fits && now[field+".maxLength"] == "" && now[field+".maximum"] == "" {
				want[at] = "to be kept: it fits"
			}
			if dropped || !fits {
				want[at] = s2
			}
		}
		if want[at] == "" {
			delete(want, at)
		}
	}
	return want
}

// owner is the declaration or the field that a place belongs to.
func owner(at string) string {
	parts := strings.Split(at, ".")
	switch {
	case len(parts) >= 4 && parts[2] == "fields":
		return strings.Join(parts[:4], ".")
	case len(parts) > 2:
		return strings.Join(parts[:2], ".")
	}
	return at
}

func renamed(text string, names map[string]string) string {
	for from, to := range names {
		text = regexp.MustCompile(`\b`+from+`\b`).ReplaceAllString(text, to)
	}
	return text
}

// placesOf lists what a schema says, by place. A declaration or field that is there says "is".
func placesOf(text string) map[string]string {
	document, faults := format.Parse("places.yaml", []byte(text))
	if faults.HasErrors() {
		panic(faults)
	}
	all := map[string]string{}
	var walk func(at string, n *yaml.Node)
	walk = func(at string, n *yaml.Node) {
		switch depth := strings.Count(at, "."); {
		case n.Kind == yaml.MappingNode:
			if strings.Contains(at, ".") && owner(at) == at {
				all[at] = "is"
			}
			pairs(n, func(key, value *yaml.Node) {
				name := strings.ReplaceAll(strings.TrimSuffix(key.Value, "?"), ".", "·")
				if strings.HasSuffix(key.Value, "?") {
					all[at+"."+name+".optional"] = "yes"
				}
				walk(strings.TrimPrefix(at+"."+name, "."), value)
			})
		case owner(at) == at && (depth == 1 || depth == 3):
			all[at], all[at+".type"] = "is", n.Value
		case n.Kind == yaml.SequenceNode:
			var items []string
			for _, item := range n.Content {
				items = append(items, item.Value)
			}
			slices.Sort(items)
			all[at] = fmt.Sprint(items)
		case strings.HasSuffix(at, ".default"):
			all[at] = n.ShortTag() + " " + n.Value
		default:
			all[at] = strings.TrimSpace(n.Value)
		}
	}
	walk("", document.Content[0])
	return all
}

func merge(all ...map[string]string) map[string]string {
	union := map[string]string{}
	for _, m := range all {
		maps.Copy(union, m)
	}
	return union
}

func pairs(n *yaml.Node, visit func(key, value *yaml.Node)) {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			visit(n.Content[i], n.Content[i+1])
		}
	}
}

func valueOf(n *yaml.Node, key string) (found *yaml.Node) {
	pairs(n, func(k, value *yaml.Node) {
		if k.Value == key {
			found = value
		}
	})
	return found
}

func drop(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
