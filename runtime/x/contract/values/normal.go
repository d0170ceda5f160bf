package values

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// normalizer writes a schema of any draft as one of draft 2020-12 whose references lead to "#" or "#/$defs/NAME", which is what
// package conform judges by. Only schemas that references lead to become definitions.
type normalizer struct {
	root     *jsontree.Value
	old      bool // of draft 7 or before: what stands next to $ref counts for nothing
	named    map[string]*jsontree.Value
	defs     *jsontree.Value
	numbers  map[*jsontree.Value]string // the references that lead to schemas
	unjudged []string                   // patterns that cannot be judged
}

// normal returns a schema in normal form.
func normal(root *jsontree.Value) (*jsontree.Value, []string, error) {
	if root.Kind != jsontree.Object && root.Kind != jsontree.Boolean {
		return nil, nil, fmt.Errorf("expected a schema, which is an object or a boolean, got %.60s", root.JSON())
	}
	n := &normalizer{root: root, named: map[string]*jsontree.Value{}, defs: &jsontree.Value{Kind: jsontree.Object}, numbers: map[*jsontree.Value]string{root: "#"}}
	dialect := root.In("$schema").Str()
	for _, draft := range []string{"draft-03", "draft-04", "draft-06", "draft-07"} {
		n.old = n.old || strings.Contains(dialect, draft)
	}
	n.names(root, "")
	all, err := n.schema(root, "")
	if err == nil && len(n.defs.Fields) > 0 {
		all = all.With("$defs", n.defs)
	}
	return all, n.unjudged, err
}

// names finds the schemas that have names: by $id, and by $anchor within it.
func (n *normalizer) names(v *jsontree.Value, base string) {
	if v.Kind == jsontree.Object {
		for _, word := range []string{"$id", "id"} {
			if id := v.In(word).Str(); id != "" && (word == "$id" || n.old) {
				base = absolute(base, id)
				n.named[strings.TrimSuffix(base, "#")] = v
				base, _, _ = strings.Cut(base, "#")
			}
		}
		for _, word := range []string{"$anchor", "$dynamicAnchor"} {
			if name := v.In(word).Str(); name != "" {
				n.named[base+"#"+name] = v
			}
		}
	}
	for i, item := range v.Parts() {
		if v.Kind == jsontree.Object && jsonschema.KeywordOf(v.Fields[i].Name).Holds == jsonschema.Data {
			continue
		}
		n.names(item, base)
	}
}

// absolute resolves a reference.
func absolute(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return r.String()
}

// ErrOutside is in the error of a schema with a reference to another document.
var ErrOutside = fmt.Errorf("it leads to another document")

// target returns the schema that a reference leads to.
func (n *normalizer) target(ref, base string) (*jsontree.Value, error) {
	full := absolute(base, ref)
	if strings.HasPrefix(ref, "#") {
		full = base + ref
	}
	if found := n.named[strings.TrimSuffix(full, "#")]; found != nil {
		return found, nil
	}
	document, pointer, _ := strings.Cut(full, "#")
	in := n.root
	if document != "" && n.named[document] != nil {
		in = n.named[document]
	} else if document != "" {
		return nil, ErrOutside
	}
	if decoded, err := url.PathUnescape(pointer); err == nil {
		pointer = decoded
	}
	if pointer != "" && !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("nothing has the name %q", pointer)
	}
	if found := in.At(pointer); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("it leads nowhere")
}

// refer returns the reference to a schema, which becomes a definition.
func (n *normalizer) refer(at *jsontree.Value, base string) (string, error) {
	if ref := n.numbers[at]; ref != "" {
		return ref, nil
	}
	name := fmt.Sprint("d", len(n.numbers))
	n.numbers[at] = "#/$defs/" + name
	i := len(n.defs.Fields)
	n.defs.Fields = append(n.defs.Fields, jsontree.Member{Name: name})
	s, err := n.schema(at, base)
	if err == nil {
		n.defs.Fields[i].Value = *s
	}
	return n.numbers[at], err
}

