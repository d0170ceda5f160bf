package typecheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Packages finds the packages that code imports.
type Packages interface {
	// find returns what imports packages, and why not all of paths can be imported; empty if they can.
	find(paths []string) (found types.Importer, reason string)
}

// GoCommand finds packages by the go command, as seen from a folder. Nothing is fetched, no
// C compiler, version control or other program but those of the Go toolchain runs, and what is compiled is not run.
type GoCommand struct {
	Dir   string        // empty for the current folder
	Limit time.Duration // for compiling what is not in the build cache yet; 0 if none
}

// find implements Packages. Those of the standard library are looked for last: the others import most of them, and where one of these is not found, not all
// types are known anyway, and listing the standard library would take most of the time.
func (g GoCommand) find(paths []string) (types.Importer, string) {
	ctx := context.Background()
	if g.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, g.Limit)
		defer cancel()
		ctx = limited
	}
	exports, reason := map[string]string{}, ""
	for _, last := range []bool{false, true} {
		missing := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return exports[path] != "" || standard(path) != last })
		if err := g.list(ctx, missing, exports); err != nil {
			return noPackages{}, err.Error()
		}
		if i := slices.IndexFunc(missing, func(path string) bool { return exports[path] == "" }); i >= 0 {
			reason = fmt.Sprintf("the go command finds no package %s from here", missing[i])
			break
		}
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := exports[path]
		if file == "" {
			return nil, fmt.Errorf("%s is not found", path)
		}
		return os.Open(file)
	}), reason
}

// standard reports whether a path is one of the standard library, whose first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// offlineEnv is what the go command may not do, whatever go.mod and the settings of go env ask for: fetch modules, from private hosts either
// (GONOPROXY), or toolchains, and run version control, C compilers or a program for passwords or the build cache.
var offlineEnv = []string{"GOPROXY=off", "GONOPROXY=none", "GOVCS=*:off", "GOAUTH=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOCACHEPROG="}

// commandError returns why the go command failed, which it has said on its standard error, and what helps.
func commandError(said string, err error) error {
	line, _, _ := strings.Cut(strings.TrimPrefix(said, "go: "), "\n")
	line, _, asks := strings.Cut(line, "; to ") // what it says then is of one module, and there may be others
	switch {
	case line == "":
		return fmt.Errorf("the go command failed: %w", err)
	case asks:
		return fmt.Errorf("the go command failed: %s: run go mod tidy", line)
	}
	return fmt.Errorf("the go command failed: %s", line)
}

// list adds the files with the export data of packages and of what they import.
func (g GoCommand) list(ctx context.Context, paths []string, exports map[string]string) error {
	if len(paths) == 0 {
		return nil
	}
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-export", "-deps", "-toolexec=", "-buildvcs=false", "-f",
		"{{.ImportPath}}\t{{.Export}}", "--"}, paths...)...)
	command.Dir = g.Dir
	command.Env = append(os.Environ(), offlineEnv...)
	command.WaitDelay = time.Second
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("there is no go command")
	case ctx.Err() != nil:
		return fmt.Errorf("the go command did not end within %s", g.Limit)
	case err != nil:
		return commandError(said.String(), err)
	}
	for line := range strings.Lines(out.String()) {
		path, file, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		exports[path] = file
	}
	return nil
}
