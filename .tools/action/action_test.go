// Package action tests what runs in the workflows of others: action.yml and its script, and the hooks of .pre-commit-hooks.yaml.
package action

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// root is the folder of this repository.
var root = func() string {
	here, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return here
}()

// valid reads a YAML file of this repository, and validates it with a schema of testdata.
func valid(t *testing.T, name, schema string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

// TestAction: action.yml is valid, gives each input to the script, and the script reads no other.
func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	valid(t, "action.yml", "github-action.json", &action)
	script, err := os.ReadFile("run.sh")
	if err != nil {
		t.Fatal(err)
	}
	step := action.Runs.Steps[0]
	if len(action.Runs.Steps) != 1 || step.Run != `"$GITHUB_ACTION_PATH/.tools/action/run.sh"` {
		t.Errorf("it runs %v", action.Runs.Steps)
	}
	given := map[string]bool{"working-directory": true}
	for name, value := range step.Env {
		given[strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")] = true
		if !strings.Contains(string(script), name) && name != "GH_TOKEN" {
			t.Errorf("the script does not read %s", name)
		}
	}
	for name := range action.Inputs {
		if !given[name] {
			t.Errorf("the script does not get the input %s", name)
		}
	}
	for _, name := range regexp.MustCompile(`\bRPCGEN_\w+`).FindAllString(string(script), -1) {
		if _, ok := step.Env[name]; !ok {
			t.Errorf("action.yml does not give %s", name)
		}
	}
}

const schema = `rpcgen: v1
package: rpc
methods:
  greet:
    description: Greets.
    params: {name: {type: string, maxLength: 80}}
    result: {text: string}
`

// repository is a repository with a module that has the command as its tool, and a schema. Its first commit is the branch base.
type repository struct {
	*testing.T
	dir string
	env []string
}

// template is the folder of a repository that tests copy, and bin that of the command, built once, and of a go command that starts it as its tool.
var template, bin, goCommand string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "action")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		goCommand, err = exec.LookPath("go")
		if err != nil {
			panic(err)
		}
		template, bin = filepath.Join(dir, "template"), filepath.Join(dir, "bin")
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		return m.Run()
	}())
}

var once sync.Once

func newRepository(t *testing.T) *repository {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the command")
	}
	once.Do(func() { makeTemplate(t) })
	r := repositoryIn(t, t.TempDir())
	if err := os.CopyFS(r.dir, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	return r
}

func repositoryIn(t *testing.T, dir string) *repository {
	return &repository{t, dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(dir, ".none"), "GOWORK=off",
		"GITHUB_STEP_SUMMARY=", "GITHUB_BASE_REF=", "GITHUB_REF=",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false")} // goes on after a commit, while the folder is copied or removed
}

const starter = `#!/bin/sh
if [ "$1 $2" = "tool rpcgen" ] && grep -q '^tool .*/cmd/rpcgen$' go.mod; then
	shift 2
	exec rpcgen "$@"
fi
exec GO "$@"
`

func makeTemplate(t *testing.T) {
	t.Helper()
	r := repositoryIn(t, template)
	r.write("../bin/go", strings.ReplaceAll(starter, "GO", goCommand))
	if err := os.Chmod(filepath.Join(bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "downstream", name))
		if err != nil {
			t.Fatal(err)
		}
		r.write("service/"+name, strings.ReplaceAll(string(text), "=> ../..", "=> "+root))
	}
	r.write("service/rpc/rooms.rpc.yaml", schema)
	r.must("service", goCommand, "run", "-exec", "cp", "github.com/rpcgen-go/rpcgen/cmd/rpcgen", bin) // from the build cache, where go run has it
	r.must("service", "rpcgen", "fmt", "rpc/rooms.rpc.yaml")
	r.generate()
	r.must(".", "git", "init", "--quiet", "--initial-branch", "base")
	r.must(".", "git", "config", "user.name", "test")
	r.must(".", "git", "config", "user.email", "test@localhost")
	r.commit()
	r.must(".", "git", "checkout", "--quiet", "-b", "change")
}

