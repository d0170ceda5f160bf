// Package contract checks whether a server keeps what it publishes: it calls the tools of an MCP server, or the methods of a
// plain JSON-RPC 2.0 server, with values that their schemas describe and with values that break exactly one rule of them, and
// reports each promise that the server does not keep, with a call that reproduces it.
//
// [Run] checks one server. The command rpcgen verify and generated test kits are built on it. Nothing here is promised yet.
package contract

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// Severity says how much a finding counts.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note" // advice; never a reason to fail
)

// Rank is 3 for an error, 2 for a warning, 1 for a note, and 0 for anything else.
func (s Severity) Rank() int { return map[Severity]int{Error: 3, Warning: 2, Note: 1}[s] }

// Proof says what a finding contradicts.
type Proof string

// The grades of proof.
const (
	ByContract Proof = "contract"  // the server's own schema or hints
	ByProtocol Proof = "protocol"  // a MUST of a specification
	Heuristic  Proof = "heuristic" // neither: always a note
)

// Finding is one fault of a server, for all the tools that have it.
type Finding struct {
	ID         string   `json:"id"` // of the check, keyword, tool and pointer: it stays when the seed changes
	Check      string   `json:"check"`
	Keyword    string   `json:"keyword,omitempty"` // of JSON Schema, or what else tells the findings of one check apart
	Severity   Severity `json:"severity"`
	Proof      Proof    `json:"proof"`
	Tools      []string `json:"tools,omitempty"`      // sorted; the one that Message is about first
	Pointer    string   `json:"pointer,omitempty"`    // RFC 6901, into the arguments or the result of the first tool
	Message    string   `json:"message"`              // what is wrong, a full sentence in one line
	Advice     string   `json:"advice,omitempty"`     // how to repair it
	Reproduce  string   `json:"reproduce"`            // a line for a shell
	Transcript []string `json:"transcript,omitempty"` // messages that show it when they are sent in order to a new instance, one each
	Arguments  string   `json:"arguments,omitempty"`  // of the call that shows it, as JSON
	Seen       int      `json:"seen"`                 // in how many of two new instances the finding was seen again
}

// Tool says how far one tool, or one method, was reached.
type Tool struct {
	Name      string `json:"name"`
	Calls     int    `json:"calls"`
	Succeeded int    `json:"succeeded"`
	Refused   int    `json:"refused"`           // the server said that the arguments are invalid
	Failed    int    `json:"failed"`            // every other failure
	Reached   bool   `json:"reached"`           // a call succeeded
	Reason    string `json:"reason,omitempty"`  // why it was not reached: the most frequent answer
	Skipped   string `json:"skipped,omitempty"` // why it was not called
}

// Skipped is a check that could not run, or a part of one.
type Skipped struct {
	Check  string `json:"check"`
	Tool   string `json:"tool,omitempty"`
	Reason string `json:"reason"`
}

// Server is what is known of the server.
type Server struct {
	Name      string   `json:"name,omitempty"`
	Version   string   `json:"version,omitempty"`
	Protocol  string   `json:"protocol"` // mcp or jsonrpc
	Revision  string   `json:"revision,omitempty"`
	Revisions []string `json:"revisions,omitempty"` // that were checked
}

// Report is what came of checking a server.
type Report struct {
	Version  int           `json:"version"` // of this form: 1
	Server   Server        `json:"server"`
	Seed     uint64        `json:"seed"`
	Findings []Finding     `json:"findings"`         // the worst first
	Unseen   []Finding     `json:"unseen,omitempty"` // what was suspected and not seen again: no findings
	Tools    []Tool        `json:"tools"`
	Skipped  []Skipped     `json:"skipped"`
	Summary  []string      `json:"summary,omitempty"` // other sentences about the server
	Checks   int           `json:"checks"`            // how many checks ran
	Calls    int           `json:"calls"`
	Elapsed  time.Duration `json:"elapsed_ns"`
}

