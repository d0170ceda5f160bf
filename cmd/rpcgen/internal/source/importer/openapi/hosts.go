package openapi

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// hosts are the servers of the operations that are taken, and what they take as credentials.
type hosts struct {
	l         *lowering
	all       []*host
	of        map[*operation]*host
	unreached map[*operation]error      // why operations have no server, though they name one
	auth      map[*operation]*yaml.Node // nil where no scheme of an operation is built
	schemes   map[string]*yaml.Node     // by name; nil for those that are not built
	extra     []string                  // names of the schemes that the description does not declare
	keys      map[string]bool           // parameters that hold credentials, by place and name
	scopes    map[string][]string       // that operations need, by scheme
}

// host is a server, which becomes a backend.
type host struct {
	name, server string
	variables    *yaml.Node
	schemes      []string // those that its operations use
	auth         *yaml.Node
	page         *yaml.Node
	counts       map[string]int
	message      string
	details      string
}

var inBraces = lazy.Pattern(`\{([^{}]*)\}`)

// readHosts finds the servers and the credentials of operations.
func (l *lowering) readHosts(taken []*operation) (*hosts, error) {
	h := &hosts{l: l, of: map[*operation]*host{}, unreached: map[*operation]error{}, auth: map[*operation]*yaml.Node{}, schemes: map[string]*yaml.Node{},
		keys: map[string]bool{}, scopes: map[string][]string{}}
	if err := h.readSchemes(); err != nil {
		return nil, err
	}
	for _, op := range taken {
		one, fault := h.serverOf(op)
		if fault != nil && (op.Has("servers") || op.item.Has("servers")) {
			h.unreached[op] = leftOutf("%s (%s)", fault.Message, fault.Pos)
			continue
		}
		if fault != nil {
			return nil, source.Faults{fault}
		}
		h.of[op] = one
		auth, names := h.authOf(op)
		h.auth[op] = auth
		for _, name := range names {
			if !slices.Contains(one.schemes, name) {
				one.schemes = append(one.schemes, name)
			}
		}
		if auth != nil {
			is := string(tree.Encode(auth))
			if one.counts[is]++; one.auth == nil || one.counts[is] > one.counts[string(tree.Encode(one.auth))] {
				one.auth = auth
			}
		}
	}
	for _, one := range h.all {
		h.failures(one, taken)
	}
	if len(h.schemes) == 0 {
		l.said.Notes = append(l.said.Notes, "the description declares no credentials: --scheme token=bearer adds what the API takes")
	}
	return h, nil
}

// serverOf is the server of an operation.
func (h *hosts) serverOf(op *operation) (*host, *source.Fault) {
	text, at, fault := h.address(op)
	if fault != nil {
		return nil, fault
	}
	if (h.l.d.two || text == h.l.o.Server) && strings.Contains(text, "{") {
		return nil, addressFault(at, "the server "+source.Quote(text)+" has a variable that nothing gives a value")
	}
	text = strings.TrimRight(text, "/")
	for _, one := range h.all {
		if one.server == text {
			return one, nil
		}
	}
	one := &host{server: text, counts: map[string]int{}, variables: variablesOf(*at, text)}
	one.name = h.freeName(text)
	h.all = append(h.all, one)
	return one, nil
}

// address is the URL of the server of an operation, and the value that says so.
func (h *hosts) address(op *operation) (string, *source.Cursor, *source.Fault) {
	d, said := h.l.d, ""
	if h.l.before != nil {
		said = h.l.before.server
	}
	list, own := op.Get("servers")
	if own = own && len(list.Items) > 0; !own {
		list, own = op.item.Get("servers")
		own = own && len(list.Items) > 0
	}
	if !own {
		list, _ = d.root.Get("servers")
	}
	name := d.root.TextOf("host")
	switch {
	case !own && h.l.o.Server != "":
		return h.l.o.Server, &d.root.Cursor, nil
	case d.two && name != "":
		at, _ := d.root.Get("host")
		return h.secure(name) + "/" + strings.TrimLeft(d.root.TextOf("basePath"), "/"), &at, nil
	case len(list.Items) > 0 && !d.two:
		return h.writeHost(list, own, said)
	case said != "":
		return said, &source.Cursor{}, nil
	}
	return "", nil, addressFault(&d.root.Cursor, "the description does not say where the API is")
}