func (r *repository) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// edit replaces a text of the schema.
func (r *repository) edit(old, new string) {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "service/rpc/rooms.rpc.yaml"))
	if err != nil || !strings.Contains(string(text), old) {
		r.Fatalf("%v: %s", err, text)
	}
	r.write("service/rpc/rooms.rpc.yaml", strings.Replace(string(text), old, new, 1))
}

func (r *repository) generate() {
	r.Helper()
	r.must("service", "go", "tool", "rpcgen", "generate", "-q", "rpc/rooms.rpc.yaml")
}

func (r *repository) commit() {
	r.Helper()
	r.must(".", "git", "add", "-A")
	r.must(".", "git", "commit", "--quiet", "-m", "change")
}

func (r *repository) must(dir string, args ...string) string {
	r.Helper()
	out, code := r.run(dir, nil, args...)
	if code != 0 {
		r.Fatalf("%v: %d\n%s", args, code, out)
	}
	return out
}

// run runs a program in a folder of the repository, and returns what it prints and its exit code.
func (r *repository) run(dir string, env []string, args ...string) (string, int) {
	r.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env = filepath.Join(r.dir, dir), append(slices.Clip(r.env), env...)
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		r.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// action runs the script as a runner does, and returns what it prints, the summary and the exit code.
func (r *repository) action(env ...string) (printed, summary string, code int) {
	r.Helper()
	file := filepath.Join(r.TempDir(), "summary")
	printed, code = r.run("service", append([]string{"GITHUB_STEP_SUMMARY=" + file}, env...), filepath.Join(root, ".tools/action/run.sh"))
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		r.Fatal(err)
	}
	return printed, string(text), code
}

const head = "<!-- rpcgen -->\n## rpcgen\n\n| schema | check | lint | diff |\n|---|---|---|---|\n"