// Worst is the severity of the worst finding, or "" without findings.
func (r *Report) Worst() (worst Severity) {
	for i := range r.Findings {
		if r.Findings[i].Severity.Rank() > worst.Rank() {
			worst = r.Findings[i].Severity
		}
	}
	return worst
}

// Method is a method of a plain JSON-RPC server.
type Method struct {
	Name       string
	Params     []byte           // the JSON Schema of the params, an object
	Result     []byte           // the JSON Schema of the result; nil if it is not known
	Errors     map[int64][]byte // the JSON Schemas of the data of declared errors, by code
	ReadOnly   bool             // it changes nothing
	Idempotent bool             // a second call changes nothing more
	Scoped     bool             // callers need scopes
	Positional []string         // the names of the params in order, for a server that takes lists only; nil to send objects
}

// Family names the tools, or methods, that create, read, list and delete the entries of one collection; those that it lacks are empty.
type Family struct {
	Noun                       string
	Key                        string // the argument and the member that tell entries apart
	Create, Read, List, Delete string
}

// Limit is what a host does not take in a list of tools.
type Limit struct {
	Code    string // of the limit
	Pointer string // JSON Pointer into {"tools": [...]}
	Message string
	Advice  string
}

// Options are what [Run] takes. The zero value is what the fields say.
type Options struct {
	Seed     uint64         // of random values; 0 means 1
	Time     time.Duration  // for new cases; 0 means a minute
	Calls    int            // of one tool; 0 means 200
	Timeout  time.Duration  // of one call; 0 means 10 seconds
	Patience time.Duration  // how long a call that hangs is waited for in a second instance; 0 means 60 seconds
	Start    time.Duration  // of the first answer; 0 means 30 seconds
	MaxTime  time.Duration  // of one call, for the check Slow; 0 turns that part of the check off
	Rate     float64        // calls a second; 0 means no limit
	Profile  values.Profile // of texts and numbers
	Formats  bool           // `format` is a rule rather than an annotation

	Include, Exclude []string // names of tools, with * for any letters; no Include means all
	Checks, Skip     []string // names of checks; no Checks means all

	Writes      bool // call tools that are not declared as read-only
	Destructive bool // call tools that are not declared as harmless, too

	Severities map[string]Severity          // of checks, in place of their own
	Values     map[string][]string          // JSON values to try, by the name of an argument, or TOOL.ARGUMENT
	Arguments  map[string]map[string]string // JSON values that are always sent, by tool and argument
	Files      []string                     // names of files that are there, to try for arguments that are paths
	Methods    []Method                     // of a plain JSON-RPC server; nil for an MCP server
	Discover   bool                         // ask the JSON-RPC server for its methods by rpc.discover

	Limits   func(list []byte) []Limit // compares {"tools": [...]} with what hosts take, for the check ListLimit; nil for a few limits that most have
	Families []Family                  // collections that the schema declares; others are found by the names of tools
	Known    []Finding                 // of a run before, whose calls are tried first

	Bubble  bool   // a test kit checks the server in a bubble of testing/synctest
	Finding string // the id of the only finding that is looked for; the run ends when it is confirmed

	Replay    string                       // the beginning of a line that looks for a finding again; empty means "rpcgen verify"
	Shell     string                       // the part of a reproduction line that reaches the server, such as "-- ./server"
	Secrets   []string                     // texts that no answer may show, such as values of the environment
	OnFinding func(Finding)                // is called with each finding when it is confirmed
	OnCall    func(calls int, tool string) // is called now and then, for a line of progress
}

// Option changes options.
type Option func(*Options)

// With sets all options.
func With(o Options) Option { return func(all *Options) { *all = o } }

// Budget sets how long new cases are tried.
func Budget(d time.Duration) Option { return func(o *Options) { o.Time = d } }

// Seed sets the seed of random values.
func Seed(n uint64) Option { return func(o *Options) { o.Seed = n } }

// AllowWrites calls tools that write, destructive ones too: for servers that work on something temporary.
func AllowWrites() Option { return func(o *Options) { o.Writes, o.Destructive = true, true } }

