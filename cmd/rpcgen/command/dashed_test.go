package command

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
)

// TestDashed: the values of flags are theirs, also if they begin with a hyphen, and the words
// after -- are the server's, also if they look like flags.
func TestDashed(t *testing.T) {
	for _, value := range []string{"file.json", "-", "-v", "--", "a=b"} {
		for _, glued := range []bool{true, false} {
			var before, command []string
			c := &cobra.Command{Use: "rpcgen", RunE: func(c *cobra.Command, args []string) (err error) {
				before, command, err = remote.SplitAtDash(c, args)
				return err
			}}
			var file string
			c.Flags().StringVar(&file, "against", "", "")
			c.Flags().BoolP("verbose", "v", false, "")
			args := []string{"host", "--against", value, "--", "server", "--against", "x", "--", "-v"}
			if glued {
				args = slices.Replace(args, 1, 3, "--against="+value)
			}
			c.SetArgs(args)
			if err := c.Execute(); err != nil || file != value || !slices.Equal(before, []string{"host"}) || !slices.Equal(command, []string{"server", "--against", "x", "--", "-v"}) {
				t.Errorf("%v: %v: %q, %q, %q", args, err, file, before, command)
			}
		}
	}
}