// TestRun runs the script for changes of each kind.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		change          func(*repository)
		env             []string
		code            int
		summary         []string // what the summary has, after its head
		printed, absent string
	}{
		"clean": {func(*repository) {}, nil, 0, []string{"| `rpc/rooms.rpc.yaml` | passed | passed | passed |\n"}, "", "::error"},
		"drifted": {func(r *repository) {
			r.edit("    result:", "    # drift\n    result:")
			r.edit("text: string", "text: string, more?: string")
		}, nil, 1,
			[]string{"| `rpc/rooms.rpc.yaml` | **found** | passed | passed |\n", "### check rpc/rooms.rpc.yaml", "### diff rpc/rooms.rpc.yaml"}, "::error file=service/rpc/rpc_types.gen.go,line=1,col=1,endColumn=2::drifted [OutOfDate]%0Arun generate to bring the files up to date", ""},
		"breaking": {func(r *repository) { r.edit("text: string", "words: string"); r.generate() }, nil, 1,
			[]string{"| `rpc/rooms.rpc.yaml` | passed | passed | **found** |\n", "### diff rpc/rooms.rpc.yaml"}, "::error file=service/rpc/rooms.rpc.yaml", ""},
		"allowed": {func(r *repository) { r.edit("text: string", "words: string"); r.generate() }, []string{"RPCGEN_ALLOW=wire,go,typescript"}, 0,
			[]string{"| `rpc/rooms.rpc.yaml` | passed | passed | passed |\n", "### diff rpc/rooms.rpc.yaml"}, "", "::error"},
		"warning": {func(r *repository) { r.edit("    description: Greets.\n", ""); r.generate() }, []string{"RPCGEN_STRICT=true"}, 1,
			[]string{"| passed | **found** | ", "### lint rpc/rooms.rpc.yaml"}, "::warning file=service/rpc/rooms.rpc.yaml", ""},
		"over budget": {func(r *repository) {
			r.edit("methods:", "use: [mcp]\nserver: {name: rooms, version: 1.0.0, budget: {tokens: 10}}\ntools:\n  find: {description: Finds a free room., hints: {readOnly: true}}\nmethods:")
			r.generate()
		}, []string{"RPCGEN_ALLOW=go"}, 1,
			[]string{"| `rpc/rooms.rpc.yaml` | **found** | passed | passed |\n", "### check rpc/rooms.rpc.yaml", "the budget of all tools is 10 tokens", "### budget rpc/rooms.rpc.yaml"},
			"::error file=service/rpc/rooms.rpc.yaml,line=", "OutOfDate"},
		"fault": {func(r *repository) { r.edit("text: string", "text: strin") }, nil, 1,
			[]string{"| **found** | **found** | **found** |\n", "unknown type"}, "::error file=service/rpc/rooms.rpc.yaml", ""},
		"new and removed": {func(r *repository) {
			r.must("service", "git", "mv", "rpc/rooms.rpc.yaml", "rpc/halls.rpc.yaml")
			for _, file := range strings.Fields(r.must("service", "git", "ls-files", "rpc/*.gen.go")) {
				os.Remove(filepath.Join(r.dir, "service", file))
			}
			r.must("service", "rpcgen", "generate", "-q", "rpc/halls.rpc.yaml")
		}, nil, 0, []string{"| `rpc/halls.rpc.yaml` | passed | passed | new |\n", "| `rpc/rooms.rpc.yaml` | - | - | removed |\n"}, "", "::error"},
		"names that git quotes": {func(r *repository) {
			for _, name := range []string{"größe", `a "b"`, " lead", "-v", "a|b`c"} {
				r.write("service/odd/"+name+".rpc.yaml", "rpcgen: v1\ntypes: {A: strin}\n")
			}
			r.write("service/rpc/-v.rpc.yaml", "rpcgen: v1\ntypes: {A: strin}\n")
		}, nil, 1, []string{"| `odd/größe.rpc.yaml` | **found** |", "| `odd/a \"b\".rpc.yaml` | **found** |", "| `odd/ lead.rpc.yaml` | **found** |", "| `odd/a\\|b?c.rpc.yaml` | **found** |", "| `rpc/-v.rpc.yaml` | **found** |"},
			"::error file=service/odd/größe.rpc.yaml,line=2", "file=service/./"},
		"not checked out": {func(r *repository) {
			os.Remove(filepath.Join(r.dir, "service/rpc/rooms.rpc.yaml"))
			r.must("service", "git", "update-index", "--skip-worktree", "rpc/rooms.rpc.yaml")
			r.write("service/other.txt", "")
		}, nil, 3, nil, "::error title=rpcgen::rpc/rooms.rpc.yaml is in git, and not in the working directory", ""},
		"wrong flag": {func(*repository) {}, []string{"RPCGEN_FLAGS=--side middle"}, 2, []string{"| **failed** | passed | passed |"}, "", ""},
		"no schema":  {func(*repository) {}, []string{"RPCGEN_SCHEMAS=a.yaml b.yaml"}, 3, nil, "::error title=rpcgen::no file matches a.yaml b.yaml", ""},
		"no base":    {func(*repository) {}, []string{"RPCGEN_BASE=other"}, 3, nil, "::error title=rpcgen::other is not in this clone and cannot be fetched: use actions/checkout with fetch-depth: 0", ""},
		"no tool": {func(r *repository) {
			r.must("service", "go", "mod", "edit", "-droptool", "github.com/rpcgen-go/rpcgen/cmd/rpcgen")
		}, nil, 3, nil, "does not start: run go get -tool github.com/rpcgen-go/rpcgen/cmd/rpcgen in the module, or set version", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			c.change(r)
			r.commitAny()
			printed, summary, code := r.action(append([]string{"RPCGEN_BASE=base"}, c.env...)...)
			if code != c.code {
				t.Errorf("it exits with %d, and not with %d:\n%s", code, c.code, printed)
			}
			if c.summary != nil && !strings.HasPrefix(summary, head) || strings.Count(summary, "## rpcgen\n") > 1 || c.summary == nil && summary != "" {
				t.Errorf("the summary is\n%s", summary)
			}
			for _, want := range c.summary {
				if !strings.Contains(summary, want) {
					t.Errorf("the summary lacks %q:\n%s", want, summary)
				}
			}
			if !strings.Contains(printed, c.printed) || c.absent != "" && strings.Contains(printed, c.absent) {
				t.Errorf("it prints\n%s", printed)
			}
		})
	}
}