// Only runs the named checks only.
func Only(checks ...string) Option { return func(o *Options) { o.Checks = checks } }

// Skip leaves the named checks out.
func Skip(checks ...string) Option { return func(o *Options) { o.Skip = append(o.Skip, checks...) } }

// Replay looks for one finding only, by the id that a failure prints, and ends when it is confirmed. The seed and the other options have to be
// those of the run that found it.
func Replay(id string) Option { return func(o *Options) { o.Finding = id } }

// Bubble has a test kit check the server in a bubble of testing/synctest, where time passes only while everything waits: a server in memory that
// sleeps, or never answers, costs no time then. It is for [InMemory] only, whose function must make all that the server waits for, and leave nothing
// to t.Cleanup, which runs outside. The budget is a time of the bubble, too: [Options.Calls] limits the calls of servers that do not wait.
func Bubble() Option { return func(o *Options) { o.Bubble = true } }

// Values gives values, as JSON, to try for the arguments with a name, or for one argument by the name TOOL.ARGUMENT.
func Values(name string, json ...string) Option {
	return func(o *Options) {
		all := map[string][]string{}
		maps.Copy(all, o.Values)
		all[name] = append(slices.Clone(all[name]), json...)
		o.Values = all
	}
}

// Run checks the server that conn reaches. The error says why nothing could be checked: the server cannot be started or reached, or
// it published nothing. Findings are not an error. If ctx ends, Run returns what it has found.
func Run(ctx context.Context, conn Conn, opts ...Option) (*Report, error) {
	var o Options
	for _, opt := range opts {
		opt(&o)
	}
	return run(ctx, conn, o)
}

// Check describes a check.
type Check struct {
	Name    string
	What    string            // it looks for, as a sentence
	Why     string            // that matters
	Example string            // of a finding
	Advice  string            // how to repair it
	Special map[string]string // in place of Advice, by the keyword of the fault

	severity Severity // of its faults that have no other
	proof    Proof    // of these
}

// Names returns the names of all checks, in the order in which they are described.
func Names() []string {
	var all []string
	for _, c := range checks() {
		all = append(all, c.Name)
	}
	return all
}

// Checks returns all checks.
func Checks() []Check { return slices.Clone(checks()) }

// checksText describes each check in a paragraph: its name, severity and proof, and then a field a line.
//
//go:embed checks.txt
var checksText string

var checks = sync.OnceValue(func() (all []Check) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(checksText), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		first := strings.Fields(lines[0])
		c := Check{Name: first[0], severity: Severity(first[1]), proof: Proof(first[2]), Special: map[string]string{}}
		for _, line := range lines[1:] {
			field, text, _ := strings.Cut(line, ": ")
			switch kind, keywords, some := strings.Cut(field, " "); {
			case some:
				for keyword := range strings.SplitSeq(keywords, ", ") {
					c.Special[keyword] = text
				}
			default:
				*map[string]*string{"what": &c.What, "why": &c.Why, "example": &c.Example, "advice": &c.Advice}[kind] = text
			}
		}
		all = append(all, c)
	}
	return all
})

// complete fills in what a fault leaves to its check.
func (f fault) complete() fault {
	i := slices.IndexFunc(checks(), func(c Check) bool { return c.Name == f.check })
	c := checks()[i]
	f.severity, f.proof = cmp.Or(f.severity, c.severity), cmp.Or(f.proof, c.proof)
	f.advice = cmp.Or(f.advice, c.Special[f.keyword], c.Advice)
	return f
}

// reach reports tools of which no call succeeded, and why.
func reach(r rig) {
	for _, t := range r.tools {
		if t.stats.Calls == 0 || t.stats.Reached {
			continue
		}
		t.stats.Reason = mostFrequent(t.refusals)
		message := t.name + " never succeeded"
		if t.stats.Reason != "" {
			message += ": " + t.stats.Reason
		}
		r.fact(t, fault{check: "ReachNone", message: message})
	}
	confirm(r)
}
