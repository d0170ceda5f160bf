package templates

import "github.com/rpcgen-go/rpcgen/schema/ir"

// Side chooses which of the two sides of a protocol is generated.
type Side uint8

// The sides.
const (
	Both Side = iota
	ServerOnly
	ClientOnly
)

// Options steer generation. The zero value generates everything.
type Options struct {
	Side    Side
	Schemas bool // routers know the JSON Schema of params, for runtime.Options.Explain
	Draft   bool // files are not laid out, and come in parts that are files by themselves
}

// sideNames is what generated code calls one of the two sides of a connection: what it implements, and what calls it.
type sideNames struct {
	iface         string // the interface that its user implements
	unimplemented string
	newHandler    string
	handler       string
	rates         string // the function that returns the limits of rates
	keeps         string // the function that returns which results are kept
	client        string // what the other side calls it with
	newClient     string
	batch         string
	what          string
	calledBy      ir.Side // who calls it, in addition to both
}

var (
	serverSide = sideNames{
		iface: "Server", unimplemented: "UnimplementedServer", newHandler: "NewHandler", handler: "handler", rates: "RateLimits", keeps: "CacheRules",
		client: "Client", newClient: "NewClient", batch: "Batch", what: "server", calledBy: ir.FromClient,
	}
	clientSide = sideNames{
		iface: "Callbacks", unimplemented: "UnimplementedCallbacks", newHandler: "NewCallbackHandler", handler: "callbackHandler", rates: "CallbackRateLimits", keeps: "CallbackCacheRules",
		client: "CallbackClient", newClient: "NewCallbackClient", batch: "CallbackBatch", what: "client", calledBy: ir.FromServer,
	}
)
