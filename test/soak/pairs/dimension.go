package pairs

import "github.com/rpcgen-go/rpcgen/runtime/mcp"

// kind says what a scenario is about.
type kind string

const (
	kindLedger kind = "json-rpc"
	kindDesk   kind = "mcp"
	kindMemory kind = "memory"
)

// The transports.
const (
	overMemory = "memory"
	overStdio  = "stdio"
	overTCP    = "tcp"
	overHTTP   = "http" // rpchttp or mcphttp
)

// The caches.
const (
	nothing = "none"
	public  = "public"  // by keys
	private = "private" // by keys, for one principal
	whole   = "whole"   // public, by all params
)

// The topologies of MCP servers.
const (
	direct   = "direct"
	gateway  = "gateway"  // two upstreams, of which the prefix of one begins with that of the other
	replicas = "replicas" // that share their sessions
)

// What a scenario of memory makes a server keep.
const (
	keepNotes  = "notifications"
	keepCalls  = "calls"
	keepTasks  = "tasks"
	keepBodies = "bodies"        // of JSON-RPC over HTTP
	keepMCP    = "bodies of MCP" // over HTTP
)

// The values of the dimensions that are not just yes or no. What stands here twice is drawn twice as often.
var (
	kinds        = []kind{kindLedger, kindLedger, kindLedger, kindLedger, kindDesk, kindDesk, kindDesk, kindDesk, kindDesk, kindMemory}
	transports   = []string{overMemory, overStdio, overTCP, overHTTP}
	caches       = []string{nothing, public, private, whole}
	topologies   = []string{direct, direct, gateway, replicas}
	keepers      = []string{keepNotes, keepCalls, keepTasks, keepBodies, keepMCP}
	revisions    = []string{mcp.Revision20250618, mcp.Revision20251125, mcp.Revision20260728, mcp.Revision20260728}
	upRevisions  = []string{mcp.Revision20250618, mcp.Revision20251125, mcp.Revision20260728}
	callerNames  = []string{"ann", "bob", "cleo", "dan"}
	accountNames = []string{"a1", "a2", "a3", "a4"}
)
