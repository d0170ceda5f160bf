package mount

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// mount reads the lists of the server and replaces what is mounted. What was read is compared with what was read before in [pace].
func (u *upstream) mount(ctx context.Context, client *mcpclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	server, err := client.Discover(ctx)
	if err != nil {
		return err
	}
	u.watches.offer(server.Capabilities.Has("resources", "subscribe"))
	defer u.all.rebind()
	sum := sha256.New()
	for _, l := range []struct {
		list       mcpdynamic.List
		capability string
		key        string
		replace    func(remove []string, entry runtime.Raw, key, name string) error
	}{
		{mcpdynamic.Tools, "tools", "name", u.mountTool},
		{mcpdynamic.Prompts, "prompts", "name", u.mountPrompt},
		{mcpdynamic.Resources, "resources", "uri", u.mountResource},
		{mcpdynamic.Templates, "resources", "uriTemplate", u.mountTemplate},
	} {
		var entries []runtime.Raw
		var fault error
		if server.Capabilities.Has(l.capability) {
			for entry, err := range mcpclient.Entries(ctx, client, string(l.list)) {
				if e := answerOf(err); e != nil && e.Code == runtime.CodeMethodNotFound {
					break // it declares more than it has
				}
				if errors.As(err, new(*runtime.ResponseError)) {
					fault = fmt.Errorf("the list of %s is not valid: %w", l.list, err)
					break
				}
				if err != nil {
					return err
				}
				entries = append(entries, entry)
				fmt.Fprintf(sum, "%s %d ", l.list, len(entry.String()))
				io.WriteString(sum, entry.String())
			}
		}
		u.learn(l.list, l.key, entries)
		u.replace(l.list, l.key, entries, l.replace)
		if fault != nil {
			u.leftOut(l.list, "", fault)
		}
	}
	u.pace.read([sha256.Size]byte(sum.Sum(nil)))
	return nil
}

// entryState says what is known of an entry by its name or URI.
type entryState int

const (
	unlisted  entryState = iota
	ordinary             // not more than that the server lists it
	tasksToo             // a tool that can run as a task
	tasksOnly            // a tool that runs as a task only
)

// learn notes what the server lists, whether or not it is mounted.
func (u *upstream) learn(list mcpdynamic.List, member string, entries []runtime.Raw) {
	known := make(map[string]entryState, len(entries))
	for _, entry := range entries {
		p := wire.PeekAt([]byte(entry.String()))
		name, _ := p.In(member).Text()
		known[name] = taskSupport(p)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.listed[list] = known
}

// lists returns what is known of an entry by its name or URI.
func (u *upstream) lists(list mcpdynamic.List, name string) entryState {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.listed[list][name]
}

// taskSupport returns what is known of an entry.
func taskSupport(entry wire.Peek) entryState {
	switch support, _ := entry.In("execution").In("taskSupport").Text(); support {
	case "optional":
		return tasksToo
	case "required":
		return tasksOnly
	}
	return ordinary
}

// replace mounts the entries of one list in place of those that were mounted before. An entry that cannot be mounted is left out and logged.
func (u *upstream) replace(list mcpdynamic.List, member string, entries []runtime.Raw, mount func(remove []string, entry runtime.Raw, key, name string) error) {
	stale := make(map[string]bool)
	for _, key := range u.mounted[list] {
		stale[key] = true
	}
	u.mu.Lock()
	delete(u.omitted, list)
	u.mu.Unlock()
	var keys, declared []string
	for _, entry := range entries {
		name, _ := wire.PeekAt([]byte(entry.String())).In(member).Text()
		if name == "" {
			u.leftOut(list, "", errors.New("it has no "+member))
			continue
		}
		o := owner{server: u}
		key := name
		if member == "name" {
			key, o.name = u.Prefix+name, name
		}
		if u.all.Declares(list, key) {
			declared = append(declared, key)
			continue
		}
		if slices.Contains(keys, key) {
			u.leftOut(list, key, errors.New("the server lists it twice"))
			continue
		}
		if other := u.all.claimEntry(ownedEntry{list, key}, o); other != nil {
			u.leftOut(list, key, fmt.Errorf("its name belongs to the server %q", other.Name))
			continue
		}
		var remove []string
		if stale[key] {
			remove = []string{key}
		}
		if err := mount(remove, entry, key, name); err != nil {
			if !stale[key] {
				u.all.disown(ownedEntry{list, key})
			}
			u.leftOut(list, key, err)
			continue
		}
		delete(stale, key)
		keys = append(keys, key)
	}
	gone := slices.Sorted(maps.Keys(stale))
	if err := u.all.remove(list, gone); err != nil {
		u.all.log.Error("entries are not removed", "server", u.Name, "list", list, "error", err)
	}
	for _, key := range gone {
		u.all.disown(ownedEntry{list, key})
	}
	u.mounted[list] = keys
	if len(declared) > 0 {
		u.all.log.Debug("the schema declares entries of a server, which are not mounted", "server", u.Name, "list", list, "names", declared)
	}
}

// leftOut logs that an entry is not mounted, and keeps that for [Upstreams.Status].
func (u *upstream) leftOut(list mcpdynamic.List, name string, err error) {
	u.all.log.Warn("an entry is not mounted", "server", u.Name, "list", list, "name", name, "error", err)
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.omitted[list]) < mostOmitted {
		name = strings.Clone(strings.TrimPrefix(name[:min(len(name), longestOmitted)], u.Prefix))
		u.omitted[list] = append(u.omitted[list], Omission{strings.ToValidUTF8(name, ""), err})
	}
}

