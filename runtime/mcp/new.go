package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

func newLists(s *Server) lists {
	made := lists{
		tools:       s.newList("tools", s.info.Tools, s.hints),
		resources:   s.newList("resources", s.info.Resources, s.hints),
		templates:   s.newList("resourceTemplates", s.info.Templates, s.hints),
		prompts:     s.newList("prompts", s.info.Prompts, s.hints),
		discovered:  s.discoverResult(),
		initialized: `,"capabilities":` + s.capabilities(Handshake) + `,"serverInfo":` + s.implementation + s.instructions() + "}",
	}
	hints := s.cacheHints("private")
	if s.apps.tools != nil || len(s.info.Profiles) > 0 { // clients get different lists
		made.tools = s.newList("tools", s.info.Tools, hints)
	}
	if s.apps.tools != nil {
		made.withoutApps = s.newList("tools", withoutApps(s.info.Tools), hints)
	}
	for _, p := range s.info.Profiles {
		hidden := s.newList("tools", withoutApps(p.Tools), hints)
		made.profiles = append(made.profiles, profile{p, s.newList("tools", p.Tools, hints), hidden, entries(listing.Tools, p.Tools)})
	}
	for l, array := range [listing.Count]string{s.info.Tools, s.info.Prompts, s.info.Resources, s.info.Templates} {
		made.entries[l] = sync.OnceValue(func() []listing.Entry { return entries(listing.List(l), array) })
	}
	return made
}

// newList makes the results of a list from the JSON array of all its elements, and its cache members.
func (s *Server) newList(member, array, hints string) list {
	array = cmp.Or(array, "[]")
	chunks := split(array, s.opts.PageSize)
	l := make(list, len(chunks))
	for i := range l {
		if i > 0 {
			sum := sha256.Sum256([]byte(strconv.Itoa(i) + array)) // a cursor of another list, or of another version of it, is not accepted
			l[i].cursor = base64.RawURLEncoding.EncodeToString(sum[:9])
		}
	}
	for i, chunk := range chunks {
		b := append([]byte(`{"`+member+`":`), chunk...)
		if i+1 < len(l) {
			b = wire.AppendString(append(b, `,"nextCursor":`...), l[i+1].cursor)
		}
		l[i].handshake = append(b[:len(b):len(b)], '}')
		l[i].stateless = append(append(b[:len(b):len(b)], hints...), s.tail...)
	}
	return l
}

// NewServer returns a server of d. It panics if d is inconsistent, which generated code never is.
func NewServer(d Declarations, o Options) *Server {
	o = o.withDefaults()
	info := d.Info()
	s := &Server{declarations: d, methods: d.Methods(), info: info, opts: o, log: o.Logger, peerLog: peerlog.For(o.Logger)}
	served := info.Revisions
	if len(served) == 0 {
		served = Revisions()
	}
	of := func(era Era) []string {
		return slices.DeleteFunc(slices.Clone(served), func(r string) bool { return protocol.Of(r).Era != era })
	}
	s.handshakes, s.modern = of(Handshake), of(Stateless)
	if len(s.handshakes)+len(s.modern) < len(served) {
		panic("mcp: unknown revisions: " + strings.Join(served, ", "))
	}
	s.revisions = slices.Clone(served)
	slices.Reverse(s.revisions)
	s.implementation = implementation(info)
	s.apps = appsOf(info)
	s.tail, s.hints = s.resultTail(), s.cacheHints(info.Scope)
	s.headers = make(map[string][]mcpgen.ToolHeader)
	for _, h := range info.Headers {
		s.headers[h.Tool] = append(s.headers[h.Tool], h)
	}
	if o.Tasks != nil {
		s.tasks = info.Tasks
	}
	s.served = map[eras]string{onlyStateless: methodNames(s, onlyStateless), onlyHandshake: methodNames(s, onlyHandshake), bothEras: methodNames(s, bothEras)}
	s.lists = newLists(s)
	s.subscribers.init(newWatches(s))
	before := []Middleware{logRequests(s.log)}
	if o.Dynamic != nil || s.apps.tools != nil {
		before = append(before, s.visibility)
	}
	s.handler = s.run
	for _, m := range slices.Backward(append(before, o.Middleware...)) { // the first one is outermost
		s.handler = m(s.handler)
	}
	if o.Dynamic != nil {
		if o.Tasks != nil {
			o.Dynamic.KeepTasks()
		}
		o.Dynamic.Attach(s)
	}
	return s
}
