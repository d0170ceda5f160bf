package mount_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/examples/gateway/mount"
)

// TestConfig gives configurations that are wrong.
func TestConfig(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "servers: name at least one server",
		"servers: {a: {}}":               "servers.a: set either command or url",
		"servers: {a: {comand: [x]}}":    "line 1: field comand not found",
		"servers: {a b: {command: [x]}}": "servers.a b: a name has",
		"servers: {a: {command: [x], url: 'http://x'}}":                               "set either command or url",
		"servers: {a: {command: [x], token: t}}":                                      "token: only a server with url",
		"servers: {a: {url: 'ftp://x'}}":                                              "url: expected an http or https URL",
		"servers: {a: {url: 'http://x', env: {A: b}}}":                                "env: only a server with command",
		"servers: {a: {url: 'http://x', timeout: -1s}}":                               "timeout: it is negative",
		"servers: {a: {url: 'http://x', prefix: 'a b'}}":                              "prefix: it has",
		"servers: {a: {url: 'http://x', prefix: p}, b: {url: 'http://x', prefix: p}}": "servers.b.prefix: a has the same prefix",
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: $NO_SUCH_VARIABLE}}":   "principals.p.token: it is empty",
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t, allow: [b]}}":       `principals.p.allow[0]: there is no server "b"`,
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t, allow: ['[']}}":     `principals.p.allow[0]: "[" is not a pattern`,
		"servers: {a: {command: [x]}}\nprincipals: {p: {token: t}, q: {token: t}}":    "principals.q.token: p has the same token",
	} {
		if _, err := mount.ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
	if _, err := mount.LoadConfig("../gateway.yaml"); err != nil {
		t.Error(err)
	}
}
