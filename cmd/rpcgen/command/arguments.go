package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// schemas checks that a command names a schema at least. The error has one that is near.
func schemas(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return fmt.Errorf("name a schema: %s %s", c.CommandPath(), nearbySchema())
}

// nearbySchema returns a schema in the current folder, or in the folder rpc, where init puts it, or else a name to replace.
func nearbySchema() string {
	for _, pattern := range []string{"*" + schemaSuffix, "rpc/*" + schemaSuffix} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		slices.Sort(found)
		if len(found) > 0 {
			return display(found[0])
		}
	}
	return "FILE" + schemaSuffix
}

// versions checks the arguments of diff. Most often the version in git is compared with the one in the file.
func versions(c *cobra.Command, args []string) error {
	switch len(args) {
	case 2:
		return nil
	case 0, 1:
		name := nearbySchema()
		if len(args) == 1 && !strings.HasPrefix(args[0], "git:") {
			name = args[0]
		}
		return fmt.Errorf("name two versions, such as the last commit and the file: %s git:HEAD:%s %[2]s", c.CommandPath(), name)
	}
	return errors.New("name two versions, OLD and NEW, and no more")
}