// How many entries of a list are kept that are not mounted, and how many bytes of their names.
const mostOmitted, longestOmitted = 20, 300

// remove removes entries.
func (s *Upstreams) remove(list mcpdynamic.List, keys []string) error {
	switch list {
	case mcpdynamic.Tools:
		return s.Set.RemoveTools(keys...)
	case mcpdynamic.Prompts:
		return s.Set.RemovePrompts(keys...)
	case mcpdynamic.Resources:
		return s.Set.RemoveResources(keys...)
	}
	return s.Set.ReplaceTemplates(keys)
}

// mountTool mounts a tool. Whether it runs as a task is left out if the server of clients keeps none. Without an inputSchema it takes any arguments.
func (u *upstream) mountTool(remove []string, entry runtime.Raw, key, name string) error {
	p := wire.PeekAt([]byte(entry.String()))
	is := taskSupport(p)
	if !u.all.keepsTasks {
		entry = withoutMember(entry, "execution")
	}
	var input runtime.Raw
	if !p.Has("inputSchema") {
		input = mcpdynamic.JSON(`{"type":"object"}`)
	}
	return u.all.Set.ReplaceTools(remove, mcpdynamic.Tool{
		Name: key, Members: entry, InputSchema: input, Unchecked: true,
		Call: func(ctx context.Context, arguments runtime.Raw) (wire.Appender, error) {
			return u.callTool(ctx, name, arguments, is)
		},
	})
}

// withoutMember returns an object without a member.
func withoutMember(object runtime.Raw, member string) runtime.Raw {
	if !wire.PeekAt([]byte(object.String())).Has(member) {
		return object
	}
	return wire.RawOf(without([]byte(object.String()), func(name string, value []byte) json.RawMessage {
		if name == member {
			return nil
		}
		return value
	}))
}

// mountPrompt mounts a prompt.
func (u *upstream) mountPrompt(remove []string, entry runtime.Raw, key, name string) error {
	return u.all.Set.ReplacePrompts(remove, mcpdynamic.Prompt{
		Name: key, Members: entry,
		Get: func(ctx context.Context, arguments map[string]string) (wire.Appender, error) {
			params := wire.AppendString([]byte(`{"name":`), name)
			if arguments != nil {
				params = wire.AppendMap(append(params, `,"arguments":`...), arguments, wire.AppendString)
			}
			return u.call(ctx, "prompts/get", wire.RawOf(append(params, '}')))
		},
		Complete: func(ctx context.Context, argument string, c mcp.Completing) (values []string, err error) {
			return u.complete(ctx, func(ctx context.Context, client *mcpclient.Client) (mcpclient.Completion, error) {
				return client.CompletePrompt(ctx, name, argument, c.Value, c.Arguments)
			})
		},
	})
}

// mountResource mounts a resource under its own URI, so that links to it stay valid.
func (u *upstream) mountResource(remove []string, entry runtime.Raw, key, _ string) error {
	return u.all.Set.ReplaceResources(remove, mcpdynamic.Resource{URI: key, Members: entry, Read: u.read})
}

// mountTemplate mounts a resource template.
func (u *upstream) mountTemplate(remove []string, entry runtime.Raw, key, _ string) error {
	return u.all.Set.ReplaceTemplates(remove, mcpdynamic.Template{
		URITemplate: key, Members: entry, Read: u.read,
		Complete: func(ctx context.Context, variable string, c mcp.Completing) ([]string, error) {
			return u.complete(ctx, func(ctx context.Context, client *mcpclient.Client) (mcpclient.Completion, error) {
				return client.CompleteTemplate(ctx, key, variable, c.Value, c.Arguments)
			})
		},
	})
}

// read reads a resource.
func (u *upstream) read(ctx context.Context, uri string) (wire.Appender, error) {
	return u.call(ctx, "resources/read", wire.RawOf(append(wire.AppendString([]byte(`{"uri":`), uri), '}')))
}
