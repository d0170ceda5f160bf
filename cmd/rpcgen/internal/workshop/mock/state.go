package mock

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// store holds the entries of a collection. It is safe for concurrent use.
type store struct {
	*ir.State
	schema  string   // of the entries, a JSON Schema
	values  *answers // generated entries
	members []string // of an entry
	seed    uint64

	mu      sync.Mutex
	entries []entry // in the order in which they came
	made    int     // how many were ever generated
}

// entry is an object, JSON, and the canonical value of its key.
type entry struct{ key, value string }

// collectionOp is an operation of a collection.
type collectionOp struct {
	*store
	do   action
	hold entryHolder
}

type action int

const (
	create action = iota
	read
	list
	update
	remove
)

// entryHolder says where a result has the entry, or the entries.
type entryHolder struct {
	whole  bool   // it is the result itself
	member string // it is this member; empty if members of the entry are members of the result
	cursor string // the member of a list that is the cursor of the next page; empty for none
}

// statesOf returns what operations do with collections, by their names.
func statesOf(doc *ir.Document, seed uint64) (map[string]collectionOp, error) {
	all := make(map[string]collectionOp)
	for _, s := range doc.State {
		schema, err := schemaOf(doc, &ir.Ref{Decl: s.Type}, false)
		if err != nil {
			return nil, err
		}
		values, err := newAnswers(schema, false)
		if err != nil {
			return nil, fmt.Errorf("the collection %s: %w", s.Name, err)
		}
		st := &store{State: s, schema: schema, values: values, seed: seed}
		st.members = ir.Each(ir.AsStruct(ir.Underlying(s.Type.Type)).Fields, func(f *ir.Field) string { return f.Name })
		for do, name := range []string{s.Create, s.Read, s.List, s.Update, s.Delete} {
			if name != "" {
				all[name] = collectionOp{st, action(do), holdingOf(outputOf(doc, name), s.Type, action(do) == list)}
			}
		}
		if err := st.reset(); err != nil {
			return nil, fmt.Errorf("the collection %s: %w", s.Name, err)
		}
	}
	return all, nil
}

// outputOf returns what a tool or a method returns, or nil.
func outputOf(doc *ir.Document, name string) ir.Type {
	for _, t := range doc.Tools {
		if t.Name == name {
			return t.Output
		}
	}
	for _, m := range doc.Methods {
		if m.Name == name {
			return m.Result
		}
	}
	return nil
}

// holdingOf returns where a result has entries of a type.
func holdingOf(t ir.Type, of *ir.Decl, many bool) (h entryHolder) {
	is := func(t ir.Type) bool {
		if nullable, ok := t.(*ir.Nullable); ok {
			t = nullable.Elem
		}
		if l, ok := ir.Underlying(t).(*ir.List); many {
			if !ok {
				return false
			}
			t = l.Elem
		}
		ref, ok := t.(*ir.Ref)
		return ok && ref.Decl == of
	}
	if t != nil && is(t) {
		return entryHolder{whole: true}
	}
	var s *ir.Struct
	if t != nil {
		s = ir.AsStruct(ir.Underlying(t))
	}
	if s == nil {
		return h
	}
	for _, f := range s.Fields {
		switch folded := strings.ToLower(strings.ReplaceAll(f.Name, "_", "")); {
		case h.member == "" && is(f.Type):
			h.member = f.Name
		case folded == "nextcursor" || folded == "nextpagetoken" || folded == "next":
			h.cursor = f.Name
		}
	}
	return h
}

// reset restores what there was at the start.
func (s *store) reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries, s.made = nil, 0
	for range s.Start {
		if _, err := s.add("{}"); err != nil {
			return err
		}
	}
	return nil
}

// mostEntries limits the entries of a collection.
const mostEntries = 100_000

// add adds an entry with the members of an input that it has; the others are generated. Its key is new unless the input has it.
func (s *store) add(args string) (entry, error) {
	if len(s.entries) >= mostEntries {
		return entry{}, fmt.Errorf("the collection %s has %d entries, which is as many as a mock keeps", s.Name, mostEntries)
	}
	for range 1000 {
		r := request{operation: s.Name, repeat: s.made}
		s.made++
		value, err := s.values.result(s.seed, r, "{}")
		if err != nil {
			return entry{}, err
		}
		value = s.assign(value, args)
		e := entry{s.keyOf(value), value}
		if s.find(e.key) < 0 {
			s.entries = append(s.entries, e)
			return e, nil
		}
		if s.keyOf(args) == e.key {
			return entry{}, fmt.Errorf("there is an entry with the %s %s already", s.Key, member(args, s.Key))
		}
	}
	return entry{}, fmt.Errorf("no further %s was found that no entry has", s.Key)
}

// assign returns an entry with the members of an input that it has. One that would then not fit the type stays.
func (s *store) assign(value, args string) string {
	for name, one := range wire.PeekAt([]byte(args)).Members() {
		if !slices.Contains(s.members, name) {
			continue
		}
		if next := with(value, name, string(one.JSON())); len(s.values.schema.Judge([]byte(next))) == 0 {
			value = next
		}
	}
	return value
}

// keyOf returns the key of an object, canonical; it is empty if there is none.
func (s *store) keyOf(object string) string {
	if value := member(object, s.Key); value != "" {
		return transcript.Canonical([]byte(value))
	}
	return ""
}

