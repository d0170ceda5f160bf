package rpcgen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block returns the first piece of code in a language below a heading of README.md.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## "+heading+"\n")
	code := regexp.MustCompile("(?s)```" + language + "(.*?)```").FindStringSubmatch(section)
	if !found || code == nil {
		t.Fatalf("README.md has no %s below %q", language, heading)
	}
	return code[1]
}

// module writes the schema and the main program below a heading of README.md into a module of their own, example.com/NAME, and
// generates the rest.
func module(t *testing.T, heading, name string) (dir string, lines int) {
	t.Helper()
	schema, main := block(t, heading, "yaml"), block(t, heading, "go")
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for file, text := range map[string]string{
		"go.mod": "module example.com/" + name + "\n\ngo 1.26\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\n" +
			"replace github.com/rpcgen-go/rpcgen => " + root + "\n",
		"rpc/" + name + ".rpc.yaml": schema, "main.go": main,
	} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, root, "", "go", "run", "./cmd/rpcgen", "generate", filepath.Join(dir, "rpc", name+".rpc.yaml"))
	run(t, dir, "", "go", "vet", "-mod=mod", "./...")
	return dir, len(regexp.MustCompile(`(?m)^.*\S`).FindAllString(schema+main, -1))
}

// TestGreeterOfReadme: the first service of README.md compiles and answers.
func TestGreeterOfReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir, _ := module(t, "From a schema to a running server", "greeter")
	for params, want := range map[string]string{
		`{"name":"Ann"}`: `"result":{"text":"Hello, Ann"}`, `{"name":"Nobody"}`: `"code":1001,"message":"nobody here is called Nobody"`,
	} {
		call := `{"jsonrpc":"2.0","id":1,"method":"greeting/get","params":` + params + "}\n"
		if answer := run(t, dir, call, "go", "run", "-mod=mod", "."); !strings.Contains(answer, want) {
			t.Errorf("%s is answered %s", params, answer)
		}
	}
}

// TestInitOfReadme runs the commands of README.md that begin a service.
func TestInitOfReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	commands := block(t, "From a schema to a running server", "\n?go run ./cmd/rpcgen init")
	folder := filepath.Join(t.TempDir(), "greeter")
	script := strings.ReplaceAll("go run ./cmd/rpcgen init"+commands, "../greeter", folder)
	if answer := run(t, ".", "", "sh", "-ec", script); !strings.Contains(answer, `"result":{"text":"Hello, Ann"}`) {
		t.Errorf("it is answered %s", answer)
	}
}

// TestMCPServerOfReadme: the MCP server of README.md has thirty lines, and serves.
func TestMCPServerOfReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir, lines := module(t, "An MCP server in thirty lines", "dice")
	if lines > 30 {
		t.Errorf("they are %d", lines)
	}
	for _, c := range []struct{ arguments, want string }{
		{`{"count":2}`, `"structuredContent":\{"shown":\[[1-6],[1-6]\]\}`},
		{`{"count":101}`, `/count: expected at most 100.*"isError":true`},
		{`{"cuont":2}`, `cuont.*count.*"isError":true`},
	} {
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roll_dice","arguments":` + c.arguments +
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
		if answer := run(t, dir, call, "go", "run", "-mod=mod", "."); !regexp.MustCompile(c.want).MatchString(answer) {
			t.Errorf("%s is answered %s", c.arguments, answer)
		}
	}
}

// run runs a command in a folder, and returns what it writes.
func run(t *testing.T, dir, input string, words ...string) string {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, stderr.String())
	}
	return string(out)
}
