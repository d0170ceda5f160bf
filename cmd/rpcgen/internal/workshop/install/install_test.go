package install

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/configfile"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (go test -update): %v\n%s", path, err, got)
	}
}

func hosts(t *testing.T) []*Host {
	t.Helper()
	all, err := Hosts()
	if err != nil || len(all) != 10 {
		t.Fatal(len(all), err)
	}
	return all
}

// machine is a machine in a folder, without programs.
func machine(t *testing.T, env map[string]string) *System {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"home", "project"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return &System{OS: "linux", Home: filepath.Join(dir, "home"), Folder: filepath.Join(dir, "project"),
		Getenv: func(name string) string { return env[name] }, LookPath: func(string) (string, error) { return "", os.ErrNotExist }}
}

// TestPlaces shows where each host keeps its servers on each system.
func TestPlaces(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		System
		env map[string]string
	}{
		{System{OS: "linux", Home: "/home/ann", Folder: "/src/office"}, nil},
		{System{OS: "linux", Home: "/home/ann", Folder: "/src/office"}, map[string]string{"XDG_CONFIG_HOME": "/etc/ann", "CODEX_HOME": "/opt/codex"}},
		{System{OS: "darwin", Home: "/Users/ann", Folder: "/src/office"}, nil},
		{System{OS: "windows", Home: `C:\Users\ann`, Folder: `D:\office`}, map[string]string{"APPDATA": `C:\Users\ann\AppData\Roaming`}},
		{System{OS: "windows", Home: `C:\Users\ann`, Folder: `D:\office`}, nil},
	} {
		s.Getenv = func(name string) string { return s.env[name] }
		fmt.Fprintf(&b, "%s %v\n", s.OS, s.env)
		for _, h := range hosts(t) {
			fmt.Fprintf(&b, "  %-14s user %-60s project %s\n", h.Name, h.file(&s.System, false), h.file(&s.System, true))
		}
	}
	golden(t, "places.txt", b.String())
}

// office is a server of each kind.
var office = map[string]*Server{
	"program": {Name: "office", Program: "/bin/office", Arguments: []string{"--db", `C:\office "1".db`}, Variables: []string{"OFFICE_TOKEN"}},
	"plain":   {Name: "office", Program: "/bin/office"},
	"url": {Name: "office", URL: "https://office.example/mcp", Headers: []Header{
		{"Authorization", "Bearer ${OFFICE_TOKEN}"}, {"X-Team", "a"}, {"X-Key", "${OFFICE_KEY}"}, {"X-Both", "${OFFICE_KEY}/1"}}},
}

func value(name string) (string, error) { return "value of " + name, nil }

// TestEntries shows what each host gets for a server of each kind.
func TestEntries(t *testing.T) {
	var b strings.Builder
	for _, h := range hosts(t) {
		for _, kind := range []string{"program", "plain", "url"} {
			p, err := h.Add(office[kind], machine(t, nil), false, value)
			fmt.Fprintf(&b, "== %s %s\n", h.Name, kind)
			if err != nil {
				fmt.Fprintf(&b, "%v\n", err)
				continue
			}
			fmt.Fprintf(&b, "%s", p.Text)
			if p.File != "" && string(p.New) != p.Text {
				t.Errorf("%s: a new file is not the entry alone:\n%s", h.Name, p.New)
			}
		}
	}
	golden(t, "entries.txt", b.String())
}

