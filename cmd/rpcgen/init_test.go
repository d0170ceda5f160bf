package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestHostSnippets: the configurations for hosts in the README.md of a new project are JSON and name the server.
func TestHostSnippets(t *testing.T) {
	text, err := project{Name: "jotter", Title: "Jotter"}.fill("mcp/README.md.txt")
	if err != nil {
		t.Fatal(err)
	}
	snippets := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(snippets) != 3 {
		t.Errorf("%d snippets", len(snippets))
	}
	for _, s := range snippets {
		var hosts map[string]map[string]struct{ Command, URL string }
		if err := json.Unmarshal([]byte(s[1]), &hosts); err != nil {
			t.Errorf("%v: %s", err, s[1])
		}
		for _, servers := range hosts {
			if server := servers["jotter"]; !strings.HasSuffix(server.Command, "/jotter") && server.URL != "http://localhost:4000/mcp" {
				t.Errorf("the server is %+v", server)
			}
		}
	}
}
