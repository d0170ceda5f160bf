package load

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/settings"
)

// TestPool: what is given stays, the rest fits the schema, and tools that write are not called without a flag.
func TestPool(t *testing.T) {
	input := []byte(`{"type":"object","properties":{"query":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":20}},"required":["query"],"additionalProperties":false}`)
	tools := []remote.ToolListing{
		{Name: "search", Input: input, ReadOnly: true},
		{Name: "add", Input: input},
		{Name: "remove", Input: input, Destructive: true},
	}
	made, skipped, err := (&choice{tool: "search", words: []string{"query=tea"}, seed: 1, vary: 50}).pool(tools)
	if err != nil || len(made) < 15 || len(skipped) != 0 {
		t.Fatal(len(made), skipped, err)
	}
	for _, c := range made {
		var args struct {
			Query string
			Limit *int
		}
		if err := json.Unmarshal(c.Args, &args); err != nil || args.Query != "tea" || args.Limit != nil && (*args.Limit < 1 || *args.Limit > 20) {
			t.Errorf("%s", c.Args)
		}
	}
	again, _, _ := (&choice{tool: "search", words: []string{"query=tea"}, seed: 1, vary: 50}).pool(tools)
	for i := range made {
		if string(made[i].Args) != string(again[i].Args) {
			t.Fatal("the same seed makes other calls")
		}
	}
	for _, one := range []struct {
		flags choice
		want  int
	}{{choice{}, 1}, {choice{allowWrites: true}, 2}, {choice{allowDestructive: true}, 3}} {
		flags, want := one.flags, one.want
		flags.vary = 30
		made, _, err := flags.pool(tools)
		names := map[string]bool{}
		for _, c := range made {
			names[c.Name] = true
		}
		if err != nil || len(names) != want {
			t.Errorf("%+v: %v, %v", flags, names, err)
		}
	}
	for _, one := range []struct {
		choice choice
		want   string
	}{
		{choice{tool: "serch"}, "there is no tool serch; did you mean search?"},
		{choice{tool: "add"}, "no tool may be called: add does not say that it only reads"},
		{choice{plan: settings.Config{Exclude: []string{"se*"}}}, "no tool may be called: --plan leaves search out"},
		{choice{plan: settings.Config{Weights: map[string]int{"serch": 2}}}, "--plan has a weight for serch, and there is no such tool"},
		{choice{tool: "search", words: []string{"quary=x"}}, "quary: there is no such argument; did you mean query?"},
	} {
		if _, _, err := one.choice.pool(tools); err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%+v: %v", one.choice, err)
		}
	}
}

// TestPlan: calls have the values of the plan, and tools are called as often as it says.
func TestPlan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file, []byte("include: [s*, tally]\nargs: {search: {limit: 7}}\nseeds: {query: [tea, mate]}\nweights: {search: 3}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := settings.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	input := []byte(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`)
	c := choice{seed: 1, vary: 60, plan: set}
	calls, skipped, err := c.pool([]remote.ToolListing{{Name: "search", Input: input, ReadOnly: true}, {Name: "tally", Input: []byte(`{"type":"object"}`), ReadOnly: true}, {Name: "other", ReadOnly: true}})
	if err != nil || len(skipped) != 1 {
		t.Fatal(skipped, err)
	}
	made := map[string]int{}
	for _, one := range balance(calls, set.Weights) {
		made[one.Name]++
		if args := string(one.Args); one.Name == "search" && args != `{"limit":7,"query":"tea"}` && args != `{"limit":7,"query":"mate"}` {
			t.Error(args)
		}
	}
	if made["search"] == 0 || made["search"] != 3*made["tally"] {
		t.Error(made)
	}
	for text, want := range map[string]string{"weights: {search: 0}": "weights: search: a weight is from 1 to 1000, not 0", "wait: 3": "the keys are server"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := settings.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBalanced: a tool with one call is called as often as one with many, unless it has a weight.
func TestBalanced(t *testing.T) {
	for want, weights := range map[string]map[string]int{"a1b1a1b2": nil, "a1a1b1a1a1b2": {"a": 2}, "a1b1b2a1b1b2": {"b": 2}} {
		got := ""
		for _, c := range balance([]*Call{{Name: "a", Args: []byte("1")}, {Name: "b", Args: []byte("1")}, {Name: "b", Args: []byte("2")}}, weights) {
			got += c.Name + string(c.Args)
		}
		if got != want {
			t.Errorf("%v: %s", weights, got)
		}
	}
}
