package manifest_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/manifest"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

const shop = `rpcgen: v1
package: shop
description: |
  Orders and <stock> of a shop. With more words.

  And more.
use: [mcp]
server:
  name: shop
  version: 1.2.3
  title: Shop
  icons:
    - {src: https://shop.example/icon.png, mimeType: image/png, sizes: [48x48, 96x96], theme: dark}
    - {src: "data:image/png;base64,AAAA"}
    - {src: https://shop.example/icon.svg, sizes: [any]}
tools:
  find: {description: "Finds \"things\".", input: {words: string}}
  plain: {}
prompts:
  sell: {description: How to sell., arguments: {what: string}}
`

func document(t *testing.T, text string) *ir.Document {
	t.Helper()
	l := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := l.Load("shop.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

// published checks a manifest by its published JSON Schema, whose prose is left out.
func published(t *testing.T, file string, text []byte) {
	t.Helper()
	definition, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer definition.Close()
	parsed, err := jsonschema.UnmarshalJSON(definition)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("file:///"+file, parsed); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MustCompile("file:///" + file).Validate(v); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestRegistry(t *testing.T) {
	got, err := manifest.Registry(document(t, shop), manifest.Options{Name: "io.github.octo/shop"})
	if err != nil {
		t.Fatal(err)
	}
	published(t, "server.schema.json", got)
	if want := `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.octo/shop",
  "title": "Shop",
  "description": "Orders and <stock> of a shop.",
  "version": "1.2.3",
  "icons": [
    {
      "src": "https://shop.example/icon.png",
      "mimeType": "image/png",
      "sizes": [
        "48x48",
        "96x96"
      ],
      "theme": "dark"
    },
    {
      "src": "https://shop.example/icon.svg",
      "sizes": [
        "any"
      ]
    }
  ]
}
`; string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestKeeps: what the schema does not know stays where it stands, and writing again changes nothing.
func TestKeeps(t *testing.T) {
	const old = `{"name": "com.example/shop", "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}], "description": "Old."}`
	got, err := manifest.Registry(document(t, shop), manifest.Options{Old: []byte(old)})
	if err != nil {
		t.Fatal(err)
	}
	published(t, "server.schema.json", got)
	if !strings.HasPrefix(string(got), "{\n  \"name\": \"com.example/shop\",\n  \"version\": \"1.2.3\",\n  \"remotes\": [\n    {\n      \"type\": \"streamable-http\",") {
		t.Errorf("%s", got)
	}
	again, err := manifest.Registry(document(t, shop), manifest.Options{Old: got})
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("%v\n%s", err, again)
	}
	bundle, err := manifest.Bundle(document(t, shop), manifest.Options{Old: []byte(`{"author": {"name": "Ann"}, "server": {"type": "binary", "entry_point": "x", "mcp_config": {"command": "x"}}}`)})
	if err != nil || !strings.Contains(string(bundle), `"entry_point": "x"`) {
		t.Errorf("%v\n%s", err, bundle)
	}
	published(t, "manifest.schema.json", bundle)
}

func TestBundle(t *testing.T) {
	got, err := manifest.Bundle(document(t, shop), manifest.Options{Author: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	published(t, "manifest.schema.json", got)
	for _, want := range []string{
		`"name": "shop"`, `"display_name": "Shop"`, `"entry_point": "server/shop"`, `"command": "${__dirname}/server/shop.exe"`, `"size": "96x96"`,
		`"description": "Finds \"things\"."`, `"prompts_generated": true`, `"long_description": "Orders and <stock> of a shop. With more words.\n\nAnd more."`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

func TestRefused(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for want, run := range map[string]func() ([]byte, error){
		"no MCP server": func() ([]byte, error) {
			return manifest.Registry(document(t, "rpcgen: v1\npackage: a\n"), manifest.Options{Name: "a.b/c"})
		},
		"give --name": func() ([]byte, error) {
			return manifest.Registry(document(t, shop), manifest.Options{Name: "shop"})
		},
		"cannot be read": func() ([]byte, error) {
			return manifest.Registry(document(t, shop), manifest.Options{Old: []byte("[]")})
		},
		"more than 100 characters": func() ([]byte, error) {
			return manifest.Registry(document(t, strings.Replace(shop, "Orders", long+"orders", 1)), manifest.Options{Name: "a.b/c"})
		},
		"shorten server.title": func() ([]byte, error) {
			return manifest.Registry(document(t, strings.Replace(shop, "title: Shop", "title: "+long, 1)), manifest.Options{Name: "a.b/c"})
		},
		"give --author": func() ([]byte, error) { return manifest.Bundle(document(t, shop), manifest.Options{}) },
	} {
		if text, err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q\n%s", err, want, text)
		}
	}
}
