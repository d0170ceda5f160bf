// Package install puts a server of MCP into the configuration of a host, and takes it out again. Where hosts keep their servers, and in which form, is
// data: hosts.yaml.
package install

import (
	_ "embed" // for the data
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/configfile"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Host is a program that starts servers, or connects to them.
type Host struct {
	Name     string            `yaml:"-"`
	Title    string            `yaml:"title"`   // for people
	User     map[string]string `yaml:"user"`    // the user's file by system, as Go calls it; all for any other; empty if there is none
	Project  string            `yaml:"project"` // the file of a project, below its folder; empty if there is none
	Format   configfile.Format `yaml:"format"`
	Path     []string          `yaml:"path"`     // of the entry in a file
	Entry    yaml.Node         `yaml:"entry"`    // what is written for a program
	Remote   yaml.Node         `yaml:"remote"`   // what is written for a URL; nothing if the file cannot say one
	Adding   []string          `yaml:"add"`      // a command of the host that adds an entry for the user
	Removing []string          `yaml:"remove"`   // one that removes it; empty if there is none
	Variable string            `yaml:"variable"` // how a text refers to a variable of the host's environment; empty if it cannot
	Reload   string            `yaml:"reload"`   // what the user has to do; empty for nothing
	Source   string            `yaml:"source"`   // who says so
	Seen     string            `yaml:"seen"`     // when, as a date
}

//go:embed hosts.yaml
var data []byte

// Hosts returns all hosts, in the order of the file.
func Hosts() ([]*Host, error) { return readHosts(data) }

// readHosts reads the data of hosts. What it does not know is an error.
func readHosts(text []byte) (all []*Host, err error) {
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	var byName map[string]*Host
	if err := d.Decode(&byName); err != nil {
		return nil, fmt.Errorf("hosts.yaml: %w", err)
	}
	var order yaml.Node
	if err := yaml.Unmarshal(text, &order); err != nil {
		return nil, err
	}
	for i := 0; i < len(order.Content[0].Content); i += 2 {
		name := order.Content[0].Content[i]
		h := byName[name.Value]
		h.Name = name.Value
		if err := h.check(); err != nil {
			return nil, fmt.Errorf("hosts.yaml:%d: %s: %w", name.Line, h.Name, err)
		}
		all = append(all, h)
	}
	return all, nil
}

var date = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// placeholders are the words of entries that stand for something else.
var placeholders = []string{"NAME", "PROGRAM", "ARGS", "ENV", "VARIABLES", "URL", "HEADERS", "BEARER", "HEADER_VARIABLES"}

func (h *Host) check() error {
	switch {
	case h.Title == "" || h.Source == "" || !date.MatchString(h.Seen):
		return errors.New("title, source and seen, as a date, are needed")
	case !slices.Contains([]configfile.Format{configfile.JSON, configfile.JSONC, configfile.TOML, configfile.YAML}, h.Format):
		return fmt.Errorf("there is no format %q", h.Format)
	case len(h.Path) == 0 || h.Path[len(h.Path)-1] != "NAME":
		return errors.New("path ends with NAME")
	case h.Entry.Kind != yaml.MappingNode || h.Remote.Kind != 0 && h.Remote.Kind != yaml.MappingNode:
		return errors.New("entry and remote are mappings")
	}
	for system := range h.User {
		if !slices.Contains([]string{"all", "darwin", "linux", "windows"}, system) {
			return fmt.Errorf("there is no system %q", system)
		}
	}
	for _, n := range slices.Concat(h.Entry.Content, h.Remote.Content) {
		if n.Kind != yaml.ScalarNode || upper.MatchString(n.Value) && !slices.Contains(placeholders, n.Value) {
			return fmt.Errorf("%q does not stand for anything", n.Value)
		}
	}
	return nil
}

var upper = regexp.MustCompile(`^[A-Z_]+$`)

// Find returns the host of a name.
func Find(name string) (*Host, error) {
	all, err := Hosts()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range all {
		if h.Name == name {
			return h, nil
		}
		names = append(names, h.Name)
	}
	if near := diag.Closest(name, names); len(near) > 0 {
		return nil, fmt.Errorf("there is no host %q: did you mean %s?", name, near[0])
	}
	return nil, fmt.Errorf("there is no host %q: name one of %s; generic prints what most others read", name, strings.Join(names, ", "))
}

// Server is what is put into a configuration.
type Server struct {
	Name      string // of the entry
	Program   string // an absolute path; empty for a URL
	Arguments []string
	Variables []string // of the environment, which the program gets
	URL       string
	Headers   []Header // of requests for the URL
}

// Header is a header of HTTP. A value may refer to variables of the environment, as ${NAME}.
type Header struct{ Name, Value string }

var (
	reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	bearer    = regexp.MustCompile(`^Bearer \$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
)

// entry returns what stands in the file of a host for a server. Values of variables are asked for where the host cannot refer to them.
func (h *Host) entry(s *Server, value func(name string) (string, error)) (ir.Value, error) {
	template := h.Entry
	if s.URL != "" {
		template = h.Remote
	}
	w := &entryWriter{host: h, server: s, value: value}
	for i := 1; i < len(template.Content); i += 2 {
		w.words = append(w.words, template.Content[i].Value)
	}
	v := ir.Value{Kind: ir.Object}
	for i := 0; i+1 < len(template.Content); i += 2 {
		member, err := w.member(template.Content[i+1])
		if err != nil {
			return v, err
		}
		if member.Kind == ir.Object && member.Fields == nil || member.Kind == ir.Null {
			continue // there is nothing to say
		}
		v.Fields = append(v.Fields, ir.Member{Name: template.Content[i].Value, Value: member})
	}
	return v, nil
}

// entryWriter fills a template.
type entryWriter struct {
	host   *Host
	server *Server
	words  []string // of the template
	value  func(name string) (string, error)
}

// member returns what a word of a template stands for; null or an empty object for nothing.
func (w *entryWriter) member(n *yaml.Node) (v ir.Value, err error) {
	s := w.server
	nothing := ir.Value{Kind: ir.Null, Text: "null"}
	switch n.Value {
	case "NAME":
		return text(s.Name), nil
	case "PROGRAM":
		return text(s.Program), nil
	case "ARGS":
		return ir.TextList(s.Arguments...), nil
	case "URL":
		return text(s.URL), nil
	case "ENV":
		v.Kind = ir.Object
		for _, name := range s.Variables {
			said, err := w.resolve("${" + name + "}")
			if err != nil {
				return v, err
			}
			v.Fields = append(v.Fields, ir.Member{Name: name, Value: text(said)})
		}
		return v, nil
	case "VARIABLES":
		if names := s.allVariables(); names != nil {
			return ir.TextList(names...), nil
		}
		return nothing, nil
	case "BEARER":
		for _, h := range s.Headers {
			if m := bearer.FindStringSubmatch(h.Value); m != nil && strings.EqualFold(h.Name, "Authorization") {
				return text(m[1]), nil
			}
		}
		return nothing, nil
	case "HEADERS", "HEADER_VARIABLES":
		v.Kind = ir.Object
		for _, h := range s.Headers {
			whole := ""
			if m := reference.FindStringSubmatch(h.Value); m != nil && m[0] == h.Value && slices.Contains(w.words, "HEADER_VARIABLES") {
				whole = m[1]
			}
			switch {
			case slices.Contains(w.words, "BEARER") && strings.EqualFold(h.Name, "Authorization") && bearer.MatchString(h.Value):
				continue
			case n.Value == "HEADER_VARIABLES" && whole != "":
				v.Fields = append(v.Fields, ir.Member{Name: h.Name, Value: text(whole)})
			case n.Value == "HEADERS" && whole == "":
				said, err := w.resolve(h.Value)
				if err != nil {
					return v, err
				}
				v.Fields = append(v.Fields, ir.Member{Name: h.Name, Value: text(said)})
			}
		}
		return v, nil
	}
	switch n.ShortTag() {
	case "!!bool":
		return ir.Value{Kind: ir.Boolean, Text: n.Value}, nil
	case "!!int":
		return ir.Value{Kind: ir.Number, Text: n.Value}, nil
	}
	return text(n.Value), nil
}

// resolve returns a text in which variables are referred to as the host does it, or replaced by their values if it cannot.
func (w *entryWriter) resolve(s string) (string, error) {
	var fault error
	said := reference.ReplaceAllStringFunc(s, func(ref string) string {
		name := reference.FindStringSubmatch(ref)[1]
		if w.host.Variable != "" {
			return strings.Replace(w.host.Variable, "NAME", name, 1)
		}
		value, err := w.value(name)
		fault = errors.Join(fault, err)
		return value
	})
	return said, fault
}

// allVariables returns the names of all variables that the server needs.
func (s *Server) allVariables() []string {
	names := slices.Clone(s.Variables)
	for _, h := range s.Headers {
		for _, m := range reference.FindAllStringSubmatch(h.Value, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// HeaderLines returns the headers as lines, with the values of the variables that they refer to.
func (s *Server) HeaderLines(value func(name string) string) (lines []string) {
	for _, h := range s.Headers {
		lines = append(lines, h.Name+": "+reference.ReplaceAllStringFunc(h.Value, func(ref string) string { return value(reference.FindStringSubmatch(ref)[1]) }))
	}
	return lines
}

// obsolete returns the members of an entry that only make sense for the other kind of server.
func (h *Host) obsolete(s *Server) (names []string) {
	this, other := h.Entry, h.Remote
	if s.URL != "" {
		this, other = other, this
	}
	keys := func(n yaml.Node) (all []string) {
		for i := 0; i < len(n.Content); i += 2 {
			all = append(all, n.Content[i].Value)
		}
		return all
	}
	for _, name := range keys(other) {
		if !slices.Contains(keys(this), name) {
			names = append(names, name)
		}
	}
	return names
}

func (h *Host) pathOf(name string) []string {
	p := slices.Clone(h.Path)
	p[len(p)-1] = name
	return p
}

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

// System is the machine that a configuration is on.
type System struct {
	OS       string // as Go calls it
	Home     string // the user's home folder
	Folder   string // of the project
	Getenv   func(name string) string
	LookPath func(program string) (string, error)
}

var withDefault = regexp.MustCompile(`^\$\{([A-Z_]+):-([^}]*)\}`)

// expand returns the path that one in the data stands for.
func (s *System) expand(p string) string {
	if m := withDefault.FindStringSubmatch(p); m != nil {
		if value := s.Getenv(m[1]); value != "" {
			return value + p[len(m[0]):]
		}
		p = m[2] + p[len(m[0]):]
	}
	if rest, ok := strings.CutPrefix(p, "$CFG/"); ok {
		return path.Join(s.config(), rest)
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join(toSlashes(s.Home), rest)
	}
	return p
}

// config returns the folder for configurations of the user.
func (s *System) config() string {
	switch s.OS {
	case "darwin":
		return path.Join(s.Home, "Library/Application Support")
	case "windows":
		if folder := s.Getenv("APPDATA"); folder != "" {
			return toSlashes(folder)
		}
		return path.Join(toSlashes(s.Home), "AppData/Roaming")
	}
	if folder := s.Getenv("XDG_CONFIG_HOME"); path.IsAbs(folder) {
		return folder
	}
	return path.Join(s.Home, ".config")
}

func toSlashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// file returns the file of a host, with forward slashes; empty if it has none.
func (h *Host) file(s *System, project bool) string {
	if project {
		if h.Project == "" {
			return ""
		}
		return path.Join(toSlashes(s.Folder), h.Project)
	}
	for _, system := range []string{s.OS, "all"} {
		if p := h.User[system]; p != "" {
			return s.expand(p)
		}
	}
	return ""
}
