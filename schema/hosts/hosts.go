// Package hosts holds what is known of hosts of MCP and of APIs of models: the limits that they set to lists of tools. A limit is dated data: it has a
// source, and the day on which the source said so.
//
// A file NAME.yaml describes one host:
//
//	host: NAME              # what rpcgen lint --host takes
//	kind: host | api        # a program with an MCP client, or what a host sends tools to
//	title: TEXT
//	clients: [names]        # what clientInfo.name of the program is, or begins with
//	models: [hosts]         # the APIs that the host may send tools to: their limits hold too, but for those of APIs that are direct
//	direct: true            # of an API: hosts convert schemas before they call it
//	prefix: TEXT            # what stands before the name of a tool; {server} is the name of the server, {server:18} its first 18 characters
//	union: [hosts]          # the file stands for these hosts
//	limits:
//	  KEY: {value: ..., on: ..., source: TEXT, seen: YYYY-MM-DD, sure: ..., was: [{value: ..., seen: YYYY-MM-DD, source: TEXT}]}
//	modes:                  # limits of a model or a mode, which --host NAME:MODE adds
//	  MODE: {KEY: ...}
//
// on is what the host does past the limit: refuse, drop, cut, group or warn. sure is how the limit became known: read, excerpt (of a search) or reported
// (by a third party). was are older or contradicting values.
//
//test:sequential
package hosts

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

//go:embed *.yaml
var files embed.FS

// Usual is the host that stands for those that a server meets which is to run everywhere.
const Usual = "usual"

// Host is a host of MCP or an API of models.
type Host struct {
	Name    string
	API     bool // it is what hosts send tools to
	Title   string
	Clients []string // beginnings of clientInfo.name
	Models  []string // names of APIs
	Direct  bool     // hosts convert schemas before they call the API
	Prefix  string   // what stands before the name of a tool; empty if nothing does
	Union   []string // the hosts that it stands for
	Limits  []Limit
	Modes   []Mode
	File    string
}

// Mode is a mode or a model with limits of its own.
type Mode struct {
	Name   string
	Limits []Limit
}

// Limit is one limit.
type Limit struct {
	Check
	Value
	On     string // refuse, drop, cut, group or warn
	Source string
	Seen   time.Time // the day of the source
	Sure   string    // read, excerpt or reported
	Was    []Past
	Pos    diag.Pos
}

// Value is the value of a limit, by the form of its check.
type Value struct {
	Number  int
	Pattern *regexp.Regexp
	Words   []string
}

// Past is an older or contradicting value of a limit.
type Past struct {
	Value
	Seen   time.Time
	Source string // empty for the one of the limit
}

// Old is the age from which on a limit is worth looking up again.
const Old = 180 * 24 * time.Hour

// Warns reports whether breaking the limit is a warning, and not a note: tools are refused or left out, and that is known at first hand.
func (l Limit) Warns() bool { return (l.On == "refuse" || l.On == "drop") && l.Sure != "reported" }

// Set are hosts by their names.
type Set struct{ all []*Host }

// Known are the hosts that rpcgen knows.
var Known = sync.OnceValue(func() *Set {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	s := new(Set)
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		h, faults := Parse("schema/hosts/"+e.Name(), text)
		if h == nil {
			panic(fmt.Sprint(faults)) // a test reads the files
		}
		s.all = append(s.all, h)
	}
	return s
})

// With returns the set with further hosts. A host of a name that is there already takes its place.
func (s *Set) With(more []*Host) *Set {
	all := slices.Clone(s.all)
	for _, h := range more {
		if i := slices.IndexFunc(all, func(o *Host) bool { return o.Name == h.Name }); i >= 0 {
			all[i] = h
		} else {
			all = append(all, h)
		}
	}
	return &Set{all}
}

// All returns the hosts in the order of their names.
func (s *Set) All() []*Host { return slices.Clone(s.all) }

// Names returns the names of the hosts, and of their modes as NAME:MODE.
func (s *Set) Names() []string {
	var names []string
	for _, h := range s.all {
		names = append(names, h.Name)
		for _, m := range h.Modes {
			names = append(names, h.Name+":"+m.Name)
		}
	}
	return names
}

