package judge

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Conforms reports whether a value fits a JSON Schema of draft 2020-12 that [SchemaFaults] finds nothing wrong with. It compares each part of the
// value with each part of the schema once at most, however often references lead there.
func Conforms(schema, v ir.Value) bool {
	c := conforming{root: schema, left: math.MaxInt, known: map[string]verdict{}}
	ok, _ := c.fits(schema, v, "")
	return ok
}

// mostSteps is how many schemas [ConformsSoon] looks at: references can multiply what a small schema asks for.
const mostSteps = 100_000

// ConformsSoon is [Conforms] for schemas from untrusted sources. It is not known whether a value fits one that takes too long to compare.
func ConformsSoon(schema, v ir.Value) (fits, known bool) {
	c := conforming{root: schema, left: mostSteps, known: map[string]verdict{}}
	fits, _ = c.fits(schema, v, "")
	return fits, c.left > 0
}

// conforming is a schema while a value is compared with it.
type conforming struct {
	root   ir.Value
	left   int      // schemas that may still be looked at; then nothing fits
	active []string // the references that are being followed, with the value that they are followed for
	cut    int      // how often one of these was met again
	known  map[string]verdict
}

// verdict is what came of a reference for a value.
type verdict struct {
	ok   bool
	seen looked
}

// looked are the indices of the elements or members that a schema has looked at.
type looked map[int]bool

func (l looked) add(more looked) {
	for i := range more {
		l[i] = true
	}
}

// target is the schema that a reference leads to: "#", or a definition at the root.
func (c *conforming) target(ref string) (ir.Value, bool) {
	if ref == "#" {
		return c.root, true
	}
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	defs, _ := c.root.Get("$defs")
	found, there := defs.Get(name)
	return found, ok && there
}

// fits compares a value, which lies at a pointer, with a schema.
func (c *conforming) fits(s, v ir.Value, at string) (bool, looked) {
	seen := looked{}
	if c.left <= 0 {
		return false, seen
	}
	c.left--
	if s.Kind == ir.Boolean {
		return s.Text == "true", seen
	}
	for _, k := range s.Fields {
		if !c.keyword(s, k, v, at, seen) {
			return false, seen
		}
	}
	for _, k := range s.Fields { // what they ask for depends on all others
		if k.Name == "unevaluatedItems" && v.Kind == ir.Array || k.Name == "unevaluatedProperties" && v.Kind == ir.Object {
			for i, part := range partsOf(v) {
				if ok, _ := c.fits(k.Value, part.Value, below(at, part.Name)); !seen[i] && !ok {
					return false, seen
				}
				seen[i] = true
			}
		}
	}
	return true, seen
}

// partsOf are the elements or members of a value, by name.
func partsOf(v ir.Value) []ir.Member {
	if v.Kind == ir.Object {
		return v.Fields
	}
	parts := make([]ir.Member, len(v.Items))
	for i, item := range v.Items {
		parts[i] = ir.Member{Name: strconv.Itoa(i), Value: item}
	}
	return parts
}

// same compares the same value with a schema, and takes over what that looked at where it fits.
func (c *conforming) same(s, v ir.Value, at string, seen looked) bool {
	ok, more := c.fits(s, v, at)
	if ok {
		seen.add(more)
	}
	return ok
}

// keyword compares a value with what one keyword says.
func (c *conforming) keyword(s ir.Value, k ir.Member, v ir.Value, at string, seen looked) bool {
	switch k.Name {
	case "$ref":
		return c.reference(k.Value.Text, v, at, seen)
	case "allOf", "anyOf", "oneOf":
		n := 0
		for _, part := range k.Value.Items {
			if c.same(part, v, at, seen) {
				n++
			}
		}
		return k.Name == "allOf" && n == len(k.Value.Items) || k.Name == "anyOf" && n > 0 || k.Name == "oneOf" && n == 1
	case "not":
		ok, _ := c.fits(k.Value, v, at)
		return !ok
	case "if":
		branch := "else"
		if c.same(k.Value, v, at, seen) {
			branch = "then"
		}
		next, ok := s.Get(branch)
		return !ok || c.same(next, v, at, seen)
	case "type":
		return slices.ContainsFunc(append(k.Value.Items, k.Value), func(word ir.Value) bool { return isOfKind(v, word.Text) })
	case "const":
		return Equal(k.Value, v)
	case "enum":
		return slices.ContainsFunc(k.Value.Items, func(one ir.Value) bool { return Equal(one, v) })
	}
	switch v.Kind {
	case ir.Integer, ir.Number:
		return numberFits(k, v)
	case ir.Text:
		return textFits(k, v)
	case ir.Array:
		return c.arrayFits(s, k, v, at, seen)
	case ir.Object:
		return c.objectFits(s, k, v, at, seen)
	}
	return true
}

func (c *conforming) reference(ref string, v ir.Value, at string, seen looked) bool {
	key := ref + " " + at
	if slices.Contains(c.active, key) {
		c.cut++
		return true // it asks for itself, and for nothing more
	}
	target, ok := c.target(ref)
	if !ok {
		return true
	}
	is, known := c.known[key]
	if !known {
		c.active = append(c.active, key)
		cut := c.cut
		is.ok, is.seen = c.fits(target, v, at)
		c.active = c.active[:len(c.active)-1]
		if cut == c.cut { // it does not depend on what it was asked within
			c.known[key] = is
		}
	}
	if is.ok {
		seen.add(is.seen)
	}
	return is.ok
}

