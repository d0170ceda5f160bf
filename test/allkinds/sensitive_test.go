package allkinds_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// TestSensitive looks for what a sensitive field held, in logs and in what is said about values that do not fit.
func TestSensitive(t *testing.T) {
	var log strings.Builder
	var v allkinds.Secret
	if err := json.Unmarshal([]byte(`{"user":"ann","password":"opensesame","pin":4711,"keys":["topsecret"]}`), &v); err != nil {
		t.Fatal(err)
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("a secret", "value", v)
	if text := log.String(); !strings.Contains(text, "value.user=ann") || !strings.Contains(text, "[redacted]") {
		t.Errorf("got %s", text)
	}
	hidden := func(where, text string) {
		for _, secret := range []string{"opensesame", "sesame", "4711", "31415", "99999999999", "topsecret", "k7", "mauve"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %q: %s", where, secret, text)
			}
		}
	}
	hidden("the log", log.String())
	for _, text := range []string{
		`{"user":"ann","password":"sesame","pin":31415,"hint":"mauve","keys":["k7"]}`,
		`{"user":"ann","password":4711,"pin":99999999999,"hint":4711,"keys":"k7"}`,
	} {
		broken, ok := errors.AsType[*rule.Error](json.Unmarshal([]byte(text), &v))
		if !ok || len(broken.Violations) != 4 {
			t.Fatalf("%s: got %v, want four violations", text, broken)
		}
		hidden("the error", broken.Error())
	}
}

// TestExplainSensitive: Options.Explain repeats params, but not those of a method that takes secrets.
func TestExplainSensitive(t *testing.T) {
	d := runtime.NewDispatcher(allkinds.NewHandler(allkinds.UnimplementedServer{}), runtime.Options{Explain: true})
	for _, test := range []struct {
		method, params string
		repeated       bool
	}{
		{"all/secrets", `{"owner":[{"user":"ann","password":"opensesame"},{"user":"bob"}]}`, false},
		{"all/secrets", `{"owner":"opensesame"}`, false},
		{"all/secrets", `[[{"user":"ann","password":"opensesame","pin":"4711"}]]`, false},
		{"all/struct", `{"nam":"opensesame"}`, true},
	} {
		answer := string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":`+test.params+`}`)))
		if !strings.Contains(answer, "-32602") || strings.Contains(answer, "opensesame") != test.repeated || strings.Contains(answer, "4711") {
			t.Errorf("%s of %s: got %s", test.params, test.method, answer)
		}
	}
}