// Host returns the host with a name; nil if there is none.
func (s *Set) Host(name string) *Host {
	if i := slices.IndexFunc(s.all, func(h *Host) bool { return h.Name == name }); i >= 0 {
		return s.all[i]
	}
	return nil
}

// Check returns an error if a host refers to one that is not in the set.
func (s *Set) Check() error {
	for _, h := range s.all {
		for _, name := range slices.Concat(h.Models, h.Union) {
			if s.Host(name) == nil {
				return fmt.Errorf("%s: there is no host %q%s", h.File, name, s.near(name))
			}
		}
	}
	return nil
}

func (s *Set) near(name string) string {
	if near := diag.DidYouMean(name, s.Names()); near != "" {
		return " (" + near + ")"
	}
	return "; there are " + strings.Join(s.Names(), ", ")
}

// Held is a limit that holds for a selection.
type Held struct {
	Host *Host
	Mode string // empty if it holds in every mode
	Limit
}

// Name is the name of the host, with its mode.
func (h Held) Name() string {
	if h.Mode != "" {
		return h.Host.Name + ":" + h.Mode
	}
	return h.Host.Name
}

// Select returns the limits that hold for hosts, each NAME or NAME:MODE: their own, those of the hosts that they stand for, and those of the APIs that
// they send tools to.
func (s *Set) Select(names ...string) ([]Held, error) {
	var all []Held
	seen := map[string]bool{}
	add := func(h *Host, mode string, limits []Limit) {
		if key := h.Name + ":" + mode; !seen[key] {
			seen[key] = true
			for _, l := range limits {
				all = append(all, Held{h, mode, l})
			}
		}
	}
	for _, name := range names {
		host, mode, hasMode := strings.Cut(name, ":")
		h := s.Host(host)
		if h == nil {
			return nil, fmt.Errorf("there is no host %q%s", host, s.near(host))
		}
		for _, other := range s.includes(h) {
			add(other, "", other.Limits)
		}
		if !hasMode {
			continue
		}
		if len(h.Modes) == 0 {
			return nil, fmt.Errorf("%s has no modes: write --host %[1]s", host)
		}
		i := slices.IndexFunc(h.Modes, func(m Mode) bool { return m.Name == mode })
		if i < 0 {
			return nil, fmt.Errorf("%s has no mode %q%s", host, mode, s.near(name))
		}
		add(h, mode, h.Modes[i].Limits)
	}
	return all, nil
}

// includes are the hosts whose limits hold for one: itself, those that it stands for, or the APIs that it sends tools to as they come.
func (s *Set) includes(h *Host) []*Host {
	all := []*Host{h}
	for _, name := range h.Union {
		all = append(all, s.Host(name))
	}
	for _, name := range h.Models {
		if model := s.Host(name); !model.Direct {
			all = append(all, model)
		}
	}
	return all
}

// ClientsOf returns the beginnings of clientInfo.name of the hosts that send tools to one API alone.
func (s *Set) ClientsOf(api string) []string {
	var all []string
	for _, h := range s.all {
		if slices.Equal(h.Models, []string{api}) {
			all = append(all, h.Clients...)
		}
	}
	return all
}

// FullName returns the name of a tool with what the host puts before it. Of an API, it is the longest one of the hosts that send tools to it.
func (s *Set) FullName(h *Host, server, tool string) string {
	name := nameWithPrefix(h.Prefix, server) + tool
	if h.API {
		for _, other := range s.all {
			if full := nameWithPrefix(other.Prefix, server) + tool; slices.Contains(other.Models, h.Name) && len(full) > len(name) {
				name = full
			}
		}
	}
	return name
}

var serverInPrefix = regexp.MustCompile(`\{server(?::(\d+))?\}`)

func nameWithPrefix(prefix, server string) string {
	return serverInPrefix.ReplaceAllStringFunc(prefix, func(match string) string {
		if n := serverInPrefix.FindStringSubmatch(match)[1]; n != "" {
			if most := number(n); len(server) > most {
				return server[:most]
			}
		}
		return server
	})
}