// addressFault is a fault of what says where an API is.
func addressFault(at *source.Cursor, why string) *source.Fault {
	return &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: why, Help: "name it with --server https://HOST/PATH"}
}

// writeHost is the URL of the first server of a list that is called by https, or of the first one. Own ones are of an operation; said is the last one.
func (h *hosts) writeHost(list source.Cursor, own bool, said string) (string, *source.Cursor, *source.Fault) {
	all := list.Elements()
	best := &all[max(0, slices.IndexFunc(all, func(s source.Cursor) bool { return strings.HasPrefix(s.TextOf("url"), "https://") }))]
	text := defaultURL(*best, withoutEmpty(*best, withScheme(*best)))
	if rest, ok := strings.CutPrefix(text, "http://"); ok {
		text = h.secure(rest)
	}
	u, err := url.Parse(inBraces().ReplaceAllString(text, "1"))
	if !own && said != "" && (err != nil || u.Host == "") {
		return said, &source.Cursor{}, nil
	}
	base, fault := url.Parse(cmp.Or(h.l.o.Server, said))
	if fault == nil && base.Host != "" && err == nil && u.Host == "" { // it is relative to the one that is named
		if u, err = url.Parse(withDefaults(*best, text)); err != nil || u.Host != "" {
			return "", nil, addressFault(best, "the server "+source.Quote(text)+" has variables whose defaults make no relative URL")
		}
		return base.ResolveReference(u).String(), best, nil
	}
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", nil, addressFault(best, "the server "+source.Quote(text)+" is not an absolute URL of HTTP without user, query and fragment")
	}
	for _, m := range inBraces().FindAllStringSubmatch(text, -1) {
		v, _ := best.Path("variables", m[1])
		if word := v.TextOf("default"); !v.Has("enum") && !variable().MatchString(word) {
			return "", nil, addressFault(best, "the default "+source.Quote(word)+" of the variable "+m[1]+" of the server cannot stand in a URL")
		}
	}
	return text, best, nil
}

// variable is what a variable of a server without an enum may be.
var variable = lazy.Pattern("^[A-Za-z0-9._-]+$")

var hostAndPort = lazy.Pattern("^[A-Za-z0-9._:-]+$")

// withScheme is the URL of a server whose scheme is not a variable.
func withScheme(server source.Cursor) string {
	text := server.TextOf("url")
	if at := strings.Index(text, "://"); at > 0 {
		return withDefaults(server, text[:at]) + text[at:]
	}
	return text
}

// withDefaults is a text with the defaults of a server in place of its variables.
func withDefaults(server source.Cursor, text string) string {
	return inBraces().ReplaceAllStringFunc(text, func(name string) string {
		v, _ := server.Path("variables", strings.Trim(name, "{}"))
		return v.TextOf("default")
	})
}

// withoutEmpty is a URL without the last parts of its path that are variables whose default is empty.
func withoutEmpty(server source.Cursor, text string) string {
	for {
		at := strings.LastIndexByte(text, '/')
		v, named := server.Path("variables", strings.Trim(text[at+1:], "{}"))
		if at < len("https://") || !named || v.Has("enum") || v.TextOf("default") != "" {
			return text
		}
		text = text[:at]
	}
}

// defaultURL is a server's URL with defaults for the variables of its host, where that is this machine, called by http, or one of them holds more than a name.
func defaultURL(server source.Cursor, text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, _, _ := strings.Cut(rest, "/")
	more := false
	filled := inBraces().ReplaceAllStringFunc(host, func(name string) string {
		v, _ := server.Path("variables", strings.Trim(name, "{}"))
		word := v.TextOf("default")
		if !hostAndPort().MatchString(word) {
			return name
		}
		more = more || !v.Has("enum") && !variable().MatchString(word)
		return word
	})
	if more || isHere(filled) {
		return scheme + "://" + filled + rest[len(host):]
	}
	return text
}