// TestCommands shows the commands of hosts that have some.
func TestCommands(t *testing.T) {
	var b strings.Builder
	for _, h := range hosts(t) {
		sys := machine(t, nil)
		sys.LookPath = func(program string) (string, error) { return "/bin/" + program, nil }
		p, err := h.Add(office["program"], sys, false, value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: add %q, undo %q\n", h.Name, p.Command, p.undoing)
		if strings.Contains(fmt.Sprint(p.Command), "value of") {
			t.Errorf("%s: a command line has the value of a variable", h.Name)
		}
	}
	golden(t, "commands.txt", b.String())
}

// existing are files that hosts may have, by format. The last part of each is where the server stands that the file has already, under the name office.
var existing = map[configfile.Format]map[string]string{
	configfile.JSON: {
		"empty":    "",
		"comments": "// mine\n{\n  /* all */ \"PARENT\": {\n    \"a\": {\"command\": \"x\"} // first\n  },\n  \"theme\": \"dark\"\n}\n",
		"tabs":     "{\r\n\t\"PARENT\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t},\r\n\t},\r\n}\r\n",
		"entry":    "{\"PARENT\": {\"office\": {\"disabled\": true, \"command\": \"/old\" /* mine */, \"url\": \"https://old.example\", \"httpUrl\": \"o\", \"serverUrl\": \"o\"}, \"z\": {}}}\n",
		"shape":    "{\"PARENT\": []}\n",
		"twice":    "{\"PARENT\": {\"office\": {}, \"office\": {}}}\n",
		"broken":   "{\"PARENT\": {\"a\": }\n",
	},
	configfile.TOML: {
		"empty":    "",
		"comments": "# mine\nmodel = \"m\" # fast\n\n[PARENT.a] # first\ncommand = 'x'\n\n# end\n",
		"tabs":     "\ufeffmodel = \"m\"\r\n[PARENT.a]\r\n\tcommand = \"x\"\r\n",
		"entry":    "[PARENT.office]\nenabled = false\ncommand = \"/old\" # mine\nurl = \"https://old.example\"\n\n[z]\n",
		"shape":    "[PARENT]\noffice = {command = \"/old\"}\n",
		"twice":    "[PARENT.office]\n[PARENT.office]\n",
		"broken":   "[PARENT\n",
	},
	configfile.YAML: {
		"empty":    "",
		"comments": "# mine\nmodel: m # fast\nPARENT: # all\n  # first\n  a:\n    cmd: x\n# end\n",
		"tabs":     "PARENT:\r\n    a:\r\n        cmd: \"\tx\"\r\n",
		"entry":    "PARENT:\n  office:\n    cmd: /old # mine\n    bundled: true\n    uri: https://old.example\n  z:\n    cmd: z\n",
		"shape":    "PARENT: {a: {cmd: x}}\n",
		"twice":    "PARENT:\n  office:\n    cmd: x\n  office:\n    cmd: y\n",
		"broken":   "PARENT: [a\n",
	},
}

// filesOf returns the files that a host may have.
func filesOf(h *Host) map[string]string {
	f := h.Format
	if f == configfile.JSONC {
		f = configfile.JSON
	}
	files := map[string]string{}
	for name, text := range existing[f] {
		files[name] = strings.ReplaceAll(text, "PARENT", h.Path[0])
	}
	return files
}

// TestFiles shows what becomes of files of each host. Doing it twice is doing it once, undoing it gives the old bytes, and a shape that is not understood stays.
func TestFiles(t *testing.T) {
	var b strings.Builder
	for _, h := range hosts(t) {
		files := filesOf(h)
		for _, name := range []string{"empty", "comments", "tabs", "entry", "shape", "twice", "broken"} {
			sys := machine(t, nil)
			project := h.User == nil
			file := h.file(sys, project)
			if file == "" {
				continue // it is printed
			}
			write(t, file, files[name], 0o640)
			fmt.Fprintf(&b, "== %s %s\n", h.Name, name)
			p, err := h.Add(office["plain"], sys, project, value)
			if err != nil {
				unknown, ok := errors.AsType[*UnknownShape](err)
				if !ok || !strings.Contains(unknown.Error(), "Put this into the file yourself:\n\n") || !strings.Contains(unknown.Text, "/bin/office") {
					t.Errorf("%s %s: %v", h.Name, name, err)
				}
				first, _, _ := strings.Cut(err.Error(), "\n")
				fmt.Fprintln(&b, strings.Replace(first, filepath.Dir(sys.Home), "", 1))
			} else {
				applied(t, p, sys)
				fmt.Fprint(&b, strings.ReplaceAll(strings.ReplaceAll(read(t, file), "\r\n", "\u240d\n"), "\t", "\u2409"))
				again, err := h.Add(office["plain"], sys, project, value)
				if err != nil || !again.Nothing() {
					t.Errorf("%s %s: twice is not once: %v\n%s", h.Name, name, err, again.New)
				}
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%s %s: mode %v, %v", h.Name, name, info.Mode(), err)
				}
				undone(t, h, sys, project, "is as it was before")
			}
			if got := read(t, file); got != files[name] {
				t.Errorf("%s %s: %q is left of %q", h.Name, name, got, files[name])
			}
			if left, err := filepath.Glob(filepath.Dir(file) + "/*rpcgen*"); err != nil || left != nil {
				t.Errorf("%s %s: %q is left, %v", h.Name, name, left, err)
			}
		}
	}
	golden(t, "files.txt", b.String())
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func applied(t *testing.T, p *Plan, sys *System) {
	t.Helper()
	unlock, err := sys.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := p.Apply(sys); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, name string) *Host {
	t.Helper()
	h, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLinks: the file that a symbolic link leads to is written, and the link stays; one that leads nowhere is an error.
func TestLinks(t *testing.T) {
	h, sys := find(t, "cursor"), machine(t, nil)
	file := h.file(sys, false)
	real := filepath.Join(sys.Folder, "real.json")
	write(t, real, "{}", 0o644)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, file); err != nil {
		t.Fatal(err)
	}
	p, err := h.Add(office["plain"], sys, false, value)
	if err != nil || p.File != real {
		t.Fatal(p, err)
	}
	applied(t, p, sys)
	if target, err := os.Readlink(file); err != nil || target != real || !strings.Contains(read(t, real), "office") {
		t.Error(target, err)
	}
	undone(t, h, sys, false, "is as it was before")
	if err := os.Remove(real); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Add(office["plain"], sys, false, value); err == nil || !strings.Contains(err.Error(), "is a link that leads nowhere") {
		t.Error(err)
	}
}

// TestProjects: the last change of the project in this folder is undone, and not that of another one.
func TestProjects(t *testing.T) {
	h, sys := find(t, "vscode"), machine(t, nil)
	here, other := sys.Folder, filepath.Join(filepath.Dir(sys.Folder), "other")
	for _, folder := range []string{here, other} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		sys.Folder = folder
		p, err := h.Add(office["plain"], sys, folder == other, value)
		if err != nil {
			t.Fatal(err)
		}
		if (p.Fallback == "") == (folder == here) {
			t.Errorf("%s: %q", folder, p.Fallback)
		}
		applied(t, p, sys)
	}
	sys.Folder = here
	undone(t, h, sys, false, "it was not there before")
	if _, err := h.Undo(sys, true); err == nil {
		t.Error("the change of another project was undone")
	}
	sys.Folder = other
	undone(t, h, sys, true, "it was not there before")
}