// commitAny commits what has changed, if something has.
func (r *repository) commitAny() {
	r.Helper()
	r.must(".", "git", "add", "-A")
	r.must(".", "git", "commit", "--quiet", "--allow-empty", "-m", "change")
}

// TestShallow: a clone of one commit, as actions/checkout makes it, fetches the base.
func TestShallow(t *testing.T) {
	r := newRepository(t)
	r.edit("text: string", "words: string")
	r.generate()
	r.commit()
	clone := filepath.Join(t.TempDir(), "clone")
	r.must(".", "git", "clone", "--quiet", "--depth=1", "--branch", "change", "file://"+r.dir, clone)
	r.dir = clone
	if printed, summary, code := r.action("GITHUB_BASE_REF=base"); code != 1 || !strings.Contains(summary, "| passed | passed | **found** |") {
		t.Errorf("%d\n%s\n%s", code, printed, summary)
	}
	if printed, summary, code := r.action(); code != 0 || !strings.Contains(summary, "| schema | check | lint |\n|---|---|---|\n| `rpc/rooms.rpc.yaml` | passed | passed |\n") {
		t.Errorf("without a base: %d\n%s\n%s", code, printed, summary)
	}
}

// fakeGH stands for the program of GitHub: it writes down its arguments and the body of the comment, and lists the comment 7.
const fakeGH = `#!/bin/sh
echo "$*" >>"$CALLS"
[ "$DENIED" = "" ] || { echo "HTTP 403: Resource not accessible by integration" >&2; exit 1; }
case "$*" in
*--jq*) [ "$EARLIER" = "" ] || echo 7 ;;
*) cat "${6#body=@}" >>"$CALLS" ;;
esac
`

// TestComment: there is one comment, which later runs replace. Without the right to write one, there is a sentence, and the exit code is that of the findings.
func TestComment(t *testing.T) {
	r := newRepository(t)
	gh := t.TempDir()
	if err := os.WriteFile(filepath.Join(gh, "gh"), []byte(fakeGH), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ env, want, printed string }{
		"first":  {"", "api --method POST repos/o/r/issues/12/comments --field body=@", ""},
		"later":  {"EARLIER=yes", "api --method PATCH repos/o/r/issues/comments/7 --field body=@", ""},
		"denied": {"DENIED=yes", "", "::warning title=rpcgen::the summary is not a comment on the pull request: give the job the right pull-requests: write (HTTP 403: Resource not accessible by integration )"},
	} {
		t.Run(name, func(t *testing.T) {
			calls := filepath.Join(t.TempDir(), "calls")
			printed, summary, code := r.action("PATH="+gh+":"+os.Getenv("PATH"), "CALLS="+calls, "RPCGEN_COMMENT=true", "GITHUB_REF=refs/pull/12/merge", "GITHUB_REPOSITORY=o/r", "RPCGEN_BASE=base", c.env)
			called, err := os.ReadFile(calls)
			if err != nil {
				t.Fatal(err)
			}
			if code != 0 || !strings.Contains(string(called), c.want) || !strings.Contains(printed, c.printed) || c.want != "" && !strings.HasSuffix(string(called), summary) {
				t.Errorf("%d\n%s\n%s", code, printed, called)
			}
		})
	}
}

