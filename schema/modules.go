package schema

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

// module is the import path of this module: what is generated from the modules of the language is part of it.
var module = strings.TrimSuffix(reflect.TypeFor[Loader]().PkgPath(), "/schema")

// moduleFiles names, for each module of the language, the file of its types.
var moduleFiles = map[string]string{"mcp": "mcp/module.yaml"}

// builtin leads the names of files that come with rpcgen.
const builtin = "rpcgen:"

// Module implements check.Importer.
func (i importer) Module(name string) (*ir.Document, string, error) {
	f := i.loader.load(builtin + moduleFiles[name])
	if f.err != nil {
		return nil, "", fmt.Errorf("this rpcgen does not have the types of %s: %s", name, reason(f.err))
	}
	if f.doc == nil {
		return nil, "", nil
	}
	return f.doc, module + "/generated/" + f.doc.Package, nil
}

// readModule reads a file that comes with rpcgen.
func (l *Loader) readModule(name string) ([]byte, error) {
	if l.Modules != nil {
		return fs.ReadFile(l.Modules, name)
	}
	if name == moduleFiles["mcp"] {
		return []byte(mcp.Module), nil
	}
	return nil, fs.ErrNotExist
}
