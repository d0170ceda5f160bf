package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
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
	noun, own                  string // the name of the key, if it is declared
	create, read, list, delete *tool
}

// familiesOf finds tools that belong together by their names. What follows from that is checked by a control first.
func familiesOf(r rig) []*family {
	byNoun := map[string]*family{}
	var all []*family
	declared := map[*tool]bool{}
	for _, one := range r.o.Families {
		f := &family{noun: plainName(one.Noun), own: one.Key}
		for name, to := range map[string]**tool{one.Create: &f.create, one.Read: &f.read, one.List: &f.list, one.Delete: &f.delete} {
			if i := slices.IndexFunc(r.active(), func(t *tool) bool { return t.name == name && t.input != nil }); i >= 0 {
				*to = r.active()[i]
				declared[*to] = true
			}
		}
		all = append(all, f)
	}
	for _, t := range r.active() {
		if declared[t] {
			continue
		}
		words := text.Words(t.name)
		role := ""
		if len(words) > 1 {
			role = verbs[strings.ToLower(words[0])]
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
		if to := map[string]**tool{"create": &f.create, "read": &f.read, "list": &f.list, "delete": &f.delete}[role]; *to == nil {
			*to = t
		}
	}
	return all
}

// families checks what is created and deleted.
func families(r rig) {
	for _, f := range familiesOf(r) {
		if f.create != nil && f.read != nil && r.runs("CreateThenRead") && !r.late(70, "CreateThenRead", f.create) {
			createThenRead(r, f)
		}
		if f.delete != nil && f.read != nil && r.runs("UseAfterDelete") && !r.late(70, "UseAfterDelete", f.delete) {
			useAfterDelete(r, f)
		}
	}
}

// key is the argument of a tool that names the thing: what is declared, or else the only one that it requires, which is a text or a number; "" if it is not
// clear.
func (t *tool) key(own string) string {
	if own != "" {
		return own
	}
	required := t.schema().In("required")
	if !required.Is(jsontree.Array) || len(required.Items) != 1 {
		return ""
	}
	name := required.Items[0].Str()
	switch t.schema().In("properties").In(name).In("type").Str() {
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
		if len(path) == 0 || v.Kind == jsontree.Array || v.Kind == jsontree.Object || path[len(path)-1].Index >= 0 {
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
func argsOf(r rig, t *tool, name string, v *jsontree.Value) string {
	o := &jsontree.Value{Kind: jsontree.Object}
	return r.with(t, o.With(name, v).JSON())
}

// createThenRead reads what was created.
func createThenRead(r rig, f *family) {
	key := f.read.key(f.own)
	if key == "" || f.read.control == "" {
		return
	}
	var made, asked, what string
	loses := func(s *session) bool {
		if _, ok := r.ok(s, f.read, f.read.control); !ok {
			return false
		}
		if made = workingArguments(r, s, f.create, false); made == "" {
			return false
		}
		result, ok := r.ok(s, f.create, made)
		id := idIn(result, f.noun, key)
		if !ok || id == nil {
			return false
		}
		asked = argsOf(r, f.read, key, id)
		for _, wait := range []time.Duration{0, time.Second} {
			time.Sleep(wait)
			found, ok := r.ok(s, f.read, asked)
			if name := otherThan(made, result, found); ok && name != "" {
				what = fmt.Sprintf("%s finds another entry by what %s has returned: %s has another %s", f.read.name, f.create.name, asked, name)
				return true
			}
			if ok || s.over() {
				return false
			}
		}
		what = fmt.Sprintf("%s does not find what %s has returned: %s", f.read.name, f.create.name, asked)
		return true
	}
	if !r.inFresh(loses) {
		return
	}
	r.suspect(f.create, made, values.Break{}, fault{check: "CreateThenRead",
		message: what}).shownBy([]call{{f.create, made}, {f.read, asked}}, func(context.Context) bool { return r.inFresh(loses) })
}

// otherThan is a member that was given to create an entry, that the created entry has as it was given, and that the entry which was read has
// with another value; "" if there is none.
func otherThan(made string, created, found *jsontree.Value) string {
	args, err := jsontree.Parse([]byte(made))
	if err != nil {
		return ""
	}
	for _, name := range args.Names() {
		given, was, is := args.In(name), created.In(name), found.In(name)
		if was != nil && is != nil && given.Equal(was) && !given.Equal(is) {
			return name
		}
	}
	return ""
}

// useAfterDelete reads what was deleted.
func useAfterDelete(r rig, f *family) {
	key, readKey := f.delete.key(f.own), f.read.key(f.own)
	if key == "" || readKey == "" || f.read.control == "" {
		return
	}
	unknown := failingArguments(r, f.read)
	var deleted, asked string
	finds := func(s *session) bool {
		v, err := jsontree.Parse([]byte(f.read.control))
		if err != nil || v.In(readKey) == nil {
			return false
		}
		id := v.In(readKey)
		asked, deleted = argsOf(r, f.read, readKey, id), argsOf(r, f.delete, key, id)
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
	if !r.inFresh(finds) {
		return
	}
	fa := fault{check: "UseAfterDelete", message: fmt.Sprintf("%s still returns the entry that %s has deleted: %s", f.read.name, f.delete.name, asked)}
	if unknown == "" { // nothing shows that the tool would refuse an entry that is not there
		fa.severity, fa.proof = Note, Heuristic
	}
	r.suspect(f.delete, deleted, values.Break{}, fa).shownBy([]call{{f.read, asked}, {f.delete, deleted}, {f.read, asked}},
		func(context.Context) bool { return r.inFresh(finds) })
}
