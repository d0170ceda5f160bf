package mount

import (
	"context"
	"errors"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// mount reads the lists of the server and replaces what is mounted.
func (u *upstream) mount(ctx context.Context, client *mcpclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	server, err := client.Discover(ctx)
	if err != nil {
		return err
	}
	u.watches.offer(server.Capabilities.Has("resources", "subscribe"))
	defer u.gateway.rebind()
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
		if server.Capabilities.Has(l.capability) {
			for entry, err := range mcpclient.Entries(ctx, client, string(l.list)) {
				if e := answered(err); e != nil && e.Code == runtime.CodeMethodNotFound {
					break // it declares more than it has
				}
				if errors.As(err, new(*runtime.ResponseError)) {
					u.gateway.log.Warn("a list is not valid", "server", u.name, "list", l.list, "error", err)
					break
				}
				if err != nil {
					return err
				}
				entries = append(entries, entry)
			}
		}
		u.replace(l.list, l.key, entries, l.replace)
	}
	return nil
}

// replace mounts the entries of one list in place of those that were mounted before. An entry that
// cannot be mounted is left out and logged.
func (u *upstream) replace(list mcpdynamic.List, member string, entries []runtime.Raw, mount func(remove []string, entry runtime.Raw, key, name string) error) {
	g := u.gateway
	stale := make(map[string]bool)
	for _, key := range u.mounted[list] {
		stale[key] = true
	}
	var keys []string
	for _, entry := range entries {
		name, _ := wire.PeekAt([]byte(entry.String())).In(member).Text()
		if name == "" {
			g.log.Warn("an entry without a name is not mounted", "server", u.name, "list", list)
			continue
		}
		o := owner{server: u.name}
		key := name
		if member == "name" {
			key, o.name = *u.server.Prefix+name, name
		}
		if other, taken := g.own(owned{list, key}, o); taken {
			g.log.Warn("an entry is not mounted: its name belongs to another server", "server", u.name, "list", list, "name", key, "other", other)
			continue
		}
		var remove []string
		if stale[key] {
			remove = []string{key}
		}
		if err := mount(remove, entry, key, name); err != nil {
			if !stale[key] {
				g.disown(owned{list, key})
			}
			g.log.Warn("an entry is not mounted", "server", u.name, "list", list, "error", err)
			continue
		}
		delete(stale, key)
		keys = append(keys, key)
	}
	gone := sorted(stale)
	if err := g.remove(list, gone); err != nil {
		g.log.Error("entries are not removed", "server", u.name, "list", list, "error", err)
	}
	for _, key := range gone {
		g.disown(owned{list, key})
	}
	u.mounted[list] = keys
}

// own notes where an entry comes from, before it is mounted. It reports taken if its name belongs to
// another server.
func (g *Gateway) own(entry owned, o owner) (other string, taken bool) {
	other = g.claimed(entry, o)
	g.mu.Lock()
	defer g.mu.Unlock()
	if has, there := g.owners[entry]; there {
		other = has.server
	}
	if other != "" && other != o.server {
		g.hidden[o.server] = true
		return other, true
	}
	g.owners[entry] = o
	return "", false
}

// claimed returns the server that the name of an entry belongs to, whether or not the server has such
// an entry: for tools and prompts the one with the longest prefix that the name begins with, and for
// a resource the one that has mounted a template which stands for its URI. It is empty if there is
// none.
func (g *Gateway) claimed(entry owned, o owner) (server string) {
	if entry.list == mcpdynamic.Resources {
		if template, ok := g.set.TemplateOf(entry.key); ok {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.owners[owned{mcpdynamic.Templates, template}].server
		}
	}
	if o.name == "" {
		return ""
	}
	longest := -1
	for _, u := range g.upstreams {
		if prefix := *u.server.Prefix; strings.HasPrefix(entry.key, prefix) && len(prefix) > longest {
			server, longest = u.name, len(prefix)
		}
	}
	return server
}

// disown forgets where an entry came from. Servers that have entries which were not mounted because of
// another server get another turn.
func (g *Gateway) disown(entry owned) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.owners, entry)
	for server := range g.hidden {
		token(g.upstream(server).refresh)
	}
	clear(g.hidden)
}

// remove removes entries.
func (g *Gateway) remove(list mcpdynamic.List, keys []string) error {
	switch list {
	case mcpdynamic.Tools:
		return g.set.RemoveTools(keys...)
	case mcpdynamic.Prompts:
		return g.set.RemovePrompts(keys...)
	case mcpdynamic.Resources:
		return g.set.RemoveResources(keys...)
	}
	return g.set.ReplaceTemplates(keys)
}

// mountTool mounts a tool.
func (u *upstream) mountTool(remove []string, entry runtime.Raw, key, name string) error {
	task, _ := wire.PeekAt([]byte(entry.String())).In("execution").In("taskSupport").Text()
	return u.gateway.set.ReplaceTools(remove, mcpdynamic.Tool{
		Name: key, Members: without(entry, "execution"), Unchecked: true,
		Call: func(ctx context.Context, arguments runtime.Raw) (wire.Appender, error) {
			return u.callTool(ctx, name, arguments, task == "required")
		},
	})
}

// without returns an object without a member.
func without(object runtime.Raw, member string) runtime.Raw {
	var b []byte
	for name, value := range wire.PeekAt([]byte(object.String())).Members() {
		if name != member {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
		}
	}
	return wire.RawOf(wire.CloseObject(b, 0))
}

// mountPrompt mounts a prompt.
func (u *upstream) mountPrompt(remove []string, entry runtime.Raw, key, name string) error {
	return u.gateway.set.ReplacePrompts(remove, mcpdynamic.Prompt{
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
	return u.gateway.set.ReplaceResources(remove, mcpdynamic.Resource{URI: key, Members: entry, Read: u.read})
}

// mountTemplate mounts a resource template.
func (u *upstream) mountTemplate(remove []string, entry runtime.Raw, key, _ string) error {
	return u.gateway.set.ReplaceTemplates(remove, mcpdynamic.Template{
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
