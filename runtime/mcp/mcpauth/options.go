package mcpauth

import (
	"cmp"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
)

// Options are the settings of a [Transport]. With the zero value requests fail if the server requires
// a token.
type Options struct {
	// Grant gets tokens: a [*Login], [*ClientCredentials], [*Enterprise] or [*Workload]. Nil means
	// that only tokens of the store are used, and refreshed.
	Grant Grant

	// Client identifies the client at the authorization server. The zero value means that the
	// client registers itself.
	Client Client

	// Scopes are requested in addition to those that the server names.
	Scopes []string

	// Store keeps registrations and tokens. Nil means memory.
	Store Store

	// DPoP says whether tokens are bound to a key (RFC 9449). The zero value binds them if the
	// server asks for it.
	DPoP DPoP

	// Base sends the requests to the MCP server. Nil means a transport with the settings of
	// [http.DefaultTransport].
	Base http.RoundTripper

	// AuthTransport has the settings for requests to authorization servers and for metadata, such as
	// certificates. Its functions that dial are not used. Nil means the settings of
	// [http.DefaultTransport].
	AuthTransport *http.Transport

	// AllowPrivate allows authorization servers and metadata at loopback and private addresses. By
	// default they must be public. The address of the MCP server itself is always allowed, and
	// loopback addresses are if the MCP server is on this machine.
	AllowPrivate bool

	// AllowParentResource allows metadata about a part of the site that contains the server, such as
	// https://host for https://host/mcp. A token is then valid for all of that part, and every
	// server there that gets it can use it at the others. By default the metadata must be about the
	// server itself (RFC 9728 section 3.3).
	AllowParentResource bool

	// Timeout limits each request to an authorization server. Zero means 30 seconds.
	Timeout time.Duration

	// MaxBody limits each answer of an authorization server, in bytes. Zero means 1 MiB.
	MaxBody int
}

// DPoP says whether tokens are bound to a key of the client.
type DPoP int

// The values of [Options.DPoP].
const (
	DPoPAuto     DPoP = iota // if the server asks for it
	DPoPRequired             // always; a token that is not bound is an error
	DPoPNever                // never, even if the server asks for it
)

// Client identifies a client at an authorization server (basic/authorization/client-registration).
// If there are several ways, the order is: ID, MetadataURL, registration.
type Client struct {
	// ID is the identifier of a client that was registered in advance; Secret is its password, if
	// it has one. Issuer is the authorization server that they belong to; they are not sent to any
	// other. If it is empty, they belong to the first one that the server names.
	ID     string
	Secret Secret
	Issuer string

	// Key authenticates the client by signatures (private_key_jwt). Nil means that it has none.
	Key *Key

	// MetadataURL is the https URL of a document that describes the client, for authorization
	// servers that support client ID metadata documents. Empty means that there is none.
	MetadataURL string

	// Name is what people see when the client registers itself. Empty means rpcgen.
	Name string
}

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	o.Store = cmp.Or[Store](o.Store, new(Memory))
	defaults.Set(&o.Timeout, 30*time.Second)
	defaults.Set(&o.MaxBody, 1<<20)
	o.Client.Name = cmp.Or(o.Client.Name, "rpcgen")
	return o
}
