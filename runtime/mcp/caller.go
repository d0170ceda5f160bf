package mcp

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Caller is what the client of a request says about itself. It is not verified.
type Caller struct {
	Name, Version, Title string // empty if the client does not say
	Revision             string // of the protocol
	Era                  Era
	Capabilities         Capabilities
}

func newCaller(revision string, info, capabilities []byte) Caller {
	p := wire.PeekAt(info)
	c := Caller{Revision: revision, Era: protocol.Of(revision).Era, Capabilities: Capabilities{capabilities}}
	c.Name, _ = p.In("name").Text()
	c.Version, _ = p.In("version").Text()
	c.Title, _ = p.In("title").Text()
	return c
}

// retain returns a copy of c that does not share the bytes of a message, for use in a session. It fails if the copy would take more than most bytes.
func (c *Caller) retain(most int) (Caller, error) {
	if size := len(c.Name) + len(c.Version) + len(c.Title) + len(c.Capabilities.text); size > most {
		v := violation.Violation{Rule: "maxLength", Expected: "clientInfo and capabilities of at most " + strconv.Itoa(most) + " bytes",
			Got: strconv.Itoa(size) + " bytes"}
		return Caller{}, runtime.InvalidParams([]violation.Violation{v}, 0)
	}
	own := *c
	own.Name, own.Version, own.Title = strings.Clone(c.Name), strings.Clone(c.Version), strings.Clone(c.Title)
	own.Capabilities.text = bytes.Clone(c.Capabilities.text)
	return own, nil
}

// Capabilities are the capabilities that a client has declared (ClientCapabilities). The zero value declares none.
type Capabilities struct{ text protocol.Capabilities }

// Has reports whether the member at the path is present, such as "sampling", "tools".
func (c Capabilities) Has(path ...string) bool { return c.text.Has(path...) }

// Sampling reports whether the client supports sampling (client/sampling).
func (c Capabilities) Sampling() bool { return c.Has("sampling") }

// Roots reports whether the client supports roots (client/roots).
func (c Capabilities) Roots() bool { return c.Has("roots") }

// Elicitation reports whether the client supports elicitation in form mode, which an empty declaration means as well (client/elicitation).
func (c Capabilities) Elicitation() bool {
	return c.Has("elicitation", "form") || c.Has("elicitation") && !c.Has("elicitation", "url")
}

// ElicitationURL reports whether the client supports elicitation in URL mode.
func (c Capabilities) ElicitationURL() bool { return c.Has("elicitation", "url") }

// JSON returns the capabilities as a JSON object.
func (c Capabilities) JSON() runtime.Raw { return c.text.JSON() }
