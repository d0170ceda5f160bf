package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// verbs are the first words of names, by what such tools do with a thing.
var verbs = map[string]string{
	"add": "create", "create": "create", "new": "create", "insert": "create",
	"get": "read", "show": "read", "fetch": "read", "read": "read",
	"list": "list", "search": "list", "find": "list",
	"delete": "delete", "remove": "delete", "drop": "delete",
}

// family is what tools do with one kind of thing.
type family struct {
	noun                       string
	create, read, list, delete *tool
}

// familiesOf finds tools that belong together by their names. What follows from that is checked by a control first.
func (p promises) familiesOf() []*family {
	r := p.run
	byNoun := map[string]*family{}
	var all []*family
	for _, t := range r.active() {
		words := nameWords(t.name)
		role := ""
		if len(words) > 1 {
			role = verbs[words[0]]
		}
		if role == "" || t.input == nil {
			continue
		}
		noun := plainName(strings.Join(words[1:], ""))
		f := byNoun[noun]
		if f == nil {
			f = &family{noun: noun}
			byNoun[noun], all = f, append(all, f)
		}
		for at, to := range map[string]**tool{"create": &f.create, "read": &f.read, "list": &f.list, "delete": &f.delete} {
			if at == role && *to == nil {
				*to = t
			}
		}
	}
	return all
}

// nameWords are the words of a name, in small letters.
func nameWords(name string) []string {
	var b strings.Builder
	for i, c := range name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return strings.FieldsFunc(b.String(), func(c rune) bool { return c == '_' || c == '-' || c == '.' || c == ' ' || c == '/' })
}

// families checks what is created and deleted.
func (p promises) families() {
	r := p.run
	for _, f := range p.familiesOf() {
		if f.create != nil && f.read != nil && r.runs("CreateThenRead") {
			p.createThenRead(f)
		}
		if f.delete != nil && f.read != nil && r.runs("UseAfterDelete") {
			p.useAfterDelete(f)
		}
	}
}

// key is the argument of a tool that names the thing: the only one that it requires, which is a text or a number; "" if it is not clear.
func (t *tool) key() string {
	required := t.schema().Get("required")
	if !required.Is(jsontree.List) || len(required.Items) != 1 {
		return ""
	}
	name := required.Items[0].Str()
	switch t.schema().Get("properties").Get(name).Get("type").Str() {
	case "array", "object", "boolean":
		return ""
	}
	return name
}

// idIn finds the value in a result that an argument takes.
func idIn(result *jsontree.Value, noun, key string) *jsontree.Value {
	var found *jsontree.Value
	depth := 99
	result.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if len(path) == 0 || v.Kind == jsontree.List || v.Kind == jsontree.Object || path[len(path)-1].Index >= 0 {
			return len(path) < 3
		}
		name := plainName(path[len(path)-1].Name)
		if (name == plainName(key) || name == "id" && plainName(key) == noun+"id" || plainName(key) == "id" && name == noun+"id") && len(path) < depth {
			found, depth = v, len(path)
		}
		return true
	})
	return found
}

// argsOf are arguments with one member.
func (p promises) argsOf(t *tool, name string, v *jsontree.Value) string {
	r := p.run
	o := &jsontree.Value{Kind: jsontree.Object}
	return r.with(t, o.With(name, v).JSON())
}

// createThenRead reads what was created.
func (p promises) createThenRead(f *family) {
	r := p.run
	key := f.read.key()
	if key == "" || f.read.control == "" {
		return
	}
	var made, asked string
	loses := func(s *session) bool {
		if _, ok := r.ok(s, f.read, f.read.control); !ok {
			return false
		}
		if made = p.working(s, f.create); made == "" {
			return false
		}
		result, ok := r.ok(s, f.create, made)
		id := idIn(result, f.noun, key)
		if !ok || id == nil {
			return false
		}
		asked = p.argsOf(f.read, key, id)
		for _, wait := range []time.Duration{0, time.Second} {
			time.Sleep(wait)
			if _, ok := r.ok(s, f.read, asked); ok || s.over() {
				return false
			}
		}
		return true
	}
	if !p.inFresh(loses) {
		return
	}
	one := r.suspect(f.create, made, values.Break{}, fault{check: "CreateThenRead", severity: Warning, proof: ByContract,
		message: fmt.Sprintf("%s returns the %s %s, and %s does not find it", f.create.name, key, strings.TrimPrefix(asked, "{"), f.read.name), advice: "Return the id by which the entry can be read."})
	if one != nil {
		one.message = fmt.Sprintf("%s does not find what %s has returned: %s", f.read.name, f.create.name, asked)
		one.calls = []call{{f.create, made}, {f.read, asked}}
		one.again = func(context.Context) bool { return p.inFresh(loses) }
	}
}

