package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// try does what users do first, each in an empty folder: it installs the programs, adds the command to a module, begins a server, and builds a program with
// the packages of each module.
func (r *release) try() error {
	for _, step := range []func(string) error{r.install, r.addTool, r.begin} {
		if err := r.inEmptyFolder(step); err != nil {
			return err
		}
	}
	for _, m := range r.modules {
		if err := r.inEmptyFolder(func(folder string) error { return r.link(folder, m) }); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	return nil
}

func (r *release) inEmptyFolder(do func(folder string) error) error {
	folder, err := os.MkdirTemp(r.work, "empty")
	if err != nil {
		return err
	}
	return do(folder)
}

// bin is the folder of the programs that install installs.
func (r *release) bin() string { return filepath.Join(r.work, "bin") }

// install installs both programs, which have to know their version.
func (r *release) install(folder string) error {
	for _, name := range []string{"rpcgen", "rpcgen-go"} {
		if _, err := r.runOffline(folder, "env", "GOBIN="+r.bin(), "go", "install", mainModule+"/cmd/"+name+"@"+r.version); err != nil {
			return err
		}
		said, err := r.run(folder, filepath.Join(r.bin(), name), "version")
		if err != nil {
			return err
		}
		if !strings.HasPrefix(said, name+" "+r.version+" ") {
			return fmt.Errorf("%s version prints %q, and not %s", name, said, r.version)
		}
		r.say("go install: %s", strings.TrimSpace(said))
	}
	return nil
}

// addTool makes the command the tool of a module.
func (r *release) addTool(folder string) error {
	if err := r.each(folder, "go mod init example.com/office", "go get -tool "+mainModule+"/cmd/rpcgen@"+r.version, "go tool rpcgen version"); err != nil {
		return err
	}
	return r.required(folder, "go get -tool")
}

// begin begins an MCP server, as the page on the first one does, and tests it.
func (r *release) begin(folder string) error {
	if err := r.each(folder, filepath.Join(r.bin(), "rpcgen")+" init --mcp jotter"); err != nil {
		return err
	}
	jotter := filepath.Join(folder, "jotter")
	if err := r.each(jotter, "go mod tidy", "go test ./..."); err != nil {
		return err
	}
	return r.required(jotter, "init --mcp, go test")
}

// link builds a program with all packages of a module that are not internal, and its programs.
func (r *release) link(folder string, m *module) error {
	listed, err := r.runOffline(filepath.Join(r.clone, m.folder), "go", "list", "-f", "{{.Name}} {{.ImportPath}} {{len .GoFiles}}", "./...")
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("package main\n\n")
	programs := []string{}
	for line := range strings.Lines(listed) {
		words := strings.Fields(line)
		path := strings.TrimPrefix(words[1], mainModule+"/")
		switch {
		case m.folder == "." && !strings.HasPrefix(path, "runtime/") && path != "runtime" || strings.Contains(path, "internal"), words[2] == "0":
		case words[0] == "main":
			programs = append(programs, words[1])
		default:
			fmt.Fprintf(&text, "import _ %q\n", words[1])
		}
	}
	text.WriteString("\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	commands := []string{"go mod init example.com/user", "go get " + m.path() + "@" + r.version, "go mod tidy", "go build ."}
	for _, program := range programs {
		commands = append(commands, "env GOBIN="+r.bin()+" go install "+program+"@"+r.version)
	}
	if err := r.each(folder, commands...); err != nil {
		return err
	}
	return r.required(folder, "go get "+m.path())
}

// each runs commands without blanks in their arguments.
func (r *release) each(folder string, commands ...string) error {
	for _, command := range commands {
		words := strings.Fields(command)
		if _, err := r.runOffline(folder, words[0], words[1:]...); err != nil {
			return err
		}
	}
	return nil
}

var requirement = regexp.MustCompile(`(?m)^(\t|require )\S+ v`)

// required says what a module requires, and fails if it replaces something.
func (r *release) required(folder, what string) error {
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(folder, "go.sum"))
	if err != nil {
		return err
	}
	if strings.Contains(string(mod), "replace ") {
		return fmt.Errorf("go.mod has a line replace:\n%s", mod)
	}
	r.say("%s: %d requirements, %d lines of go.sum", what, len(requirement.FindAllString(string(mod), -1)), strings.Count(string(sum), "\n"))
	return nil
}
