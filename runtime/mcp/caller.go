package mcp

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Caller is what the client of a request says of itself. Nothing of it is verified.
type Caller struct {
	Name, Version, Title string // empty: it does not say
	Revision             string // of the protocol
	Era                  Era
	Capabilities         Capabilities
}

// ClientOf returns what the client says of itself whose request ctx is the context of; nothing outside of requests.
func ClientOf(ctx context.Context) Caller {
	s, err := acquire(ctx)
	if err != nil {
		return Caller{}
	}
	defer s.mu.Unlock()
	return s.request.Caller()
}

func newCaller(revision string, info, capabilities []byte) Caller {
	p := wire.PeekAt(info)
	c := Caller{Revision: revision, Era: EraOf(revision), Capabilities: Capabilities{capabilities}}
	c.Name, _ = p.In("name").Text()
	c.Version, _ = p.In("version").Text()
	c.Title, _ = p.In("title").Text()
	return c
}

// kept returns c in memory of its own, for a session: what is read from a message shares it. An error says that it is too much.
func (c *Caller) kept(most int) (Caller, error) {
	if size := len(c.Name) + len(c.Version) + len(c.Title) + len(c.Capabilities.text); size > most {
		v := rule.Violation{Rule: "maxLength", Expected: "clientInfo and capabilities of at most " + strconv.Itoa(most) + " bytes", Got: strconv.Itoa(size) + " bytes"}
		return Caller{}, runtime.InvalidParams([]rule.Violation{v}, 0)
	}
	own := *c
	own.Name, own.Version, own.Title = strings.Clone(c.Name), strings.Clone(c.Version), strings.Clone(c.Title)
	own.Capabilities.text = bytes.Clone(c.Capabilities.text)
	return own, nil
}

// Capabilities are what a client has declared that it can do (ClientCapabilities).
type Capabilities struct{ text protocol.Capabilities }

// Has reports whether there is the member at the path, such as "sampling", "tools".
func (c Capabilities) Has(path ...string) bool { return c.text.Has(path...) }

// Sampling reports whether the client samples messages.
func (c Capabilities) Sampling() bool { return c.Has("sampling") }

// Roots reports whether the client lists roots.
func (c Capabilities) Roots() bool { return c.Has("roots") }

// Elicitation reports whether the client asks its user by a form; an empty declaration means that.
func (c Capabilities) Elicitation() bool {
	return c.Has("elicitation", "form") || c.Has("elicitation") && !c.Has("elicitation", "url")
}

// ElicitationURL reports whether the client sends its user to a URL.
func (c Capabilities) ElicitationURL() bool { return c.Has("elicitation", "url") }

// JSON returns all of the capabilities.
func (c Capabilities) JSON() runtime.Raw { return c.text.JSON() }
