package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// revisions are those that the suite has requirements for.
var revisions = []string{"2025-11-25", "2026-07-28"}

// legacy are the scenarios for clients that no revision of those requires, by the revision that they are about: its servers authorize
// clients without the metadata that later ones have.
var legacy = map[string][]string{
	"2025-03-26": {"auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"},
}

// suite runs the conformance suite: one server at one URL for all revisions, and the client in one scenario after the other.
func (b *bench) suite(ctx context.Context, t *table) error {
	if err := b.suiteServers(ctx, t, "", b.cache("conformance"), "-http", "127.0.0.1:{port}"); err != nil {
		return err
	}
	if err := b.suiteServers(ctx, t, "three replicas, ", b.clusterCommand()...); err != nil {
		return err
	}
	for _, revision := range revisions {
		wanted, err := b.requirements(revision)
		if err != nil {
			return err
		}
		err = errors.Join(
			b.suiteClient(ctx, t, "client, required", revision, wanted.Client),
			b.suiteClient(ctx, t, "client, not scored", revision, wanted.notScored("client")),
		)
		if err != nil {
			return err
		}
	}
	for revision, names := range legacy {
		if err := b.suiteClient(ctx, t, "client, OAuth without metadata", revision, names); err != nil {
			return err
		}
	}
	return nil
}

// suiteServers runs the scenarios for servers, of all revisions, against what a command starts.
func (b *bench) suiteServers(ctx context.Context, t *table, where string, command ...string) error {
	s, err := b.serve(ctx, command...)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, revision := range revisions {
		if err := b.suiteServer(ctx, t, where, s.url, revision); err != nil {
			return err
		}
	}
	return nil
}

// clusterCommand starts NATS, three replicas of the server and a balancer, from which each replica gets every third request.
func (b *bench) clusterCommand() []string {
	return []string{b.cache("cluster"), "-replica", b.cache("replica"), "-serve", "127.0.0.1:{port}"}
}

// conformance runs the suite, and returns what each scenario has found, and how the suite ended: for a set of scenarios that says less.
func (b *bench) conformance(ctx context.Context, args ...string) (found map[string][]check, ended, err error) {
	out, err := os.MkdirTemp(b.cache(), "results-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(out)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	program := b.cache("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	cmd := b.command(ctx, "", append(append([]string{b.node(), program}, args...), "-o", out)...)
	text, ended := cmd.CombinedOutput()
	found, err = readChecks(out)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the suite has run no scenario: %w\n%s", ended, text)
	}
	return found, ended, err
}

// suiteServer runs the scenarios for servers: those that are required, those that are not scored, and those of the extension for tasks.
func (b *bench) suiteServer(ctx context.Context, t *table, where, url, revision string) error {
	found, _, err := b.conformance(ctx, "server", "--url", url, "--requirements", revision, "--timeout", "15000")
	if err != nil {
		return err
	}
	wanted, err := b.requirements(revision)
	if err != nil {
		return err
	}
	required := wanted.Server
	parts := []struct {
		name string
		has  func(name string) bool
	}{
		{"server, required", func(name string) bool { return slices.Contains(required, name) }},
		{"server, not scored", func(name string) bool { return !slices.Contains(required, name) && !isTask(name) }},
		{"server, tasks extension", isTask},
	}
	for _, part := range parts {
		l := &leg{name: b.version("conformance") + ": " + where + part.name, revision: revision}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if part.has(name) {
				l.count(t, name, found[name])
			}
		}
		if l.total > 0 {
			t.legs = append(t.legs, l)
		}
	}
	return nil
}

// isTask reports whether a scenario is about the extension for tasks.
func isTask(name string) bool { return strings.HasPrefix(name, "tasks-") }

// suiteClient runs scenarios for clients, each by itself: then a client that exits with an error fails, too. A scenario about an extension
// belongs to no revision; it is run at this one all the same.
func (b *bench) suiteClient(ctx context.Context, t *table, part, revision string, names []string) error {
	l := &leg{name: b.version("conformance") + ": " + part, revision: revision}
	for _, name := range names {
		found, ended, err := b.conformance(ctx, "client", "--command", b.cache("conformance")+" -client", "--scenario", name, "--spec-version", revision, "--force")
		if err != nil {
			return err
		}
		for _, checks := range found {
			if ended != nil {
				checks = append(checks, check{ID: "exit", Status: "FAILURE", Description: "the suite and the client end without an error", ErrorMessage: ended.Error()})
			}
			l.count(t, name, checks)
		}
	}
	t.legs = append(t.legs, l)
	return nil
}

// count counts a scenario. Warnings count as faults of it, too.
func (l *leg) count(t *table, name string, checks []check) {
	l.total++
	good := true
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			l.checks++
			continue
		case "FAILURE":
			l.faults++
		case "WARNING":
			l.warns++
		default:
			continue
		}
		good = false
		t.fault("%s %s: %s: %s %s: %s %s", l.name, l.revision, name, c.Status, c.ID, c.Description, c.ErrorMessage)
	}
	if good {
		l.passed++
	}
}

// check is one thing that a scenario looks at.
type check struct{ ID, Status, Description, ErrorMessage string }

// resultFolder is the path of the folder of a scenario's results: with the leg for servers, and the time.
var resultFolder = regexp.MustCompile(`^(?:server-)?(.*)-\d{4}-\d\d-\d\dT[\dZ-]+$`)

// readChecks reads what the scenarios have found.
func readChecks(folder string) (map[string][]check, error) {
	found := make(map[string][]check)
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		path, err := filepath.Rel(folder, filepath.Dir(file))
		if err != nil {
			return err
		}
		name := resultFolder.FindStringSubmatch(filepath.ToSlash(path))
		if name == nil {
			return fmt.Errorf("%s: no folder of a scenario", file)
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found[name[1]] = checks
		return nil
	})
	return found, err
}

// requirements are the scenarios of a revision.
type requirements struct {
	Server, Client []string
	NotScored      []struct{ Scenario, Leg string } `yaml:"not_scored"`
}

// notScored returns the scenarios of a leg that the revision does not require.
func (r *requirements) notScored(leg string) (names []string) {
	for _, s := range r.NotScored {
		if s.Leg == leg {
			names = append(names, s.Scenario)
		}
	}
	return names
}

// requirements reads which scenarios a revision has.
func (b *bench) requirements(revision string) (*requirements, error) {
	text, err := os.ReadFile(b.cache("node_modules", "@modelcontextprotocol", "conformance", "requirements", revision+".yaml"))
	if err != nil {
		return nil, err
	}
	r := new(requirements)
	if err := yaml.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if len(r.Server) == 0 || len(r.Client) == 0 {
		return nil, errors.New("the suite requires nothing for " + revision)
	}
	return r, nil
}
