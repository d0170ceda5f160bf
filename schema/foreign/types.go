package foreign

import (
	"regexp"
	"slices"
	"strings"
)

// Type translates a type expression of another language, such as []string, map[string]int, Optional[str], Record<string, number> or "a" | "b".
// Names that the table does not have stay as they are. It reports false if text is not such an expression, or nothing of it is foreign.
func Type(text string) (write string, ok bool) {
	const most = 200 // bytes: what is longer gets no advice
	if len(text) > most {
		return "", false
	}
	p := &typeParser{rest: text}
	t := p.union(0)
	if p.failed || strings.TrimSpace(p.rest) != "" || !p.foreign {
		return "", false
	}
	return t, true
}

// IsType reports whether a name is that of a type, of another language or of this one.
func IsType(name string) bool {
	if lookup(OfType, Written{Word: name}) != nil {
		return true
	}
	return slices.ContainsFunc(Words(), func(w Word) bool { return w.Place == OfType && w.Write == name })
}

// typeParser reads an expression. The zero values that it returns after a failure mean nothing.
type typeParser struct {
	rest            string
	failed, foreign bool
}

// deepest limits how deeply expressions nest: a deeper one gets no advice.
const deepest = 8

var (
	typeBytes   = regexp.MustCompile(`^\[\](byte|uint8)\b`)
	typeName    = regexp.MustCompile(`^[A-Za-z_][\w.-]*`)
	typeLiteral = regexp.MustCompile(`^("[^"\\,\]\[{}#:]+"|'[^'\\,\]\[{}#:]+')`)
)

// take skips blanks and then a token. It reports whether that was there.
func (p *typeParser) take(token string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\n"), token)
	if found {
		p.rest = rest
	}
	return found
}

// match takes what a pattern matches, or returns nothing.
func (p *typeParser) match(pattern *regexp.Regexp) string {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	found := pattern.FindString(p.rest)
	p.rest = p.rest[len(found):]
	return found
}

// union reads alternatives. Constants become an enum.
func (p *typeParser) union(depth int) string {
	if p.failed = p.failed || depth > deepest; p.failed {
		return ""
	}
	var all []string
	for {
		if literal := p.match(typeLiteral); literal != "" {
			return p.literals(literal)
		}
		all = append(all, p.alternative(depth))
		if p.failed || !p.take("|") {
			break
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return p.join(all)
}

// literals reads the constants after the first one.
func (p *typeParser) literals(first string) string {
	p.foreign = true
	all := []string{first[1 : len(first)-1]}
	for p.take("|") || p.take(",") {
		next := p.match(typeLiteral)
		if next == "" {
			p.failed = true
			return ""
		}
		all = append(all, next[1:len(next)-1])
	}
	return "{enum: [" + strings.Join(all, ", ") + "]}"
}

// alternative reads a type and what follows it.
func (p *typeParser) alternative(depth int) string {
	t := p.prefixType(depth)
	for !p.failed {
		switch {
		case p.take("[]"):
			t = p.list(t)
		case p.take("?"):
			t, p.foreign = p.null(t), true
		default:
			return t
		}
	}
	return ""
}

// prefixType reads a type of Go with what comes before its name, or any other one.
func (p *typeParser) prefixType(depth int) string {
	switch {
	case depth > deepest:
		p.failed = true
		return ""
	case p.match(typeBytes) != "":
		p.foreign = true
		return "bytes"
	case p.take("[]"):
		p.foreign = true
		return p.list(p.prefixType(depth + 1))
	case p.take("*"):
		p.foreign = true
		return p.null(p.prefixType(depth + 1))
	case p.take("map["):
		p.foreign = true
		p.union(depth + 1)
		p.failed = p.failed || !p.take("]")
		return "map<" + p.inner(p.prefixType(depth+1)) + ">"
	case p.take("interface{}"):
		p.foreign = true
		return "any"
	}
	return p.nameType(depth)
}

// nameType reads a name and its type arguments.
func (p *typeParser) nameType(depth int) string {
	name := p.match(typeName)
	if name == "" {
		p.failed = true
		return ""
	}
	closing := ">"
	if !p.take("<") {
		if strings.HasPrefix(p.rest, "[]") || !p.take("[") {
			return p.plain(name)
		}
		closing = "]"
	}
	var args []string
	for {
		args = append(args, p.union(depth+1))
		if p.failed || !p.take(",") {
			break
		}
	}
	p.failed = p.failed || !p.take(closing)
	return p.generic(name, args)
}

// plain translates a name without type arguments.
func (p *typeParser) plain(name string) string {
	if w := lookup(OfType, Written{Word: name}); w != nil && w.Write != "" && !builtins[name] {
		p.foreign = true
		text, _ := Written{Word: name}.fill(w.Write)
		return text
	}
	return name
}

// builtins are the names of the table that are also types of the language.
var builtins = map[string]bool{"date": true, "any": true}

// generic translates a name with type arguments.
func (p *typeParser) generic(name string, args []string) string {
	last := args[len(args)-1]
	base := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	p.foreign = p.foreign || base != name || len(args) > 1
	switch base {
	case "list":
		return p.list(last)
	case "map":
		return "map<" + p.inner(last) + ">"
	}
	p.foreign = true
	switch base {
	case "array", "sequence", "seq", "vec", "vector", "slice", "iterable", "collection", "readonlyarray":
		return p.list(last)
	case "dict", "dictionary", "hashmap", "record", "mapping", "defaultdict":
		return "map<" + p.inner(last) + ">"
	case "optional", "maybe", "option", "nullable":
		return p.null(last)
	case "literal":
		return last
	case "union":
		return p.join(args)
	case "set", "frozenset", "hashset":
		return "{list: " + p.inner(last) + ", uniqueItems: true}"
	case "tuple":
		p.join(args)
		return "{tuple: [" + strings.Join(args, ", ") + "]}"
	}
	p.failed = true
	return ""
}

// inner returns a type that becomes a part of another one. A mapping cannot: then there is no advice.
func (p *typeParser) inner(t string) string {
	p.failed = p.failed || strings.HasPrefix(t, "{")
	return t
}

func (p *typeParser) join(types []string) string {
	for _, t := range types {
		p.inner(t)
	}
	return strings.Join(types, " | ")
}

func (p *typeParser) list(t string) string {
	if strings.Contains(t, " | ") {
		t = "(" + t + ")"
	}
	return "list<" + p.inner(t) + ">"
}

func (p *typeParser) null(t string) string {
	if strings.HasSuffix(t, " | null") {
		return t
	}
	return p.inner(t) + " | null"
}
