package ratelimit

// The indexes of the rates that have no names.
const (
	serverRate = iota
	sessionRate
	principalRate
	namedRates
)

// rules are Limits in the form in which calls are checked. They do not change; their buckets do.
type rules struct {
	rates   []rate         // by index; a rate without calls limits nothing
	methods map[string]int // index of the rate
	tools   map[string]int
	server  []bucket // of the whole server, by index of the rate

	principals, addresses table
}

// newRules returns the rules for l with full buckets, or nil if l limits nothing.
func newRules(l Limits) *rules {
	if !l.any() {
		return nil
	}
	r := &rules{rates: make([]rate, namedRates), methods: make(map[string]int), tools: make(map[string]int)}
	r.set(serverRate, l.Server, WholeServer)
	r.set(sessionRate, l.Session, EachSession)
	r.set(principalRate, l.Principal, EachPrincipal)
	r.name(r.methods, l.Methods)
	r.name(r.tools, l.Tools)
	r.server = make([]bucket, len(r.rates))
	r.principals.most = l.MaxBuckets
	if l.MaxBuckets <= 0 {
		r.principals.most = 100_000
	}
	for _, one := range r.rates {
		if one.scope == EachPrincipal {
			r.principals.lasts = max(r.principals.lasts, one.depth)
		}
	}
	r.addresses.most, r.addresses.lasts = r.principals.most, r.principals.lasts
	return r
}

func (r *rules) set(i int, one Rate, scope Scope) {
	if one.Calls > 0 {
		r.rates[i] = newRate(one, scope)
	}
}

// name adds the rates of methods or tools.
func (r *rules) name(index map[string]int, named map[string]Rate) {
	for name, one := range named {
		if one.Calls > 0 {
			index[name] = len(r.rates)
			r.rates = append(r.rates, newRate(one, one.Each))
		}
	}
}
