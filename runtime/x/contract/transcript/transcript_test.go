package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestThereAndBack(t *testing.T) {
	const text = `rpcgen transcript v1
server: shop 1.4.0, revision 2026-07-28, http
redacted: 2
-- client +0ms --
# 1 POST; content-type: application/json; charset=utf-8; mcp-method: tools/list
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
-- server +12ms --
# 1 200; content-type: application/json
base64:ewogfQ==
base64:
-- client --
-- server --
{}
`
	parsed, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(parsed.Format()); got != text {
		t.Errorf("got\n%s", got)
	}
	if s := parsed.Sections[1]; string(s.Lines[0]) != "{\n }" || len(s.Lines[1]) != 0 || s.After != 12*time.Millisecond || s.HTTP.Status != 200 {
		t.Errorf("%+v", s)
	}
	if got := parsed.Sections[0].HTTP.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Error(got)
	}
}

func TestBadTranscripts(t *testing.T) {
	for text, want := range map[string]string{
		"redacted: many\n":                      "1: redacted is a number",
		"a\n-- client +soon --\n{}\n":           "2: the section",
		"-- client --\n{}\nbase64:?\n":          "3: the text after",
		"-- client --\n# first POST\n{}\n":      "2: the note",
		"-- client --\n# 1 POST; content\n{}\n": "2: \"content\" is not of the form",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("rpcgen transcript v1\n-- client +1ms --\n# 1 POST; a: b\n{}\nbase64:AA==\n-- server --\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(parsed.Format())
		if err != nil || len(again.Sections) != len(parsed.Sections) {
			t.Errorf("%q: %v", parsed.Format(), err)
		}
	})
}

