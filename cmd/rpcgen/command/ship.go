//go:build !bootstrap

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/ship"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// shipFlags are the flags of ship.
type shipFlags struct {
	ship.Options
	schema       string
	version      string
	archs        []string
	manifest     string
	serverJSON   string
	certificates string
	workflow     bool
}

// workflowFile is where ship writes a workflow.
var workflowFile = filepath.Join(".github", "workflows", "ship.yaml")

func newShip() *cobra.Command {
	var flags shipFlags
	c := &cobra.Command{
		Use:   "ship PACKAGE --name NAME --out FOLDER [-- ARG...]",
		Short: "Make what an MCP server is published with: programs, a bundle, an image, server.json",
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if args, flags.Arguments, err = remote.SplitAtDash(c, args); err != nil {
				return err
			}
			if len(args) != 1 {
				return usageError{errors.New("name the package of one program, such as ./cmd/office")}
			}
			flags.Package = args[0]
			ctx, stop := remote.UntilStopped(c.Context())
			defer stop()
			flags.Check = answerOf
			flags.Say = c.OutOrStdout()
			return flags.run(ctx, c)
		},
	}
	f := c.Flags()
	f.StringVar(&flags.Name, "name", "", "the server's name in the registry, such as io.github.octo/office")
	f.StringVar(&flags.version, "version", "", "the version that is shipped, which has to be that of the schema (default: that of the schema)")
	f.StringVarP(&flags.Out, "out", "o", "", "write to this `folder`")
	f.StringVar(&flags.Author, "author", "", "who made the server, for the bundle")
	f.StringVar(&flags.schema, "schema", "", "the `file` of the server's schema (default: the one in the folders of the program's packages)")
	f.StringSliceVar(&flags.archs, "mcpb-arch", []string{"amd64"}, "the processors of Windows and Linux in bundles; with arm64 a second bundle is made")
	f.StringVar(&flags.Download, "download", "", "the `URL` of the folder that the files will be in, such as that of a release; without it, server.json does not name the bundle")
	f.StringVar(&flags.Image, "image", "", "where the image will be, without a tag, such as ghcr.io/octo/office; without it, server.json does not name the image")
	f.StringVar(&flags.certificates, "certificates", "", "a PEM `file` with the authorities that programs in the image trust")
	f.StringVar(&flags.manifest, "manifest", "", "the `file` manifest.json that is completed for the bundle, such as one with user_config")
	f.StringVar(&flags.serverJSON, "server-json", "", "the `file` server.json that is completed, such as one with remotes")
	f.StringVar(&flags.LDFlags, "ldflags", "", "further `flags` for the linker")
	f.BoolVar(&flags.workflow, "workflow", false, "also write "+filepath.ToSlash(workflowFile)+", which ships a tag")
	return c
}

func (f *shipFlags) run(ctx context.Context, c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	var err error
	for _, one := range []struct {
		name string
		text *[]byte
	}{{f.manifest, &f.Manifest}, {f.serverJSON, &f.ServerJSON}, {f.certificates, &f.Certificates}} {
		if one.name != "" {
			if *one.text, err = file.Read(one.name); err != nil {
				return err
			}
		}
	}
	if f.Doc, err = f.document(ctx, c); err != nil {
		return err
	}
	if f.Doc.Server == nil {
		return fmt.Errorf("%s declares no MCP server: add server to it", display(f.Doc.File))
	}
	if f.version != "" && f.version != f.Doc.Server.Version {
		return fmt.Errorf("the schema %s says version %s, and --version %s: change one of them", display(f.Doc.File), f.Doc.Server.Version, f.version)
	}
	flow := change{path: workflowFile, new: ship.Workflow(f.forWorkflow())}
	if f.workflow {
		old, err := file.Read(flow.path)
		if err == nil && !bytes.Equal(old, flow.new) {
			return fmt.Errorf("%s is there already, and is another workflow: remove it, or leave --workflow out", display(flow.path))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	done := showWait(c.ErrOrStderr(), remote.Interactive(os.Stderr), "building the programs, which takes minutes for the first time")
	err = ship.Run(ctx, f.Options)
	if done(); err != nil {
		return err
	}
	if !f.workflow {
		return nil
	}
	if err := flow.apply(); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "\n%s: ships a tag such as v%s\n", display(flow.path), f.Doc.Server.Version)
	return nil
}

var imageName = text.Pattern(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+$`)

func (f *shipFlags) check() error {
	for _, arch := range f.archs {
		if arch != "amd64" && arch != "arm64" {
			return usageError{fmt.Errorf("--mcpb-arch is amd64 or arm64, not %q", arch)}
		}
	}
	f.ARM = slices.Contains(f.archs, "arm64")
	if f.Name == "" && f.serverJSON == "" {
		return usageError{errors.New("give --name, by which the registry knows the server, such as io.github.octo/office")}
	}
	if f.Out == "" {
		return usageError{errors.New("give --out, the folder for the files, such as dist")}
	}
	if f.Download != "" {
		if u, err := url.Parse(f.Download); err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return usageError{fmt.Errorf("--download is the https URL of a folder, not %q", f.Download)}
		}
	}
	if f.Image != "" && !imageName().MatchString(f.Image) {
		return usageError{fmt.Errorf("--image is a registry and a path in small letters, without a tag, such as ghcr.io/octo/office, not %q", f.Image)}
	}
	return nil
}

// document loads the schema that was named, or else the only one with a server in the folders of the packages of the program.
func (f *shipFlags) document(ctx context.Context, c *cobra.Command) (*ir.Document, error) {
	folders, err := ship.Folders(ctx, f.Package)
	if err != nil {
		return nil, err
	}
	if f.schema != "" {
		return load(c, f.schema)
	}
	var found []string
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.rpc.yaml"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if doc, _ := new(schema.Loader).Load(name); doc == nil || doc.Server != nil { // its faults are said when it is loaded
				found = append(found, name)
			}
		}
	}
	if len(found) == 1 {
		return load(c, found[0])
	}
	for i := range found {
		found[i] = display(found[i])
	}
	return nil, usageError{fmt.Errorf("%d schemas of servers are in the folders of the program (%s): name one with --schema", len(found),
		strings.Join(found, ", "))}
}

// forWorkflow returns the arguments for a workflow, which knows the others.
func (f *shipFlags) forWorkflow() []string {
	words := []string{f.Package}
	for _, one := range []struct{ name, value string }{{"name", f.Name}, {"author", f.Author}, {"schema", f.schema}, {"certificates", f.certificates},
		{"manifest", f.manifest}, {"server-json", f.serverJSON}, {"ldflags", f.LDFlags}} {
		if one.value != "" {
			words = append(words, "--"+one.name+"="+one.value)
		}
	}
	if f.ARM {
		words = append(words, "--mcpb-arch=arm64")
	}
	if len(f.Arguments) > 0 {
		words = append(append(words, "--"), f.Arguments...)
	}
	return words
}

// freshHome returns the environment of this process with an empty home folder, as that of a user who has just got the program.
func freshHome(folder string) []string {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "XDG_") })
	env = append(env, "HOME="+folder, "TMPDIR="+folder)
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+folder, "APPDATA="+folder, "LOCALAPPDATA="+folder, "TMP="+folder, "TEMP="+folder)
	}
	return env
}
