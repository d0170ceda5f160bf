package mount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// Upstream is another server whose tools, resources and prompts a server offers as its own.
type Upstream struct {
	// Name stands for the server in errors and log messages. It has 1 to 64 letters, digits, _, - and ., and no other Upstream of the server has it.
	Name string

	// Dial connects to the server, such as stdio.Dial, mcphttp.Dial, gosdk.Dial and mcpgo.Dial.
	Dial mcpclient.Dialer

	// Prefix precedes the names of its tools and prompts. Resources keep their URIs, so that links to them stay
	// valid. A name belongs to the Upstream with the longest prefix that it begins with.
	Prefix string

	// Timeout limits each call, answers of the user included. Zero means 5 minutes.
	Timeout time.Duration

	// Revisions are the revisions of the protocol that are spoken with the server. Empty means all.
	Revisions []string

	// Concurrent lets calls of a server with a handshake be in flight at the same time, although questions and log messages of the server then cannot be
	// attributed to a call: such questions are refused. Servers of revision 2026-07-28 and later are always called concurrently. Their log messages name no
	// call: over a connection that is not HTTP, those that come while several calls are in flight go to the Logger.
	Concurrent bool
}

// Origin is where an entry of an Upstream comes from.
type Origin struct {
	Upstream string // its name
	Name     string // of a tool or a prompt, without the prefix; empty for resources and templates
}

// UpstreamOptions are the settings of [Upstreams]. The zero value selects the defaults.
type UpstreamOptions struct {
	// Logger receives what happens to the connections. Nil means [slog.Default].
	Logger *slog.Logger

	// ClientName and ClientVersion are what the other servers are told of their client. Empty means mount and 1.0.0.
	ClientName, ClientVersion string

	// Visible reports whether the client of a request sees an entry of an Upstream, see [mcpdynamic.Options]. Nil means that all entries are visible.
	Visible func(ctx context.Context, from Origin) bool

	// Explain returns what clients may learn of an error for which a server cannot be reached, such as one of
	// a login. Nil and an empty text mean nothing, because errors may be confidential.
	Explain func(err error) string
}

// Upstreams connects to other servers, and offers their entries as those of one server:
//
//	old, err := mount.NewUpstreams(mount.UpstreamOptions{}, mount.Upstream{Name: "old", Dial: dial})
//	...
//	server := rpc.NewServer(handlers, mcp.Options{Dynamic: old})
//
// Calls, questions, progress, log messages, cancellation and errors pass in both directions, and so do changes of lists and updates of resources that
// clients have subscribed to. Arguments are checked by the other server. What the schema of the server declares is not replaced; [Upstreams.PassOn] passes
// the calls of it on that have no handler. A server that cannot be reached is tried again, with growing delays of up to 30 seconds; its entries stay in the
// lists meanwhile.
//
// If the server keeps tasks (see [mcp.Options.Tasks]), tools that run as tasks run as tasks of both servers: state,
// questions and cancellation pass, and the task goes on if the connection to the other server is lost, as far as that
// server has kept it. Otherwise tools that run as tasks only are called as such, and clients wait for the result.
//
// Other entries can be added to the set as well.
type Upstreams struct {
	*mcpdynamic.Set
	o       UpstreamOptions
	log     *slog.Logger
	all     []*upstream // sorted by name
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	server  *mcp.Server // set by Attach, before there is a connection
	passing bool        // PassOn is used; set before there is a request

	keepsTasks bool // the server has tasks; set before Attach

	mu     sync.Mutex
	owners map[ownedEntry]owner
	hidden map[*upstream]bool // servers with entries that are not mounted, because another server has them
	// the servers that updates of resources come from, by URI, as long as clients have subscribed to them; nil if no server sends them
	watched map[string]*upstream

	binding sync.Mutex // held while watched follows changes of lists
}

// isPlain reports whether a text has 1 to 64 letters, digits, underscores, hyphens and dots.
func isPlain(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == ""
}