// TestWriter: sections alternate, exchanges have their own, and the attributes stand in the file at the end.
func TestWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txtar")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := NewWriter(file, WriterOptions{Redactor: NewRedactor(RedactOptions{}), Transport: "stdio"})
	now := time.Now()
	say := func(from string, ms int, text string) {
		if err := w.Message(from, now.Add(time.Duration(ms)*time.Millisecond), nil, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say(Client, 0, `{"id":1,"method":"initialize","params":{"token":"abcdefgh"}}`)
	say(Server, 3, `{"id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"1"}}}`)
	say(Server, 4, `starting ...`)
	say(Client, 9, `{"id":2,"method":"x","params":{"a":"is abcdefgh"}}`)
	if err := w.Finish(file); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(name)
	const want = `rpcgen transcript v1
server: shop 1, revision 2025-06-18, stdio
redacted: 1
-- client +0ms --
{"id":1,"method":"initialize","params":{"token":"[redacted:1]"}}
-- server +3ms --
{"id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"1"}}}
base64:c3RhcnRpbmcgLi4u
-- client +6ms --
{"id":2,"method":"x","params":{"a":"is [redacted:1]"}}
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriterFails(t *testing.T) {
	w := NewWriter(full{}, WriterOptions{})
	var err error
	for range 10 {
		err = w.Message(Client, time.Now(), nil, []byte(`"`+strings.Repeat("x", 20<<10)+`"`))
	}
	if err == nil {
		t.Error("there is no error")
	}
}

// TestCutOff: a recording that has no attributes, because its program was killed, counts what is redacted all the same.
func TestCutOff(t *testing.T) {
	parsed, err := Parse([]byte("rpcgen transcript v1\n-- client --\n{\"token\":\"[redacted:7]\"}\n"))
	if err != nil || parsed.Redacted != 7 {
		t.Error(parsed, err)
	}
}

// TestRedact: no planted secret is left, other texts are not changed, and the message stays JSON.
func TestRedact(t *testing.T) {
	pem := "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7\\n-----END RSA PRIVATE KEY-----"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
	for _, one := range []struct{ in, want string }{
		{`{"password":"hunter2"}`, `{"password":"[redacted:1]"}`},
		{`{"api_key":"k1","apiKey":"k1","x-api-key":"k2"}`, `{"api_key":"[redacted:1]","apiKey":"[redacted:1]","x-api-key":"[redacted:2]"}`},
		{`{"pin":1234,"secret":true,"token":null}`, `{"pin":"[redacted:1]","secret":true,"token":null}`},
		{`{"credentials":{"user":"ann","list":["bob"]}}`, `{"credentials":{"user":"[redacted:1]","list":["[redacted:2]"]}}`},
		{`{"properties":{"password":{"type":"string","default":"x"}}}`, `{"properties":{"password":{"type":"string","default":"x"}}}`},
		{`{"dependencies":{"password":{"required":["username"]}},"text":"username"}`, `{"dependencies":{"password":{"required":["username"]}},"text":"username"}`},
		{`{"dependentRequired":{"password":["username"]},"text":"username"}`, `{"dependentRequired":{"password":["username"]},"text":"username"}`},
		{`{"dependentRequired":{"password":"hunter2"},"dependencies":{"password":["hunter3"]}}`, `{"dependentRequired":{"password":"[redacted:1]"},"dependencies":{"password":["[redacted:2]"]}}`},
		{`{"properties":{"password":"hunter2"}}`, `{"properties":{"password":"[redacted:1]"}}`},
		{`{"progressToken":"abc","nextPageToken":"def","maxTokens":5}`, `{"progressToken":"abc","nextPageToken":"def","maxTokens":5}`},
		{`{"text":"Authorization: Bearer abcdef123456"}`, `{"text":"Authorization: Bearer [redacted:1]"}`},
		{`{"text":"` + jwt + `"}`, `{"text":"[redacted:1]"}`},
		{`{"text":"a ` + pem + ` b"}`, `{"text":"a [redacted:1] b"}`},
		{`{"text":"AKIAIOSFODNN7EXAMPLE and ghp_abcdefghijklmnopqrstuvwx"}`, `{"text":"[redacted:1] and [redacted:2]"}`},
		{`{"url":"https://ann:s3cretpw@host/x?access_token=zzzzzz&a=b"}`, `{"url":"https://ann:[redacted:1]@host/x?access_token=[redacted:2]\u0026a=b"}`},
		{`{"text":"{\"password\":\"hunter2\"}"}`, `{"text":"{\"password\":\"[redacted:1]\"}"}`},
		{`{"text":"welcome, hunter2!","password":"hunter2"}`, `{"text":"welcome, [redacted:1]!","password":"[redacted:1]"}`},
		{`{"env":"from the environment: v3ry-l0ng-value"}`, `{"env":"from the environment: [redacted:1]"}`},
		{`{"path":"/home/ann/projects","esc":"a\u0041\n","n":1e3 }`, `{"path":"/home/ann/projects","esc":"a\u0041\n","n":1e3 }`},
		{`not JSON: password=hunter2`, `not JSON: password=[redacted:1]`},
		{`{"v3ry-l0ng-value":1}`, `{"[redacted:1]":1}`},
		{`{"headers":[{"name":"X-Auth-Token","value":"v1abcdef"},{"value":"v2abcdef","key":"DB_PASSWORD"}]}`, `{"headers":[{"name":"X-Auth-Token","value":"[redacted:1]"},{"value":"[redacted:2]","key":"DB_PASSWORD"}]}`},
		{`{"args":["--password", "hunter2","-v","--name","ann"]}`, `{"args":["--password", "[redacted:1]","-v","--name","ann"]}`},
		{`{"apiKeys":["k1"],"jwt":"j1","passwordHash":"h1","tokens":7,"signature":"f(int)"}`, `{"apiKeys":["[redacted:1]"],"jwt":"[redacted:2]","passwordHash":"[redacted:3]","tokens":7,"signature":"f(int)"}`},
		{`{"text":"Authorization: ApiKey abcdef123456"}`, `{"text":"Authorization: ApiKey [redacted:1]"}`},
		{`{"text":"Cookie: a=b1; c=d1\nnext"}`, `{"text":"Cookie: [redacted:1]\nnext"}`},
		{`{"text":"log: {\\\"token\\\": \\\"hunter2\\\"} end"}`, `{"text":"log: {\\\"token\\\": \\\"[redacted:1]\\\"} end"}`},
		{`{"text":"password='two words', MYSQL_PWD=hunter3 API key: hunter4"}`, `{"text":"password='[redacted:2]', MYSQL_PWD=[redacted:3] API key: [redacted:1]"}`},
		{`{"text":"AccountKey=abcdEFGH1234+/==;EndpointSuffix=core"}`, `{"text":"AccountKey=[redacted:1];EndpointSuffix=core"}`},
		{`{"text":"machine h login ann password hunter2"}`, `{"text":"machine h login ann password [redacted:1]"}`},
		{`{"text":"-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdG\n-----END PGP PRIVATE KEY BLOCK----- b"}`, `{"text":"[redacted:1] b"}`},
		{`{"text":"curl -u ann:hunter2 'https://h/x?sig=abcdefgh'"}`, `{"text":"curl -u ann:[redacted:1] 'https://h/x?sig=[redacted:2]'"}`},
		{`{"text":"to https://hooks.slack.com/services/T00/B00/XXXX"}`, `{"text":"to https://hooks.slack.com/services/[redacted:1]"}`},
		{`{"text":"OLDPWD=/home/ann keyboard: qwerty, design: plain"}`, `{"text":"OLDPWD=/home/ann keyboard: qwerty, design: plain"}`},
		{`{"value":"4711","name":"pin"}`, `{"value":"[redacted:1]","name":"pin"}`},
		{`{"value":4711,"name":"pin"}`, `{"value":"[redacted:1]","name":"pin"}`},
		{`{"a":"b","value":{"x":["4711",{"y":true}]},"c":"d","header":"X-Api-Key","e":[1]}`, `{"a":"b","value":{"x":["[redacted:1]",{"y":true}]},"c":"d","header":"X-Api-Key","e":[1]}`},
		{`{"value":{"value":"4711","name":"pin"},"name":"place"}`, `{"value":{"value":"[redacted:1]","name":"pin"},"name":"place"}`},
		{`{"value":"4711","name":"place","type":"x"}`, `{"value":"4711","name":"place","type":"x"}`},
		{`{"text":"log: \"password\": \"hun\\\"ter22x\" end"}`, `{"text":"log: \"password\": \"[redacted:1]\" end"}`},
		{`{"text":"password='hun\\'ter22x' end"}`, `{"text":"password='[redacted:1]' end"}`},
		{`{"api_key":1234567890,"echo":1234567890,"other":12345678901,"text":"got 1234567890"}`, `{"api_key":"[redacted:1]","echo":"[redacted:1]","other":12345678901,"text":"got [redacted:1]"}`},
		{`{"DB_PASS":"a1","secret_key_base":"b2","privateKeyPem":"c3","token_value":"d4","pass_count":"e5"}`, `{"DB_PASS":"[redacted:1]","secret_key_base":"[redacted:2]","privateKeyPem":"[redacted:3]","token_value":"[redacted:4]","pass_count":"e5"}`},
		{`{"tokens":["a1",{"n":2,"t":"b"},3],"device_tokens":"c","max_tokens":7}`, `{"tokens":["[redacted:1]",{"n":2,"t":"[redacted:2]"},3],"device_tokens":"[redacted:3]","max_tokens":7}`},
		{`{"properties":{"tokens":{"type":"array"}}}`, `{"properties":{"tokens":{"type":"array"}}}`},
		{`{"text":"DB_PASS=hunter2 secret_key_base: hunter3, token_value=hunter4"}`, `{"text":"DB_PASS=[redacted:1] secret_key_base: [redacted:2], token_value=[redacted:3]"}`},
		{`{"code":"SplxlOBeZQQ","code_verifier":"dBjftJeZ4CVP","a":{"code":"E123456"}}`, `{"code":"[redacted:2]","code_verifier":"[redacted:1]","a":{"code":"E123456"}}`},
		{`{"code":"SplxlOBeZQQ","grant_type":"authorization_code"}`, `{"code":"[redacted:1]","grant_type":"authorization_code"}`},
		{`{"code":"E123456","message":"no"}`, `{"code":"E123456","message":"no"}`},
		{`grant_type=authorization_code&code=SplxlOBeZQQ&redirect_uri=x`, `grant_type=authorization_code&code=[redacted:1]&redirect_uri=x`},
		{`code=SplxlOBeZQQ&code_verifier=dBjftJeZ4CVP`, `code=[redacted:1]&code_verifier=[redacted:2]`},
		{`{"tax_number":"12345"}`, `{"tax_number":"[redacted:1]"}`},
		{`{"token":"kept"}`, `{"token":"[redacted:1]"}`},
		{`{"csrf_token":"kept"}`, `{"csrf_token":"kept"}`},
	} {
		r := NewRedactor(RedactOptions{
			Names: []string{"taxNumber"}, Keep: []string{"csrf_token"},
			Environ: []string{"A=v3ry-l0ng-value", "HOME=/home/ann/projects", "SHORT=tiny"},
		})
		got := string(r.Line([]byte(one.in)))
		if got != one.want {
			t.Errorf("%s\n  got  %s\n  want %s", one.in, got, one.want)
		}
		if json.Valid([]byte(one.in)) && !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

// TestRedactStays: the same secret has the same number in all messages, also where it is percent-encoded.
func TestRedactStays(t *testing.T) {
	r := NewRedactor(RedactOptions{})
	r.Line([]byte(`{"token":"a b/c+d"}`))
	got := string(r.Line([]byte(`{"q":"x=a+b%2Fc%2Bd","r":"a b/c+d"}`)))
	if got != `{"q":"x=[redacted:1]","r":"[redacted:1]"}` {
		t.Error(got)
	}
}

// TestRedactForgets: what is known is bounded, the oldest is forgotten first, and what stands in the environment never is.
func TestRedactForgets(t *testing.T) {
	r := NewRedactor(RedactOptions{Environ: []string{"A=v3ry-l0ng-value"}})
	for i := range 5000 {
		secret := fmt.Sprintf("Secret-%06d", i)
		r.Line([]byte(`{"password":"` + secret + `"}`))
		if i%100 == 0 {
			if got := string(r.Line([]byte(`{"echo":"` + secret + `","env":"v3ry-l0ng-value"}`))); strings.Contains(got, secret) || strings.Contains(got, "v3ry") {
				t.Fatal(got)
			}
		}
	}
	all := strings.Repeat(`{"password":"x"},`, 3*mostKnown)
	for i := range 3 * mostKnown {
		all = strings.Replace(all, `"x"`, fmt.Sprintf(`"Another-%06d"`, i), 1)
	}
	if got := string(r.Line([]byte("[" + all + "1]"))); strings.Contains(got, "Another") {
		t.Error("a secret of a message with many is left")
	}
	if len(r.known) > mostKnown+3 {
		t.Errorf("%d forms are known", len(r.known))
	}
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"password":["a",{"b":1}],"t":"{\"token\":\"x\"}"}`))
	f.Add([]byte(` [1,"a\\\"b",{}] `))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewRedactor(RedactOptions{Environ: []string{"A=abcabcabcabc"}})
		out := r.Line(bytes.Clone(in))
		if json.Valid(in) != json.Valid(out) && json.Valid(in) {
			t.Errorf("%q -> %q", in, out)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor(RedactOptions{Environ: []string{"A=abcabcabcabc", "B=defdefdefdef"}})
	message := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("some words of a result. ", 20) + `"}],"isError":false}}`)
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		r.Line(message)
	}
}

// TestTranscriptsOfTests: the transcripts that the tests of the runtime play have the same format.
func TestTranscriptsOfTests(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../../testdata/transcripts/*.txtar", "../../../internal/mcp/transcripts/testdata/transcripts/*.txtar", "../../../../test/toolbox/testdata/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		parsed, err := ParseFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		text, _ := os.ReadFile(file)
		lines := 0
		for _, s := range parsed.Sections {
			lines += 1 + len(s.Lines)
			for _, line := range s.Lines {
				if !bytes.Contains(text, append(bytes.Clone(line), '\n')) {
					t.Errorf("%s: the line %s is not read as it is written", file, line)
				}
			}
		}
		archive := bytes.Count(text[bytes.Index(text, []byte("-- ")):], []byte("\n"))
		if lines != archive {
			t.Errorf("%s: %d lines of %d are read", file, lines, archive)
		}
	}
}