// isHere reports whether a host with its port is this machine.
func isHere(host string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(host, "["), "]")
	if strings.Count(name, ":") == 1 {
		name, _, _ = strings.Cut(name, ":")
	}
	ip, _ := netip.ParseAddr(name)
	return name == "localhost" || ip.IsLoopback()
}

// secure is the address of a host by https, or by http if it is this machine.
func (h *hosts) secure(rest string) string {
	name, _, _ := strings.Cut(rest, "/")
	if isHere(name) {
		return "http://" + rest
	}
	name, _, _ = strings.Cut(name, ":")
	if note := "calls go to " + name + " by https"; !slices.Contains(h.l.said.Notes, note) && !h.l.d.two {
		h.l.said.Notes = append(h.l.said.Notes, note)
	}
	return "https://" + rest
}

// variablesOf are the variables of a server that its URL names.
func variablesOf(server source.Cursor, text string) *yaml.Node {
	all := tree.Mapping()
	for _, m := range inBraces().FindAllStringSubmatch(text, -1) {
		v, _ := server.Path("variables", m[1])
		one := flow("default", v.TextOf("default"))
		values, _ := v.Get("enum")
		if len(values.Items) > 0 {
			tree.Set(one, "enum", tree.Texts(values.Words()))
		} else {
			tree.Set(one, "pattern", tree.Text("[A-Za-z0-9._-]+"))
		}
		tree.Set(all, m[1], one)
	}
	if len(all.Content) == 0 {
		return nil
	}
	return all
}

// freeName is a name of a backend: of the first one the domain, of others the host.
func (h *hosts) freeName(server string) string {
	if b := h.l.before; b != nil && b.hosts[server] != "" {
		return b.hosts[server]
	}
	name := "api"
	if u, err := url.Parse(inBraces().ReplaceAllString(server, "x")); err == nil {
		_, err := netip.ParseAddr(u.Hostname())
		labels := slices.DeleteFunc(strings.Split(u.Hostname(), "."), func(s string) bool { return s == "x" || s == "www" || s == "" })
		switch {
		case err == nil || len(labels) < 2:
		case len(h.all) == 0:
			name = labels[len(labels)-2]
		default:
			name = labels[0]
		}
	}
	name = strings.Join(wordsOf(name), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "api" + name
	}
	wanted := name
	for n := 2; slices.ContainsFunc(h.all, func(one *host) bool { return one.name == name }); n++ {
		name = wanted + strconv.Itoa(n)
	}
	return name
}

// readSchemes reads the credentials that the description declares, and those that are added.
func (h *hosts) readSchemes() error {
	all, ok := h.l.d.root.Sub("components", "securitySchemes")
	if h.l.d.two {
		all, ok = h.l.d.root.Sub("securityDefinitions")
	}
	if ok {
		for _, m := range all.Members() {
			s, fault := h.l.d.resolve(all.Of(m.Cursor))
			if fault != nil {
				return source.Faults{fault}
			}
			h.schemes[m.Name] = h.scheme(m.Name, s)
		}
	}
	if b := h.l.before; b != nil { // credentials that a person has added stay
		for _, name := range b.names {
			if _, declared := h.schemes[name]; !declared && !slices.ContainsFunc(slices.Collect(maps.Keys(h.schemes)),
				func(other string) bool { return schemeName(other) == name }) {
				h.schemes[name] = b.schemes[name]
				h.extra = append(h.extra, name)
			}
		}
	}
	for _, said := range h.l.o.Schemes {
		name, kind, _ := strings.Cut(said, "=")
		kind, where, _ := strings.Cut(kind, ":")
		m := flow()
		switch {
		case (kind == "bearer" || kind == "basic") && where == "" && name != "":
			tree.Set(m, "kind", tree.Text(kind))
		case (kind == "header" || kind == "query" || kind == "cookie") && where != "" && name != "":
			h.key(m, kind, where)
		default:
			return source.Faults{{Pos: h.l.d.root.Pos, Message: "--scheme " + source.Quote(said) + " says no credential",
				Help: "write NAME=bearer, NAME=basic, NAME=header:X, NAME=query:X or NAME=cookie:X"}}
		}
		h.schemes[name] = m
		if !slices.Contains(h.extra, name) {
			h.extra = append(h.extra, name)
		}
	}
	return nil
}

