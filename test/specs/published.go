package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// packages is the folder that packages of the npm registry stay in.
const packages = "_npm"

// fetch copies the files into a folder, and returns the name of the first.
func (p *published) fetch(dir string) (string, error) {
	folder := os.DirFS("../..")
	switch {
	case p.NPM != "":
		if err := unpacked(p.NPM); err != nil {
			return "", err
		}
		folder = os.DirFS(folderOf(p.NPM))
	case p.Module != "":
		text, err := exec.Command("go", "mod", "download", "-json", p.Module).Output()
		if err != nil {
			return "", fmt.Errorf("go mod download %s: %w", p.Module, err)
		}
		var at struct{ Dir string }
		if err := json.Unmarshal(text, &at); err != nil {
			return "", err
		}
		folder = os.DirFS(at.Dir)
	}
	for _, name := range p.Files {
		text, err := fs.ReadFile(folder, name)
		if err == nil && p.Components {
			text, err = componentsOf(text)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, path.Base(name)), text, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, path.Base(p.Files[0])), nil
}

// componentsOf is the definitions of JSON Schema that an OpenAPI document has.
func componentsOf(text []byte) ([]byte, error) {
	var document struct {
		Components struct {
			Schemas json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	schemas := strings.ReplaceAll(string(document.Components.Schemas), "#/components/schemas/", "#/definitions/")
	return []byte(`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": ` + schemas + "}"), nil
}

// folderOf is where a package of the npm registry stays.
func folderOf(version string) string {
	return filepath.Join(packages, strings.ReplaceAll(version, "/", "+"))
}

// unpacked fetches a package of the npm registry, unless it is there.
func unpacked(version string) error {
	to := folderOf(version)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(packages, 0o755); err != nil {
		return err
	}
	out, err := exec.Command("npm", "pack", "--silent", "--pack-destination", packages, version).Output()
	if err != nil {
		return fmt.Errorf("npm pack %s: %w", version, err)
	}
	archive, part := filepath.Join(packages, strings.TrimSpace(string(out))), to+".part"
	err = os.MkdirAll(part, 0o755)
	if err == nil {
		err = command("tar", "-xzf", archive, "-C", part, "--strip-components=1")
	}
	if err = errors.Join(err, os.Remove(archive)); err != nil {
		return err
	}
	return os.Rename(part, to)
}
