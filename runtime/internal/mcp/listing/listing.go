// Package listing is what the server of package mcp and the entries of package mcpdynamic know of each other.
//
//test:by ./runtime/x/mcpdynamic
//test:by ./runtime/mcp
package listing

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
)

// List is one of the lists of a server.
type List uint8

// The lists. The key of an entry is its name, its URI or its URI template.
const (
	Tools List = iota
	Prompts
	Resources
	Templates

	Count = iota // number of lists
)

// Members are the names of the arrays in the results of the list methods.
var Members = [Count]string{"tools", "prompts", "resources", "resourceTemplates"}

// Keys are the members that hold the key of an entry.
var Keys = [Count]string{"name", "name", "uri", "uriTemplate"}

// Entry is an entry of a list.
type Entry struct {
	Key     string
	JSON    []byte // the entry, compact
	ForApps bool   // it is a tool for pages only, not for models
}

// Source holds the entries that a server has in addition to those of its schema, and decides which entries a client sees. Its methods are safe for
// concurrent use.
type Source interface {
	// After returns the entries whose keys are greater than key, in ascending order of their keys. The result is not changed any more.
	After(l List, key string) []Entry

	// Has reports whether there is an entry with that key.
	Has(l List, key string) bool

	// Generation returns a number that no other added tool has or had, or 0 if there is no added tool of that name.
	Generation(tool string) uint64

	// Headers returns the arguments of an added tool that are mirrored into HTTP headers.
	Headers(tool string) []mcpgen.ToolHeader

	// KeepTasks notes that the server keeps tasks. It is called before there is an entry, or never.
	KeepTasks()

	// Task reports whether an added tool runs as a task, and whether it runs as nothing else.
	Task(tool string) (required, declared bool)

	// ForApps reports whether an added tool is for pages only.
	ForApps(tool string) bool

	// Watches reports whether Watch may return a function: then clients may subscribe to resources.
	Watches() bool

	// Watch is called when a client subscribes to a resource that had no subscriber. The function that it returns is called when the last
	// subscription to it has ended. Nil means that clients cannot subscribe to the resource, unless the schema says that they can; then Watch is
	// called for the next subscriber again. The calls follow one another. They must neither block nor wait for another subscription.
	Watch(uri string) (stop func())

	// Filters reports whether Visible may report false.
	Filters() bool

	// Visible reports whether the client of the request that ctx belongs to sees the entry with that key, which may be one of the schema. For a read,
	// the list is Resources and the key the URI that is read, whether it is that of an entry or matches a template.
	Visible(ctx context.Context, l List, key string) bool
}
