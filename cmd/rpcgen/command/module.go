package command

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/templates"
)

// modulePath is the path of this module.
func modulePath() string {
	return strings.TrimSuffix(reflect.TypeFor[templates.File]().PkgPath(), "/templates")
}

// enclosingModule returns the path, the folder and the go.mod of the module that folder lies in.
func enclosingModule(folder string) (module, dir, mod string) {
	for dir = folder; ; dir = filepath.Dir(dir) {
		if text, err := file.Read(filepath.Join(dir, "go.mod")); err == nil {
			return moduleLine(text), dir, string(text)
		}
		if dir == filepath.Dir(dir) {
			return "", "", ""
		}
	}
}

func moduleLine(mod []byte) string {
	for line := range strings.SplitSeq(string(mod), "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}