// below is where a part of a value lies. No two parts lie at the same place.
func below(at, name string) string {
	return at + "/" + ir.EscapePointer(name)
}

func isOfKind(v ir.Value, word string) bool {
	switch word {
	case "integer":
		return isWhole(v)
	case "number":
		return v.Kind == ir.Integer || v.Kind == ir.Number
	}
	return v.Kind.String() == word && v.Kind != ir.Number
}

func numberFits(k ir.Member, v ir.Value) bool {
	switch k.Name {
	case "minimum":
		return compare(v.Text, k.Value.Text) >= 0
	case "exclusiveMinimum":
		return compare(v.Text, k.Value.Text) > 0
	case "maximum":
		return compare(v.Text, k.Value.Text) <= 0
	case "exclusiveMaximum":
		return compare(v.Text, k.Value.Text) < 0
	case "multipleOf":
		x, _ := decimal.Parse(v.Text)
		of, _ := decimal.Parse(k.Value.Text)
		return x.MultipleOf(of)
	}
	return true
}

func textFits(k ir.Member, v ir.Value) bool {
	n := strconv.Itoa(utf8.RuneCountInString(v.Text))
	switch k.Name {
	case "minLength":
		return compare(n, k.Value.Text) >= 0
	case "maxLength":
		return compare(n, k.Value.Text) <= 0
	case "pattern":
		return regexp.MustCompile(k.Value.Text).MatchString(v.Text)
	}
	return true
}

func (c *conforming) arrayFits(s ir.Value, k ir.Member, v ir.Value, at string, seen looked) bool {
	n := strconv.Itoa(len(v.Items))
	switch k.Name {
	case "minItems":
		return compare(n, k.Value.Text) >= 0
	case "maxItems":
		return compare(n, k.Value.Text) <= 0
	case "uniqueItems":
		return k.Value.Text != "true" || unique(v.Items)
	case "prefixItems":
		for i, part := range k.Value.Items[:min(len(k.Value.Items), len(v.Items))] {
			seen[i] = true
			if ok, _ := c.fits(part, v.Items[i], at+"/"+strconv.Itoa(i)); !ok {
				return false
			}
		}
	case "items":
		prefix, _ := s.Get("prefixItems")
		for i := len(prefix.Items); i < len(v.Items); i++ {
			seen[i] = true
			if ok, _ := c.fits(k.Value, v.Items[i], at+"/"+strconv.Itoa(i)); !ok {
				return false
			}
		}
	case "contains":
		return c.contains(s, k.Value, v, at, seen)
	}
	return true
}

func unique(items []ir.Value) bool {
	known := make(map[string]bool, len(items))
	for _, item := range items {
		known[canonical(item)] = true
	}
	return len(known) == len(items)
}

func (c *conforming) contains(s, of, v ir.Value, at string, seen looked) bool {
	n := 0
	for i, item := range v.Items {
		if ok, _ := c.fits(of, item, at+"/"+strconv.Itoa(i)); ok {
			seen[i] = true
			n++
		}
	}
	least, most := "1", strconv.Itoa(n)
	if m, ok := s.Get("minContains"); ok {
		least = m.Text
	}
	if m, ok := s.Get("maxContains"); ok {
		most = m.Text
	}
	return compare(strconv.Itoa(n), least) >= 0 && compare(strconv.Itoa(n), most) <= 0
}

func (c *conforming) objectFits(s ir.Value, k ir.Member, v ir.Value, at string, seen looked) bool {
	n := strconv.Itoa(len(v.Fields))
	switch k.Name {
	case "minProperties":
		return compare(n, k.Value.Text) >= 0
	case "maxProperties":
		return compare(n, k.Value.Text) <= 0
	case "required":
		return hasAll(v, k.Value)
	case "dependentRequired", "dependentSchemas":
		for _, d := range k.Value.Fields {
			if _, there := v.Get(d.Name); !there {
				continue
			}
			if k.Name == "dependentRequired" && !hasAll(v, d.Value) || k.Name == "dependentSchemas" && !c.same(d.Value, v, at, seen) {
				return false
			}
		}
		return true
	case "propertyNames":
		for _, m := range v.Fields {
			if ok, _ := c.fits(k.Value, ir.Value{Kind: ir.Text, Text: m.Name}, below(at, m.Name)+"/~name"); !ok {
				return false
			}
		}
		return true
	}
	for i, m := range v.Fields {
		for _, of := range c.membersOf(s, k, m.Name) {
			seen[i] = true
			if ok, _ := c.fits(of, m.Value, below(at, m.Name)); !ok {
				return false
			}
		}
	}
	return true
}

// membersOf lists the schemas that a keyword has for a member.
func (c *conforming) membersOf(s ir.Value, k ir.Member, name string) (all []ir.Value) {
	switch k.Name {
	case "properties":
		if of, ok := k.Value.Get(name); ok {
			return []ir.Value{of}
		}
	case "patternProperties":
		for _, p := range k.Value.Fields {
			if regexp.MustCompile(p.Name).MatchString(name) {
				all = append(all, p.Value)
			}
		}
	case "additionalProperties":
		for _, other := range []string{"properties", "patternProperties"} {
			listed, _ := s.Get(other)
			if len(c.membersOf(s, ir.Member{Name: other, Value: listed}, name)) > 0 {
				return nil
			}
		}
		return []ir.Value{k.Value}
	}
	return all
}

func hasAll(v, names ir.Value) bool {
	return !slices.ContainsFunc(names.Items, func(name ir.Value) bool { _, ok := v.Get(name.Text); return !ok })
}
