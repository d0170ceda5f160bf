package hosts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFiles reads the file of each host. Every limit has a source and a day. Limits whose day is long ago are logged, since they are worth looking up again.
func TestFiles(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		h, faults := Parse(e.Name(), text)
		if h == nil {
			t.Fatalf("%s: %v", e.Name(), faults)
		}
		if h.Name+".yaml" != e.Name() || h.Title == "" {
			t.Errorf("%s is about %q, %q", e.Name(), h.Name, h.Title)
		}
		limits := slices.Clone(h.Limits)
		for _, m := range h.Modes {
			limits = append(limits, m.Limits...)
		}
		if len(limits) == 0 {
			t.Errorf("%s has no limits", e.Name())
		}
		for _, l := range limits {
			if len(l.Source) < 5 || l.Seen.Year() < 2024 || l.Seen.After(time.Now()) {
				t.Errorf("%s: the source of %s is %q of %s", l.Pos, l.Key, l.Source, l.Seen)
			}
			if time.Since(l.Seen) > Old {
				t.Logf("%s: %s was seen on %s, more than 180 days ago", l.Pos, l.Key, l.Seen.Format(time.DateOnly))
			}
		}
	}
	if err := Known().Check(); err != nil {
		t.Error(err)
	}
}

// TestParse: what is wrong with a file is said where it stands.
func TestParse(t *testing.T) {
	const limit = "{value: 5, on: drop, source: a page, seen: 2026-01-02, sure: read}"
	for text, want := range map[string]string{
		"host: a\nkind: host\nlimits:\n  tols: " + limit: `a.yaml:4:3: there is no limit "tols" (did you mean "tools"?)`,
		"host: a\nkind: host\nlimit: {}\nlimits: {}\n":   `a.yaml:3:1: a host has no key "limit" (did you mean "limits"?)`,
		"host: a\nkind: hosts\nlimits: {}\n":             `a.yaml:2:7: kind cannot be "hosts" (write host or api)`,
		"host: a\nkind: host\n":                          `a.yaml:1:1: a host has no limits (add limits:)`,
		"host: a\nkind: host\nlimits:\n  tools: {value: many, on: drop, source: x, seen: 2026-01-02, sure: read}":             `a.yaml:4:18: the value of tools is a number above zero ()`,
		"host: a\nkind: host\nlimits:\n  tools: {value: 5, on: drop, source: x, seen: January, sure: read}":                   `a.yaml:4:48: "January" is not a day (write the day as YYYY-MM-DD)`,
		"host: a\nkind: host\nlimits:\n  tools: {value: 5, on: drop, seen: 2026-01-02, sure: read}":                           `a.yaml:4:10: a limit has no source (add source:)`,
		"host: a\nkind: host\nlimits:\n  tools: {value: 5, on: drop, source: x, sure: read}":                                  `a.yaml:4:10: a limit has no seen (add seen:)`,
		"host: a\nkind: host\nlimits:\n  tools: {value: 5, on: drop, source: x, seen: 2026-01-02, sure: read, was: [{v: 1}]}": `a.yaml:4:78: an older value has no value (add value:)`,
		"host: a\nkind: host\nlimits:\n  toolName: {value: '[', on: drop, source: x, seen: 2026-01-02, sure: read}":           "a.yaml:4:21: the value of toolName is a regular expression: error parsing regexp: missing closing ]: `[` ()",
		"host: a\nkind: host\nlimits: {closed: {value: false, on: drop, source: x, seen: 2026-01-02, sure: read}}":            `a.yaml:3:26: the value of closed cannot be "false" (write true)`,
		"host: [": `a.yaml:1:1: did not find expected node content ()`,
	} {
		h, faults := Parse("a.yaml", []byte(text))
		if h != nil || len(faults) == 0 {
			t.Errorf("%q: no fault", text)
			continue
		}
		if got := fmt.Sprintf("%s: %s (%s)", faults[0].Span.Pos, faults[0].Message, faults[0].Help); got != want {
			t.Errorf("%q:\n%s, want\n%s", text, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	names := func(held []Held) string {
		var all []string
		for _, h := range held {
			if !slices.Contains(all, h.Name()) {
				all = append(all, h.Name())
			}
		}
		return strings.Join(all, " ")
	}
	for host, want := range map[string]string{
		"cursor":        "cursor openai anthropic", // gemini is direct: hosts convert schemas for it
		"gemini-cli":    "gemini-cli",
		"gemini":        "gemini",
		"openai:strict": "openai openai:strict",
		"usual":         "usual vscode claude-code cursor windsurf codex gemini-cli zed openai anthropic bedrock",
	} {
		held, err := Known().Select(host)
		if err != nil || names(held) != want {
			t.Errorf("%s: %q, %v, want %q", host, names(held), err, want)
		}
	}
	for host, want := range map[string]string{
		"curser":       `there is no host "curser" (did you mean "cursor"?)`,
		"openai:stric": `openai has no mode "stric" (did you mean "openai:strict"?)`,
		"cursor:x":     `cursor has no modes: write --host cursor`,
	} {
		if _, err := Known().Select(host); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", host, err, want)
		}
	}
}

func TestFullName(t *testing.T) {
	const server = "conference-office-of-the-city"
	for host, want := range map[string]string{
		"claude-code": "mcp__conference-office-of-the-city__find",
		"vscode":      "mcp_conference-office-_find",
		"anthropic":   "mcp__conference-office-of-the-city__find", // that of Claude Code is the longest
		"zed":         "find",
	} {
		if got := Known().FullName(Known().Host(host), server, "find"); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}
