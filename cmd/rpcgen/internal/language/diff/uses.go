package diff

import (
	"fmt"
	"slices"
	"sort"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// part is where in a message something lies.
type part uint8

const (
	inParams part = iota
	inResult
	inError
	inNotification
)

func (p part) String() string {
	return [...]string{"params of", "result of", "errors of", "params of"}[p]
}

// use is one place in one method's messages, in both schemas.
type use struct {
	method *ir.Method // of the new schema; its old counterpart is paired with it
	part   part
	sender ir.Side // FromClient or FromServer
}

// uses are the messages that carry a part, as far as both schemas know them. A part that no method reaches might be sent by
// anyone: it is judged as if both sides sent it in a result.
type uses struct {
	all       []use
	unreached bool // neither schema's methods reach it
	unlisted  bool // an error that no method lists
	moved     bool // methods reach it, but no message that both schemas know carries it on both sides
}

// slots lists where the parts of a method lie, with who sends them.
func slots(m *ir.Method, p part) []use {
	var all []use
	for _, caller := range callers(m.From) {
		sender := caller
		if p == inResult || p == inError {
			sender = oppositeSide(caller)
		}
		all = append(all, use{m, p, sender})
	}
	return all
}

func callers(from ir.Side) []ir.Side {
	if from == ir.FromBoth {
		return []ir.Side{ir.FromClient, ir.FromServer}
	}
	return []ir.Side{from}
}

func oppositeSide(side ir.Side) ir.Side {
	if side == ir.FromClient {
		return ir.FromServer
	}
	return ir.FromClient
}

func paramsPart(m *ir.Method) part {
	if m.Notification {
		return inNotification
	}
	return inParams
}

// reach finds which messages carry each declaration. pair gives the method that stands for both schemas' one, or nil if only one of them knows it.
type reach struct {
	pair   map[*ir.Method]*ir.Method
	found  map[*ir.Decl][]use
	only   map[*ir.Decl]bool       // reached by what only this schema knows
	copied map[*ir.Decl][]*ir.Decl // the declarations that the JSON Schemas in a declaration have copies of, under $defs
	byName map[string]*ir.Decl     // the declarations of the document
	left   int                     // how many more uses are noted
	gaveUp bool                    // there are more
}

// mostUses bounds the uses of all declarations, which are quadratic when every method reaches every type. Beyond it all types are judged as
// if both sides sent them.
const mostUses = 2_000_000

// traffic says which messages carry each part of both schemas.
type traffic struct {
	pairing            *pairing
	reachOld, reachNew *reach
	listed             map[*ir.Error][]*ir.Method // see listing
	called             []use                      // see callees
}

// newTraffic finds who carries what in either schema.
func newTraffic(pairing *pairing) *traffic {
	var before, after []*ir.Document
	oldPair, newPair := map[*ir.Method]*ir.Method{}, map[*ir.Method]*ir.Method{}
	for _, p := range pairing.pairs {
		before, after = append(before, p.old), append(after, p.new)
		for _, m := range pairing.callsOf(p.new) {
			if o := pairing.methods[m]; o != nil {
				oldPair[o], newPair[m] = m, m
			}
		}
	}
	return &traffic{pairing: pairing, reachOld: newReach(pairing, before, oldPair), reachNew: newReach(pairing, after, newPair)}
}

func newReach(c *pairing, docs []*ir.Document, pair map[*ir.Method]*ir.Method) *reach {
	r := &reach{pair: pair, found: map[*ir.Decl][]use{}, only: map[*ir.Decl]bool{}, copied: map[*ir.Decl][]*ir.Decl{}, left: mostUses}
	for _, doc := range docs {
		r.byName = map[string]*ir.Decl{}
		for _, d := range doc.Types {
			r.byName[d.Name] = d
		}
		for _, m := range c.callsOf(doc) {
			r.method(m)
		}
		for _, t := range doc.Tools {
			r.asks(t)
		}
	}
	return r
}

// asks reaches the types of questions to users. No version receives answers to a question of the other, because every question contains the
// schema of its answer.
func (r *reach) asks(t *ir.Tool) {
	for _, a := range t.Asks {
		for _, s := range []*ir.Struct{a.Params, a.Form} {
			if s != nil {
				ir.Reach(s, r.only)
			}
		}
	}
}

func (r *reach) method(m *ir.Method) {
	r.from(m.Params, m, paramsPart(m))
	r.from(m.Result, m, inResult)
	if m.Items != nil {
		r.from(m.Items.Type, m, inResult)
	}
	for _, e := range m.Errors {
		r.from(e.Data, m, inError)
	}
}

func (r *reach) from(t ir.Type, m *ir.Method, p part) {
	if r.gaveUp {
		return
	}
	seen := r.declarations(t)
	if r.left -= len(seen); r.left < 0 {
		r.gaveUp = true
		return
	}
	shared := r.pair[m]
	for d := range seen {
		if shared == nil {
			r.only[d] = true
			continue
		}
		at := *shared
		at.From = m.From // each schema's own direction
		for _, u := range slots(&at, p) {
			u.method = shared
			r.found[d] = append(r.found[d], u)
		}
	}
}

// declarations are the declarations that a type refers to, with those that the JSON Schemas of raw values have copies of.
func (r *reach) declarations(t ir.Type) map[*ir.Decl]bool {
	seen, added := map[*ir.Decl]bool{}, r.copies(t)
	ir.Reach(t, seen)
	looked := map[*ir.Decl]bool{}
	for {
		for d := range seen {
			if !looked[d] {
				looked[d] = true
				added = append(added, r.copiesIn(d)...)
			}
		}
		if len(added) == 0 {
			return seen
		}
		for _, d := range added {
			if !seen[d] {
				seen[d] = true
				ir.Reach(d.Type, seen)
			}
		}
		added = nil
	}
}

// copiesIn are the copies in the JSON Schemas of a declaration.
func (r *reach) copiesIn(d *ir.Decl) []*ir.Decl {
	all, known := r.copied[d]
	if !known {
		all = r.copies(d.Type)
		r.copied[d] = all
	}
	return all
}

// copies are the declarations that the JSON Schemas written in a type have copies of.
func (r *reach) copies(t ir.Type) (all []*ir.Decl) {
	if t == nil {
		return nil
	}
	for _, rule := range ir.RulesOf(t) {
		if schema, ok := rule.(*ir.Conform); ok {
			for _, name := range subschema.Definitions(schema.Schema) {
				if d := r.byName[name]; d != nil {
					all = append(all, d)
				}
			}
		}
	}
	for part := range ir.Parts(t) {
		all = append(all, r.copies(part.Type)...)
	}
	return all
}

// commonUses are the messages that carry a declaration in both schemas.
func (c *traffic) commonUses(old, new *ir.Decl) uses {
	if c.reachOld.gaveUp || c.reachNew.gaveUp {
		return uses{unreached: true}
	}
	before, after := c.reachOld.found[old], c.reachNew.found[new]
	u := uses{}
	both := ir.Set(before, func(one use) use { return one })
	for _, one := range after {
		if both[one] {
			both[one] = false // it is there now
			u.all = append(u.all, one)
		}
	}
	if len(u.all) == 0 {
		reached := len(before)+len(after) > 0 || c.reachOld.only[old] || c.reachNew.only[new]
		u.unreached, u.moved = !reached, reached
	}
	u.sort(c.pairing.order)
	return u
}

// sort brings uses into the order of the methods.
func (u *uses) sort(order map[*ir.Method]int) {
	sort.SliceStable(u.all, func(i, j int) bool {
		a, b := &u.all[i], &u.all[j]
		if a.method != b.method {
			return order[a.method] < order[b.method]
		}
		return a.part < b.part
	})
}

// usesOfPair are the uses of one part of a pair of methods.
func usesOfPair(old, new *ir.Method, p part) uses {
	u := uses{}
	at := *old
	before := slots(&at, p)
	for _, one := range slots(new, p) {
		if slices.ContainsFunc(before, func(o use) bool { return o.sender == one.sender }) {
			u.all = append(u.all, one)
		}
	}
	u.moved = len(u.all) == 0
	return u
}

// mostWords is how many uses of one part are listed.
const mostWords = 100

// words lists the uses, each place once, and how many more there are.
func (u uses) words() []string {
	if u.unlisted {
		return []string{"errors of any call"}
	}
	type place struct {
		part part
		name string
	}
	var all []string
	seen := map[place]bool{}
	for _, one := range u.all {
		if at := (place{one.part, one.method.Name}); !seen[at] {
			seen[at] = true
			if len(all) < mostWords {
				all = append(all, fmt.Sprintf("%s %s", one.part, one.method.Name))
			}
		}
	}
	if more := len(seen) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return all
}