// TestRefused: what cannot be installed is said.
func TestRefused(t *testing.T) {
	sys := machine(t, nil)
	for want, do := range map[string]func() error{
		"cannot say a URL":             func() error { _, err := find(t, "claude-desktop").Add(office["url"], sys, false, value); return err },
		"has no file of a project":     func() error { _, err := find(t, "windsurf").Add(office["plain"], sys, true, value); return err },
		"has no entry office":          func() error { _, err := find(t, "cursor").Drop("office", sys, false); return err },
		"is not a host whose file is":  func() error { _, err := find(t, "generic").Drop("office", sys, false); return err },
		`there is no host "zedd": did`: func() error { _, err := Find("zedd"); return err },
		"there is no value of OFFICE_TOKEN": func() error {
			_, err := find(t, "zed").Add(office["url"], sys, false, func(name string) (string, error) { return "", errors.New("there is no value of " + name) })
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestReader: what the data of hosts may not say is an error with its place.
func TestReader(t *testing.T) {
	const good = "a:\n  title: A\n  format: json\n  path: [b, NAME]\n  entry: {command: PROGRAM}\n  source: s\n  seen: 2026-01-01\n"
	if all, err := readHosts([]byte(good)); err != nil || len(all) != 1 {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"title: A", "titel: A", "field titel not found"},
		{"title: A", "title: ''", "hosts.yaml:1: a: title, source and seen, as a date, are needed"},
		{"seen: 2026-01-01", "seen: lately", "as a date"},
		{"format: json", "format: xml", `there is no format "xml"`},
		{"NAME", "x", "path ends with NAME"},
		{"PROGRAM", "PROGRAMME", `"PROGRAMME" does not stand for anything`},
		{"{command: PROGRAM}", "[PROGRAM]", "entry and remote are mappings"},
		{"source: s", "source: s\n  user: {beos: x}", `there is no system "beos"`},
		{"a:\n", "a:\n  title: B\n", "already defined"},
	} {
		if _, err := readHosts([]byte(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// TestNoSecrets: a value of a variable is written only where the host cannot refer to the variable, and is known to be secret then.
func TestNoSecrets(t *testing.T) {
	for _, h := range hosts(t) {
		for kind, s := range office {
			p, err := h.Add(s, machine(t, nil), false, value)
			if err != nil {
				continue
			}
			if found := regexp.MustCompile(`value of OFFICE_\w+`).FindAllString(p.Text, -1); (len(found) > 0) != (len(p.Secrets) > 0) || len(found) > 0 && (h.Variable != "" || kind == "plain") && h.Format != configfile.TOML {
				t.Errorf("%s %s: %q, %q", h.Name, kind, found, p.Secrets)
			}
		}
	}
}