// flow is a mapping on one line of keys and texts, which are given in turn.
func flow(said ...string) *yaml.Node {
	m := tree.Mapping()
	m.Style = yaml.FlowStyle
	for i := 0; i < len(said); i += 2 {
		tree.Set(m, said[i], tree.Text(said[i+1]))
	}
	return m
}

func (h *hosts) key(m *yaml.Node, in, name string) {
	tree.Set(m, "kind", tree.Text("key"))
	tree.Set(m, in, tree.Text(name))
	h.keys[in+" "+strings.ToLower(name)] = true
}

// scheme is a kind of credential; nil if it is not built.
func (h *hosts) scheme(name string, s source.Part) *yaml.Node {
	m := flow()
	note := func(what string) {
		h.l.said.Notes = append(h.l.said.Notes, "the scheme "+name+" is "+what)
	}
	scheme := strings.ToLower(s.TextOf("scheme"))
	switch kind := s.TextOf("type"); {
	case kind == "basic", kind == "http" && scheme == "basic":
		tree.Set(m, "kind", tree.Text("basic"))
	case kind == "http" && scheme == "bearer":
		tree.Set(m, "kind", tree.Text("bearer"))
	case kind == "apiKey" && slices.Contains([]string{"header", "query", "cookie"}, s.TextOf("in")) && s.TextOf("name") != "":
		if strings.EqualFold(s.TextOf("name"), "Authorization") {
			note("the header Authorization, and taken for a bearer token")
			tree.Set(m, "kind", tree.Text("bearer"))
			break
		}
		h.key(m, s.TextOf("in"), s.TextOf("name"))
	case kind == "oauth2":
		h.oauth(m, s)
	case kind == "openIdConnect":
		note("OpenID Connect, and taken for a bearer token")
		tree.Set(m, "kind", tree.Text("bearer"))
	case kind == "mutualTLS":
		note("a certificate of the client, which the transport of the program brings")
		return nil
	default:
		note("of a kind that is not built: " + cmp.Or(scheme, kind))
		return nil
	}
	return m
}

// oauth is a token that one gets by logging in. Where nobody logs in, it is a bearer token.
func (h *hosts) oauth(m *yaml.Node, s source.Part) {
	code, ok := s.Path("flows", "authorizationCode")
	if h.l.d.two && s.TextOf("flow") == "accessCode" {
		code, ok = s.Cursor, true
	}
	authorize, token := code.TextOf("authorizationUrl"), code.TextOf("tokenUrl")
	if !ok || !isHTTPS(authorize) || !isHTTPS(token) {
		tree.Set(m, "kind", tree.Text("bearer"))
		return
	}
	tree.Set(m, "kind", tree.Text("oauth"))
	tree.Set(m, "authorize", tree.Text(authorize))
	tree.Set(m, "token", tree.Text(token))
}

func isHTTPS(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Host != ""
}