// TestHooks runs the hooks on staged files, as pre-commit does: those whose names match.
func TestHooks(t *testing.T) {
	type stagedHook struct {
		ID, Entry, Language, Files string
		PassFilenames              *bool `yaml:"pass_filenames"`
	}
	var hooks []stagedHook
	valid(t, ".pre-commit-hooks.yaml", "pre-commit-hooks.json", &hooks)
	entries := map[string][]string{}
	for _, h := range hooks {
		if h.Language != "system" {
			t.Errorf("%s: %s", h.ID, h.Language)
		}
		entries[h.ID] = strings.Fields(h.Entry)
	}
	r := newRepository(t)
	r.dir = filepath.Join(r.dir, "service")
	hook := func(id string) (string, int) {
		var staged []string
		for name := range strings.FieldsSeq(r.must(".", "git", "diff", "--cached", "--name-only", "--relative")) {
			if at := slices.IndexFunc(hooks, func(h stagedHook) bool { return h.ID == id }); regexp.MustCompile(hooks[at].Files).MatchString(name) {
				staged = append(staged, name)
				if pass := hooks[at].PassFilenames; pass != nil && !*pass {
					return r.run(".", nil, entries[id]...)
				}
			}
		}
		if staged == nil {
			t.Fatal("nothing is staged")
		}
		return r.run(".", nil, append(slices.Clip(entries[id]), staged...)...)
	}
	stage := func(old, new string) {
		r.dir = filepath.Dir(r.dir)
		r.edit(old, new)
		r.dir = filepath.Join(r.dir, "service")
		r.must(".", "git", "add", "rpc/rooms.rpc.yaml")
	}
	stage("Greets.", "Greets a guest.")
	if out, code := hook("rpcgen-check"); code != 1 {
		t.Errorf("check of a drifted schema: %d\n%s", code, out)
	}
	r.must(".", "go", "tool", "rpcgen", "generate", "-q", "rpc/rooms.rpc.yaml")
	for _, id := range []string{"rpcgen-fmt", "rpcgen-check", "rpcgen-lint"} {
		if out, code := hook(id); code != 0 {
			t.Errorf("%s: %d\n%s", id, code, out)
		}
	}
	if out := r.must(".", "git", "diff", "--name-only", "--relative", "rpc/rooms.rpc.yaml"); out != "" {
		t.Errorf("fmt changes a canonical schema: %s", out)
	}
	importing := "rpcgen: v1\npackage: halls\nimport: {rooms: ../rpc/rooms.rpc.yaml}\nmethods:\n  hall/find: {description: Finds a hall., result: {room: rooms.Room}}\n"
	r.write("halls/halls.rpc.yaml", importing)
	stage("methods:", "types:\n  Room: {fields: {id: string}}\nmethods:")
	r.must(".", "go", "tool", "rpcgen", "generate", "-q", "./...")
	r.must(".", "git", "add", "-A")
	r.must(".", "git", "commit", "--quiet", "-m", "halls")
	stage("  Room:", "  Suite:")
	r.must(".", "go", "tool", "rpcgen", "generate", "-q", "rpc/rooms.rpc.yaml")
	if out, code := hook("rpcgen-check"); code != 1 || !strings.Contains(out, "halls/halls.rpc.yaml") {
		t.Errorf("check of what is imported: %d\n%s", code, out)
	}
	stage("package: rpc", "package:   rpc")
	hook("rpcgen-fmt")
	if out := r.must(".", "git", "diff", "--name-only", "--relative", "rpc/rooms.rpc.yaml"); out == "" {
		t.Error("fmt leaves the schema as it is")
	}
	stage("text: string", "text: strin")
	if out, code := hook("rpcgen-lint"); code != 1 || !strings.Contains(out, "unknown type") {
		t.Errorf("lint of a fault: %d\n%s", code, out)
	}
}
