package convert

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// lookaheads returns the schemas that say together what a pattern says which begins with lookaheads: ^(?!a)b is a text that matches ^b and does not
// match ^a. It reports false for other patterns, and where a part is not RE2 either.
func lookaheads(expr string) (all []ir.Value, ok bool) {
	rest, anchored := strings.CutPrefix(expr, "^")
	if !anchored || hasAlternatives(rest) {
		return nil, false
	}
	for strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?=") {
		end := groupEnd(rest)
		if end < 0 || strings.ContainsAny(rest[end:min(end+1, len(rest))], "*+?{") {
			return nil, false
		}
		schema, ok := patternSchema(rest[len("(?!") : end-1])
		if !ok {
			return nil, false
		}
		if rest[2] == '!' {
			schema.Fields = append(schema.Fields, ir.Member{Name: "type", Value: ir.Value{Kind: ir.Text, Text: "string"}})
			schema = ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "not", Value: schema}}}
		}
		all, rest = append(all, schema), rest[end:]
	}
	if rest != "" && all != nil {
		schema, ok := patternSchema(rest)
		if !ok {
			return nil, false
		}
		all = append(all, schema)
	}
	return all, all != nil
}

// patternSchema is the schema of texts that begin with a match. It reports false if that is not RE2.
func patternSchema(expr string) (v ir.Value, ok bool) {
	expr = "^(?:" + expr + ")"
	if _, err := regexp.Compile(expr); err != nil {
		return v, false
	}
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "pattern", Value: ir.Value{Kind: ir.Text, Text: expr}}}}, true
}

// hasAlternatives reports whether a pattern has alternatives outside of groups.
func hasAlternatives(expr string) bool {
	found := false
	scanPattern(expr, func(_ int, c byte, depth int) bool {
		found = c == '|' && depth == 0
		return !found
	})
	return found
}

// groupEnd is where the group ends that a pattern begins with; -1 if it does not.
func groupEnd(expr string) int {
	end := -1
	scanPattern(expr, func(at int, c byte, depth int) bool {
		if c == ')' && depth == 0 {
			end = at + 1
		}
		return end < 0
	})
	return end
}

// scanPattern visits the characters of a pattern that are neither escaped nor in a class, with the number of groups around each, until visit returns false.
func scanPattern(expr string, visit func(at int, c byte, depth int) bool) {
	depth, class := 0, false
	for at := 0; at < len(expr); at++ {
		switch c := expr[at]; {
		case c == '\\':
			at++
			continue
		case class:
			class = c != ']'
			continue
		case c == '[':
			class = true
		case c == ')':
			depth--
		}
		if !visit(at, expr[at], depth) {
			return
		}
		if expr[at] == '(' {
			depth++
		}
	}
}

// withConjuncts is a schema whose values fit others as well.
func withConjuncts(s ir.Value, more []ir.Value) ir.Value {
	if at := slices.IndexFunc(s.Fields, func(m ir.Member) bool { return m.Name == "allOf" }); at >= 0 {
		s.Fields[at].Value.Items = append(slices.Clone(s.Fields[at].Value.Items), more...)
	} else if len(more) > 0 {
		s.Fields = append(s.Fields, ir.Member{Name: "allOf", Value: ir.Value{Kind: ir.Array, Items: more}})
	}
	return s
}
