package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// bench is where everything is run.
type bench struct {
	root     string            // of the repository
	versions map[string]string // of what comes from npm, by package
}

// cache is a path in the folder that holds what comes from npm and what is built.
func (b *bench) cache(path ...string) string {
	return filepath.Join(append([]string{b.root, cacheFolder}, path...)...)
}

// node is Node.js, in the version that the suite needs.
func (b *bench) node() string { return b.cache("node_modules", "node", "bin", "node") }

// install has everything from npm in the cache, beside a copy of the scripts that use it.
func (b *bench) install(ctx context.Context) error {
	clients := filepath.Join(b.root, clientsFolder)
	if err := copyFiles(b.cache(), clients); err != nil {
		return err
	}
	return errors.Join(b.fetch(ctx, clients), b.readVersions())
}

// copyFiles copies a folder, over what is there.
func copyFiles(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
}

// fetch has npm install what the lock says, unless that was done before.
func (b *bench) fetch(ctx context.Context, clients string) error {
	lock, err := os.ReadFile(filepath.Join(clients, "package-lock.json"))
	if err != nil {
		return err
	}
	done := b.cache("installed.json")
	_, missing := os.Stat(b.node())
	if old, err := os.ReadFile(done); err == nil && missing == nil && bytes.Equal(old, lock) {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not there: install Node.js, of any version; the one that the suite needs is fetched with it")
	}
	fmt.Fprintln(os.Stderr, "fetching the conformance suite, and the clients and servers of others, from npm")
	cmd := exec.CommandContext(ctx, npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = b.cache()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s\nwhat %s/package-lock.json names could not be fetched; it takes a network and the npm registry: %w", out, clientsFolder, err)
	}
	if _, err := os.Stat(b.node()); err != nil {
		return fmt.Errorf("npm has not installed Node.js 22; it may have been told to run no install scripts: %w", err)
	}
	return os.WriteFile(done, lock, 0o644)
}

// readVersions reads which versions those are.
func (b *bench) readVersions() error {
	text, err := os.ReadFile(filepath.Join(b.root, clientsFolder, "package.json"))
	if err != nil {
		return err
	}
	var p struct{ Dependencies map[string]string }
	err = json.Unmarshal(text, &p)
	b.versions = p.Dependencies
	return err
}

// version names a package of MCP with its version.
func (b *bench) version(name string) string {
	return name + " " + b.versions["@modelcontextprotocol/"+name]
}