// member returns a member of an object, JSON, or "".
func member(object, name string) string {
	return strings.TrimSpace(string(wire.PeekAt([]byte(object)).In(name).JSON()))
}

// find returns the index of the entry with a key, or -1. The lock must be held.
func (s *store) find(key string) int {
	return slices.IndexFunc(s.entries, func(e entry) bool { return e.key == key })
}

// result returns the result of a call, given the one that would be answered without the collection, and what a result fits. The error for an unknown
// key is errMissing.
func (s collectionOp) result(plain, args string, fits func(result string) bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.do == create {
		e, err := s.add(args)
		if err != nil {
			return "", invalidParams(err)
		}
		return s.withEntry(plain, e.value), nil
	}
	if s.do == list {
		return s.page(plain, args, fits), nil
	}
	i := s.find(s.keyOf(args))
	if i < 0 {
		return "", errMissing
	}
	e := s.entries[i]
	switch s.do {
	case update:
		e.value = s.assign(e.value, args)
		s.entries[i] = e
	case remove:
		s.entries = slices.Delete(s.entries, i, i+1)
	}
	return s.withEntry(plain, e.value), nil
}

// errMissing says that there is no entry with a key.
var errMissing = errors.New("there is no such entry")

// withEntry returns a result with the entry in it.
func (s collectionOp) withEntry(plain, value string) string {
	switch {
	case s.hold.whole:
		return value
	case s.hold.member != "":
		return with(plain, s.hold.member, value)
	}
	for _, name := range s.members {
		if one := member(value, name); one != "" && wire.PeekAt([]byte(plain)).In(name).Kind() == wire.PeekAt([]byte(one)).Kind() {
			plain = with(plain, name, one)
		}
	}
	return plain
}

// with returns an object with a value for a member, or, if the value is empty, without the member.
func with(object, name, value string) string {
	var b []byte
	put := func(name, value string) {
		if value != "" {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value...)
		}
	}
	found := false
	for member, one := range wire.PeekAt([]byte(object)).Members() {
		if member == name {
			found = true
			put(name, value)
		} else {
			put(member, string(one.JSON()))
		}
	}
	if !found {
		put(name, value)
	}
	return string(wire.CloseObject(b, 0))
}

// pageSize is how many entries a list with a cursor has, unless the call has a limit.
const pageSize = 20

// page returns a list of the entries that the arguments select: those whose members of the same name are equal or, for texts, contain the argument,
// and for an argument such as query those of which any text contains it. It has fewer entries if the list may not have as many.
func (s collectionOp) page(plain, args string, fits func(result string) bool) (result string) {
	var selected []string
	for _, e := range s.entries {
		if s.selects(e, args) {
			selected = append(selected, e.value)
		}
	}
	size := len(selected)
	if s.hold.cursor != "" {
		size = pageSize
	}
	if limit, err := strconv.Atoi(firstOf(args, "limit", "pageSize", "page_size", "max")); err == nil && limit > 0 {
		size = limit
	}
	start, _ := strconv.Atoi(strings.Trim(firstOf(args, "cursor", "pageToken", "page_token", "after"), `"`)) // an unknown cursor is the first page
	start = min(max(start, 0), len(selected))
	for ; ; size /= 2 {
		end := min(start+size, len(selected))
		cursors := []string{""}
		if end < len(selected) && s.hold.cursor != "" {
			cursors = []string{strconv.Quote(strconv.Itoa(end)), strconv.Itoa(end)}
		}
		for _, cursor := range cursors {
			result = "[" + strings.Join(selected[start:end], ",") + "]"
			if !s.hold.whole {
				result = with(plain, s.hold.member, result)
			}
			if s.hold.cursor != "" {
				result = with(result, s.hold.cursor, cursor)
			}
			if fits(result) {
				return result
			}
		}
		if size <= 1 {
			return result
		}
	}
}

// firstOf returns the first member of an object that there is, JSON, or "".
func firstOf(object string, names ...string) string {
	for _, name := range names {
		if value := member(object, name); value != "" {
			return value
		}
	}
	return ""
}

// selects reports whether a list has an entry.
func (s collectionOp) selects(e entry, args string) bool {
	value := wire.PeekAt([]byte(e.value))
	for name, wanted := range wire.PeekAt([]byte(args)).Members() {
		text, isText := wanted.Text()
		switch {
		case wanted.Kind() == wire.Null: // as if it were left out
		case slices.Contains(s.members, name):
			have, ok := value.In(name).Text()
			if ok && isText && strings.Contains(strings.ToLower(have), strings.ToLower(text)) {
				continue
			}
			if transcript.Canonical(value.In(name).JSON()) != transcript.Canonical(wanted.JSON()) {
				return false
			}
		case isText && slices.Contains([]string{"query", "q", "search", "text"}, name):
			if !strings.Contains(strings.ToLower(e.value), strings.ToLower(text)) {
				return false
			}
		}
	}
	return true
}

// keep takes over the entries of another service, where the type of a collection is the same.
func (s *service) keep(old *service) {
	before := make(map[string]*store)
	for _, one := range old.states {
		before[one.Name] = one.store
	}
	for _, one := range s.states {
		was := before[one.Name]
		if was == nil || was == one.store || was.schema != one.schema || was.Key != one.Key {
			continue
		}
		was.mu.Lock()
		one.mu.Lock()
		one.entries, one.made = slices.Clone(was.entries), was.made
		one.mu.Unlock()
		was.mu.Unlock()
	}
}
