package docs

import "github.com/rpcgen-go/rpcgen/schema/ir"

// rules are what the author notes of a type, and its rules in words; those of what it holds follow.
func rules(t ir.Type) []words {
	var all []words
	if note := ir.NoteOf(t); note != nil {
		for _, b := range blocks(note.Doc) {
			all = append(all, b.Lines...)
		}
	}
	return append(all, ruleWords(t)...)
}

func ruleWords(t ir.Type) []words {
	switch t := t.(type) {
	case *ir.Bytes:
		return append([]words{plain("base64 text")}, wordsOfRules(t.Rules, "")...)
	case *ir.Struct:
		return append(wordsOfRules(t.Rules, "member"), additional(t)...)
	case *ir.Nullable:
		return rules(t.Elem)
	case *ir.Enum:
		if t.Open {
			return []words{plain("other values may turn up")}
		}
	case *ir.Ref:
		return wordsOfRules(t.Rules, countNoun(t))
	}
	what := ""
	switch {
	case ir.IsArray(t):
		what = "item"
	case ir.IsObject(t):
		what = "member"
	}
	all := wordsOfRules(ir.RulesOf(t), what)
	for part := range ir.Parts(t) {
		if heading := eachPart[part.Name]; part.Field == nil && part.Branch == nil && heading != "" {
			all = append(all, each(heading, rules(part.Type))...)
		}
	}
	return all
}

// eachPart introduces the rules of what lists, maps and tuples hold, by the names of these parts.
var eachPart = map[string]string{"items": "each item: ", "values": "each value: ", "rest": "each further item: "}

// countNoun is what a count of a named type counts.
func countNoun(t ir.Type) string {
	if ir.IsArray(ir.NonNull(t)) {
		return "item"
	}
	return "member"
}

func each(prefix string, all []words) []words {
	for i := range all {
		all[i] = append(plain(prefix), all[i]...)
	}
	return all
}

func additional(t *ir.Struct) []words {
	switch t.Additional {
	case ir.AdditionalRejected:
		return []words{plain("no other members")}
	case ir.AdditionalSkipped:
		return []words{plain("other members are ignored")}
	case ir.AdditionalKept:
		return append([]words{plain("other members are kept, of the type " + ir.Describe(t.Extra))}, each("each of them: ", rules(t.Extra))...)
	}
	return nil
}

// wordsOfRules puts rules into words; part is what a count counts.
func wordsOfRules(all []ir.Rule, part string) []words {
	return ir.Each(all, func(r ir.Rule) words { return r.Words(part) })
}
