package mount

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestEnvironment: a program gets what it needs to start, what the configuration names and nothing else: neither the tokens of principals nor what other servers need.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{"ANN_TOKEN": "ann", "SHOP_TOKEN": "shop", "OWN_TOKEN": "own", "PROXY": "http://proxy", "LANG": "C"} {
		t.Setenv(name, value)
	}
	c, err := ParseConfig([]byte(`
servers:
  files: {command: [env], env: {A: b, LANG: de}, inherit: [OWN_TOKEN, PROXY, NOT_SET]}
  other: {command: [env]}
  shop: {url: "https://shop.example", token: $SHOP_TOKEN}
principals:
  ann: {token: $ANN_TOKEN, allow: ["*"]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"files": "A=b LANG=de OWN_TOKEN=own PROXY=http://proxy", "other": "LANG=C"} {
		s := c.Servers[name]
		cmd := exec.Command(s.Command[0])
		cmd.Env = environment(&s)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(out)) {
			key, _, _ := strings.Cut(line, "=")
			if !slices.Contains(commonVariables[:], key) || key == "LANG" {
				got = append(got, strings.TrimSpace(line))
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: got %s, want %s", name, text, want)
		}
	}
}