// useAfterDelete reads what was deleted.
func (p promises) useAfterDelete(f *family) {
	r := p.run
	key, readKey := f.delete.key(), f.read.key()
	if key == "" || readKey == "" || f.read.control == "" {
		return
	}
	unknown := p.failing(f.read)
	var deleted, asked string
	finds := func(s *session) bool {
		v, err := jsontree.Parse([]byte(f.read.control))
		if err != nil || v.Get(readKey) == nil {
			return false
		}
		id := v.Get(readKey)
		asked, deleted = p.argsOf(f.read, readKey, id), p.argsOf(f.delete, key, id)
		before, ok := r.ok(s, f.read, asked)
		if !ok {
			return false
		}
		if _, ok := r.ok(s, f.delete, deleted); !ok {
			return false
		}
		after, ok := r.ok(s, f.read, asked)
		return ok && after.Equal(before)
	}
	if !p.inFresh(finds) {
		return
	}
	fa := fault{check: "UseAfterDelete", severity: Warning, proof: ByContract, message: fmt.Sprintf("%s still returns the entry that %s has deleted: %s", f.read.name, f.delete.name, asked),
		advice: "Delete the entry everywhere."}
	if unknown == "" { // nothing shows that the tool would refuse an entry that is not there
		fa.severity, fa.proof = Note, Heuristic
	}
	if one := r.suspect(f.delete, deleted, values.Break{}, fa); one != nil {
		one.calls = []call{{f.read, asked}, {f.delete, deleted}, {f.read, asked}}
		one.again = func(context.Context) bool { return p.inFresh(finds) }
	}
}

// toolPages follows the cursors of tools.
func (p promises) toolPages() {
	r := p.run
	if !r.runs("Pagination") {
		return
	}
	isCursor := func(name string) bool {
		return slices.Contains([]string{"cursor", "pagetoken", "aftercursor", "startcursor"}, plainName(name))
	}
	isNext := func(name string) bool {
		return slices.Contains([]string{"nextcursor", "nextpagetoken", "cursor", "endcursor"}, plainName(name))
	}
	for _, t := range r.active() {
		in, limit := "", ""
		properties := t.schema().Get("properties")
		for _, name := range names(properties) {
			if isCursor(name) {
				in = name
			}
			if slices.Contains([]string{"limit", "pagesize", "first", "maxresult", "perpage"}, plainName(name)) && properties.Get(name).Get("type").Str() == "integer" {
				limit = name
			}
		}
		if in == "" || !t.readOnly || t.input == nil || !r.left(84) {
			continue
		}
		minimal, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal"))
		if !ok {
			continue
		}
		first, _ := jsontree.Parse([]byte(r.with(t, string(minimal))))
		if limit != "" {
			first = first.With(limit, jsontree.Num("1"))
		}
		what, keyword, used := "", "", ""
		wrong := func(s *session) bool {
			args, seen := first, map[string]bool{}
			for range 60 {
				v, ok := r.ok(s, t, args.JSON())
				if !ok {
					if args == first {
						return false
					}
					what, keyword, used = fmt.Sprintf("%s refuses the cursor that it has returned: %s", t.name, clip(args.JSON(), 120)), "refused", args.JSON()
					return true
				}
				next := ""
				for i, name := range names(v) {
					if isNext(name) && v.Items[i].Is(jsontree.Text) {
						next = v.Items[i].Text
					}
				}
				if next == "" {
					return false
				}
				if seen[next] {
					what, keyword, used = fmt.Sprintf("%s returns the cursor %s a second time within one walk", t.name, clip(next, 60)), "again", args.JSON()
					return true
				}
				seen[next] = true
				args = first.With(in, jsontree.String(next))
			}
			return false
		}
		if !p.inFresh(wrong) {
			continue
		}
		one := r.suspect(t, used, values.Break{}, fault{check: "Pagination", keyword: keyword, pointer: "/" + in, severity: Error, proof: ByContract, message: what, advice: "Take every cursor that was returned, and return none at the end."})
		if one != nil {
			one.calls = []call{{t, first.JSON()}, {t, used}}
			one.again = func(context.Context) bool { return p.inFresh(wrong) }
		}
	}
}
