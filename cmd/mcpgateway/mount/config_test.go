package mount_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// TestConfig gives configurations that are wrong.
func TestConfig(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "servers: name at least one server",
		"servers: {a: {}}":               "servers.a: set either command or url",
		"servers: {a: {comand: [x]}}":    "line 1: field comand not found",
		"servers: {a b: {command: [x]}}": "servers.a b: a name has",
		"servers: {a: {command: [x], url: 'http://x'}}":                                   "set either command or url",
		"servers: {a: {command: [x], token: t}}":                                          "token: only a server with url",
		"servers: {a: {url: 'ftp://x'}}":                                                  "url: expected an http or https URL",
		"servers: {a: {url: 'http://x', env: {A: b}}}":                                    "env: only a server with command",
		"servers: {a: {url: 'http://x', inherit: [A]}}":                                   "inherit: only a server with command",
		"servers: {a: {command: [x], inherit: ['$A']}}":                                   "inherit: it lists names",
		"servers: {a: {url: 'http://x', timeout: -1s}}":                                   "timeout: it is negative",
		"servers: {a: {url: 'http://x', prefix: 'a b'}}":                                  "prefix: it has",
		"servers: {a: {url: 'http://x', prefix: p}, b: {url: 'http://x', prefix: p}}":     "servers.b.prefix: a has the same prefix",
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: $NO_SUCH_VARIABLE}}":       "principals.p.token: it is empty",
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t, allow: [b]}}":           `principals.p.allow[0]: there is no server "b"`,
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t, allow: ['[']}}":         `principals.p.allow[0]: "[" is not a pattern`,
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t}, q: {token: t}}":        "principals.q.token: p has the same token",
		"servers: {a: {command: [x], login: {}}}":                                         "servers.a: login: only a server with url",
		"servers: {a: {url: 'http://localhost', token: t, login: {}}}":                    "servers.a: login: there is a token already",
		"servers: {a: {url: 'http://localhost', token: $NO_SUCH_VARIABLE}}":               "servers.a: token: it is empty",
		"servers: {a: {url: 'http://x', token: t}}":                                       "servers.a: url: a token is sent over https only",
		"servers: {a: {url: 'http://x', login: {client: c, secret: s}}}":                  "servers.a: url: a token is sent over https only",
		"servers: {a: {url: 'https://u:p@x'}}":                                            "servers.a: url: it must not have a user",
		"servers: {a: {url: 'https://x', login: {}}}":                                     "servers.a: login: set client",
		"servers: {a: {url: 'https://x', login: {client: c}}}":                            "servers.a: login: secret: it is missing",
		"servers: {a: {url: 'https://x', login: {client: c, secret: $NO_SUCH_VARIABLE}}}": "servers.a: login: secret: it is empty",
		"servers: {a: {url: 'https://x', login: {client: c, secret: s, key: k}}}":         "servers.a: login: key: there is a secret already",
		"servers: {a: {url: 'https://x', login: {client: c, key: no-such-file}}}":         "servers.a: login: key: open no-such-file",
		"servers: {a: {url: 'https://x', login: {client: c, key: config_test.go}}}":       "servers.a: login: key: ",
		"servers: {a: {url: 'https://x', login: {secret: s}}}":                            "servers.a: login: client: whose secret",
		"servers: {a: {url: 'https://x', login: {issuer: 'https://y', tokens: .}}}":       "servers.a: login: issuer: it belongs",
		"servers: {a: {url: 'https://x', login: {tokens: no-such-folder}}}":               "servers.a: login: tokens: stat no-such-folder",
		"servers: {a: {url: 'https://x', login: {tokens: config_test.go}}}":               "servers.a: login: tokens: it is not a folder",
		"servers: {a: {url: 'https://x', login: {tokens: $NO_SUCH_VARIABLE}}}":            "servers.a: login: tokens: it is empty",
		"servers: {a: {url: 'https://x', login: {tokens: ., password: p}}}":               "field password not found",
	} {
		if _, err := mount.ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
	if _, err := mount.LoadConfig("../gateway.yaml"); err != nil {
		t.Error(err)
	}
}

// TestWithoutFile: a configuration that is written in Go has the defaults of one in a file.
func TestWithoutFile(t *testing.T) {
	srv, set := dynamicServer(t)
	if err := set.AddTools(mcpdynamic.Tool{Name: "who", Call: reply("it is me")}); err != nil {
		t.Fatal(err)
	}
	g := start(t, &mount.Config{Servers: map[string]mount.Server{"up": {}}}, mount.Options{Dial: func(string, mount.Server) mcpclient.Dialer { return mcpclient.InMemory(srv) }})
	c := connect(t, mcpclient.InMemory(g.Server()), mcpclient.Options{})
	if result, err := c.CallTool(t.Context(), "up_who", runtime.Raw{}); err != nil || said(result) != "it is me" {
		t.Error(said(result), err)
	}
	if _, err := mount.New(&mount.Config{Servers: map[string]mount.Server{"up": {Timeout: -1}}}, mount.Options{}); err == nil || !strings.Contains(err.Error(), "its timeout is negative") {
		t.Error(err)
	}
	nowhere := gateway(t, &mount.Config{Servers: map[string]mount.Server{"up": {}}}, mount.Options{Logger: quiet})
	t.Cleanup(func() { nowhere.Close() })
	if err := nowhere.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), `the server "up" is not connected: set either command or url`) {
		t.Error(err)
	}
}