// authOf is what an operation takes, with the names of the schemes. It is nil if none of its alternatives is built.
func (h *hosts) authOf(op *operation) (auth *yaml.Node, used []string) {
	list, said := op.Get("security")
	if !said {
		list, said = h.l.d.root.Get("security")
		said = said && len(list.Items) > 0 // an empty list at the top is what says nothing
	}
	if !said && len(h.extra) > 0 {
		return joinSchemes(h.extra), h.extra
	}
	var all []*yaml.Node
	open := len(list.Items) == 0
	for _, alternative := range list.Elements() {
		var names []string
		built := true
		for _, m := range alternative.Members() {
			s, known := h.schemes[m.Name]
			if known && s == nil {
				built = false
			} else if known {
				names = append(names, m.Name)
				for _, scope := range m.Items {
					if scope.Kind == ir.Text && !slices.Contains(h.scopes[m.Name], scope.Text) {
						h.scopes[m.Name] = append(h.scopes[m.Name], scope.Text)
					}
				}
			}
		}
		switch {
		case !built:
		case len(names) == 0:
			open = true
		default:
			all = append(all, joinSchemes(names))
			used = append(used, names...)
		}
	}
	switch {
	case len(all) == 0 && open && len(h.extra) > 0 && len(list.Items) > 0:
		return joinSchemes(h.extra), h.extra
	case len(all) == 0 && open:
		return tree.Text("none"), nil
	case len(all) == 0:
		return nil, nil
	case len(all) == 1:
		return all[0], used
	}
	m := flow()
	tree.Set(m, "any", tree.Flow(all...))
	return m, used
}

func joinSchemes(names []string) *yaml.Node {
	if len(names) == 1 {
		return tree.Text(schemeName(names[0]))
	}
	words := ir.Each(names, schemeName)
	return tree.Texts(words)
}

// schemeName is the name of a scheme in the schema.
func schemeName(s string) string {
	if name := fieldName(s); name != "none" && name != "any" {
		return name
	}
	return s + "_scheme"
}

// Members of the bodies of errors that say what is wrong.
var (
	messages = []string{"message", "error.message", "error_description", "detail", "title", "errorMessage", "error_message", "description", "msg",
		"reason", "error"}
	details = []string{"errors", "details", "error.details", "error.errors", "fields", "violations"}
)

// failures finds where the bodies of errors say what is wrong: where most operations of a server do.
func (h *hosts) failures(one *host, taken []*operation) {
	const looked = 200
	counts, n := map[[2]string]int{}, 0
	var best [2]string
	for _, op := range taken {
		if h.of[op] != one || n >= looked {
			continue
		}
		n++
		all, fault := h.l.d.answers(op)
		if fault != nil {
			continue
		}
		for _, a := range all {
			if !a.fails() {
				continue
			}
			for _, m := range h.l.d.contents(op, a.Part, "produces") {
				schema, ok := m.schema()
				if !ok || !isJSON(m.name) {
					continue
				}
				s := h.l.shapeOf(schema)
				is := [2]string{h.l.pathIn(s, messages, true), h.l.pathIn(s, details, false)}
				if counts[is]++; is[0] != "" && counts[is] > counts[best] || best[0] == "" {
					best = is
				}
			}
		}
	}
	h.l.faults = nil // of errors that no tool needs
	one.message, one.details = best[0], best[1]
}

// pathIn is the first of some paths that an object has.
func (l *lowering) pathIn(s *shape, paths []string, texts bool) string {
	for _, path := range paths {
		in, ok := s, true
		for step := range strings.SplitSeq(path, ".") {
			i, there := in.byName[step]
			if ok = ok && there; !ok {
				break
			}
			in = l.shapeOf(in.members[i].Part)
		}
		if ok && in != s && (in.kind == "string" || !texts) {
			return path
		}
	}
	return ""
}

// node writes a server as a backend.
func (h *hosts) node(one *host) *yaml.Node {
	m := tree.With("server", tree.Text(one.server))
	tree.SetSome(m, "variables", one.variables)
	schemes := tree.Mapping()
	for _, name := range one.schemes {
		scheme := tree.Clone(h.schemes[name])
		if scopes := h.scopes[name]; tree.Get(scheme, "authorize") != nil && len(scopes) > 0 {
			tree.Set(scheme, "scopes", tree.Texts(scopes))
		}
		tree.Set(schemes, schemeName(name), scheme)
	}
	tree.SetSome(m, "schemes", schemes)
	tree.SetSome(m, "auth", tree.Clone(one.auth))
	if one.message != "" {
		e := flow("message", one.message)
		tree.SetSome(e, "details", tree.Text(one.details))
		tree.Set(m, "error", e)
	}
	tree.SetSome(m, "page", one.page)
	return m
}