func (n *normalizer) schema(v *jsontree.Value, base string) (*jsontree.Value, error) {
	if v.Kind == jsontree.Boolean {
		return v, nil
	}
	if v.Kind != jsontree.Object {
		return nil, fmt.Errorf("expected a schema, got %.60s", v.JSON())
	}
	out := &jsontree.Value{Kind: jsontree.Object}
	if id := v.In("$id").Str(); id != "" {
		base, _, _ = strings.Cut(absolute(base, id), "#")
	}
	for i, part := range v.Parts() {
		name := v.Fields[i].Name
		if n.old && v.In("$ref") != nil && name != "$ref" {
			continue
		}
		if err := n.keyword(out, v, name, part, base); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

func (n *normalizer) keyword(out, owner *jsontree.Value, name string, v *jsontree.Value, base string) error {
	add := func(name string, v *jsontree.Value) {
		out.Fields = append(out.Fields, jsontree.Member{Name: name, Value: *v})
	}
	switch word := jsonschema.KeywordOf(name); {
	case word.Refers():
		at, err := n.target(v.Str(), base)
		if err != nil {
			return fmt.Errorf("%q: %w", v.Str(), err)
		}
		ref, err := n.refer(at, base)
		if err != nil || out.In("$ref") != nil {
			return err
		}
		add("$ref", jsontree.NewText(ref))
	case (name == "exclusiveMinimum" || name == "exclusiveMaximum") && v.Kind == jsontree.Boolean: // draft 4
		if bound := owner.In(strings.ToLower(name[len("exclusive"):])); v.True() && bound != nil {
			add(name, bound)
		}
	case name == "items" && v.Kind == jsontree.Array:
		return n.holder(out, "prefixItems", v, base)
	case name == "additionalItems":
		if owner.In("items").Is(jsontree.Array) {
			return n.holder(out, "items", v, base)
		}
	case name == "dependencies":
		if v.Kind == jsontree.Object {
			required, schemas := jsonschema.Dependencies(*v)
			add(required.Name, &required.Value)
			return n.holder(out, schemas.Name, &schemas.Value, base)
		}
	case name == "pattern":
		if pattern, ok := n.pattern(v.Str()); ok {
			add(name, jsontree.NewText(pattern))
		}
	case word.Holds <= jsonschema.Data && (word.Checks || slices.Contains([]string{"title", "description", "default", "examples", "format",
		"contentEncoding", "deprecated"}, name)):
		add(name, v)
	case word.Holds > jsonschema.Data && word.Checks:
		return n.holder(out, name, v, base)
	}
	return nil
}

// holder adds a keyword that holds schemas.
func (n *normalizer) holder(out *jsontree.Value, name string, v *jsontree.Value, base string) error {
	put := v
	if holds := jsonschema.KeywordOf(name).Holds; holds == jsonschema.One || holds == jsonschema.OneOrList {
		s, err := n.schema(v, base)
		if err != nil {
			return err
		}
		put = s
	} else {
		put = &jsontree.Value{Kind: v.Kind}
		for i, item := range v.Parts() {
			s, err := n.schema(item, base)
			if err != nil {
				return err
			}
			if v.Kind == jsontree.Object {
				key := v.Fields[i].Name
				if name == "patternProperties" {
					var ok bool
					if key, ok = n.pattern(key); !ok {
						continue
					}
				}
				put.Fields = append(put.Fields, jsontree.Member{Name: key, Value: *s})
			} else {
				put.Items = append(put.Items, *s)
			}
		}
	}
	out.Fields = append(out.Fields, jsontree.Member{Name: name, Value: *put})
	return nil
}

// pattern returns a pattern as RE2 writes it. It notes one that RE2 cannot say.
func (n *normalizer) pattern(ecma string) (re2 string, ok bool) {
	re2 = jsonschema.RE2(ecma)
	_, err := regexp.Compile(re2)
	if err != nil {
		n.unjudged = append(n.unjudged, ecma)
	}
	return re2, err == nil
}
