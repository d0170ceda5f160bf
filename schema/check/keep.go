package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// keep reads how long the results of a method or a tool are kept. The function takes returns what it takes, once that is known.
func (c *draft) keep(e syntax.Entry, takes func() ir.Type) *ir.Keep {
	if !c.mapping(e, "write {ttl: 1m, keys: [city], scope: public}") {
		return nil
	}
	place := grammar.Tool().Value("cache")
	c.keys(e.Value, "a cache", place)
	if e.Value.Get("ttl") == nil {
		c.report(diag.MissingKey, e.Key.Span, "add ttl: and a duration such as 1m", "the cache has no ttl")
		return nil
	}
	k := new(ir.Keep)
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "ttl":
			k.TTL = c.duration(e, "time to live")
		case "keys":
			c.keepKeys(k, e, takes)
		case "scope":
			k.Public = c.word(e, place.Value("scope").Words...) == "public"
		}
	}
	return k
}

// keepKeys reads the fields that select a result.
func (c *draft) keepKeys(k *ir.Keep, e syntax.Entry, takes func() ir.Type) {
	words := c.words(e)
	k.Keys = texts(words)
	c.settle(func() {
		var fields []string
		for _, s := range structsOf(takes()) {
			fields = append(fields, fieldNames(s)...)
		}
		seen := map[string]bool{}
		for _, word := range words {
			switch {
			case seen[word.Text]:
				c.report(diag.InvalidValue, word.Span, "name each field once", "%q is already there", word.Text)
			case !slices.Contains(fields, word.Text):
				c.report(diag.InvalidPath, word.Span, c.suggest(word.Text, func() []string { return fields }), "%q is not a field that a call takes", word.Text)
			}
			seen[word.Text] = true
		}
	})
}