// NewUpstreams returns the Dynamic of one server, see [mcp.Options]. Connections are made from when that server is
// made until [Upstreams.Close]. The error names an Upstream that is not valid, or two that are alike.
func NewUpstreams(o UpstreamOptions, all ...Upstream) (*Upstreams, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Explain == nil {
		o.Explain = func(error) string { return "" }
	}
	o.ClientName, o.ClientVersion = cmp.Or(o.ClientName, "mount"), cmp.Or(o.ClientVersion, "1.0.0")
	s := &Upstreams{o: o, log: o.Logger, owners: make(map[ownedEntry]owner), hidden: make(map[*upstream]bool), watched: make(map[string]*upstream)}
	for _, one := range all {
		if err := s.add(one); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.all, func(a, b *upstream) int { return cmp.Compare(a.Name, b.Name) })
	set := mcpdynamic.Options{Watch: s.watch}
	if o.Visible != nil {
		set.Visible = s.visible
	}
	s.Set = mcpdynamic.New(set)
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// add adds a server after checking it.
func (s *Upstreams) add(one Upstream) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("mount: the upstream %q: %w", one.Name, fmt.Errorf(format, args...))
	}
	switch {
	case !isPlain(one.Name):
		return fail("its name has 1 to 64 letters, digits, underscores, hyphens and dots")
	case one.Dial == nil:
		return fail("Dial is missing")
	case one.Prefix != "" && !isPlain(one.Prefix):
		return fail("its prefix %q has other characters than letters, digits, underscores, hyphens and dots, or more than 64", one.Prefix)
	case one.Timeout < 0:
		return fail("its timeout is negative")
	}
	for _, other := range s.all {
		if other.Name == one.Name {
			return fail("there is another one with this name")
		}
		if other.Prefix == one.Prefix {
			return fail("%q has the same prefix %q: give one of them another", other.Name, one.Prefix)
		}
	}
	one.Timeout = cmp.Or(one.Timeout, 5*time.Minute)
	s.all = append(s.all, newUpstream(s, one))
	return nil
}

// KeepTasks implements [mcp.Dynamic].
func (s *Upstreams) KeepTasks() {
	s.keepsTasks = true
	s.Set.KeepTasks()
}

// Attach implements [mcp.Dynamic]: it begins to connect.
func (s *Upstreams) Attach(server *mcp.Server) {
	s.server = server
	s.Set.Attach(server)
	for _, one := range s.all {
		s.running.Go(func() { one.run(s.ctx) })
	}
}

// Close ends the connections, and waits for them. Calls in flight fail. It always returns nil.
func (s *Upstreams) Close() error {
	s.stop()
	s.running.Wait()
	return nil
}

// Ready waits until the entries of every server are in the lists, the first attempt to connect to it has failed, or
// ctx ends. The error says of each server that is not connected why; it is tried again, until [Upstreams.Close].
func (s *Upstreams) Ready(ctx context.Context) error {
	var all []error
	for _, one := range s.all {
		if err := one.waitAttempt(ctx); err != nil {
			all = append(all, fmt.Errorf("the server %q is not connected: %w", one.Name, err))
		}
	}
	return errors.Join(all...)
}

// UpstreamStatus is the state of the connection to a server.
type UpstreamStatus struct {
	Name  string
	Err   error    // why there is no connection; nil if there is one
	Tools []string // the names of the tools that are mounted, without the prefix, in order

	Omitted []Omission // tools, prompts, resources and templates that are not mounted, at most 20 of each
}

// Omission says why an entry of a server is not mounted, or the rest of a list.
type Omission struct {
	Name string // without the prefix, or a URI; empty if it has none, and of a list
	Err  error
}

// Status returns the states of all servers, by their names.
func (s *Upstreams) Status() []UpstreamStatus {
	all := make([]UpstreamStatus, len(s.all))
	for i, one := range s.all {
		all[i] = UpstreamStatus{Name: one.Name, Err: one.absence(), Tools: s.toolsOf(one), Omitted: one.omissions()}
	}
	return all
}

// omissions returns what is not mounted, list by list.
func (u *upstream) omissions() (all []Omission) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, list := range []mcpdynamic.List{mcpdynamic.Tools, mcpdynamic.Prompts, mcpdynamic.Resources, mcpdynamic.Templates} {
		all = append(all, u.omitted[list]...)
	}
	return all
}

// toolsOf returns the names of the tools of a server, without the prefix.
func (s *Upstreams) toolsOf(one *upstream) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for entry, o := range s.owners {
		if entry.list == mcpdynamic.Tools && o.server == one {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return names
}

// visible decides what a client may see and use.
func (s *Upstreams) visible(ctx context.Context, list mcpdynamic.List, key string) bool {
	o, known := s.ownerOf(list, key)
	return !known || s.o.Visible(ctx, Origin{o.server.Name, o.name})
}
