//go:build !bootstrap

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/install"
)

// TestInstallAsks: at a terminal, values of variables are asked for, and then whether the file is changed. Nothing else is taken for a yes, and the file is as it
// was when the answer is no, or there is none.
func TestInstallAsks(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for answers, want := range map[string]string{
		"s3cret\ny\n": `"env": {"OFFICE_TOKEN": "s3cret"}`, "s3cret\nYES\n": "s3cret", "s3cret\n\n": "", "s3cret\nn\n": "", "s3cret\nyellow\n": "", "s3cret\n": "", "": "", "\ny\n": "",
	} {
		home := t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", "")
		var asked []string
		probe := func(_ context.Context, s *install.Server, folder string, env []string) (probeResult, error) {
			asked = append([]string{s.Program, folder}, env...)
			return probeResult{tools: 3}, nil
		}
		c := newInstall(probe, func() bool { return true })
		c.SilenceUsage, c.SilenceErrors = true, true
		c.SetArgs([]string{"zed", "--name", "office", "--env", "OFFICE_TOKEN", "--", program})
		c.SetIn(strings.NewReader(answers))
		var out, complaint bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&complaint)
		err := c.Execute()
		text, _ := os.ReadFile(filepath.Join(home, ".config", "zed", "settings.json"))
		if (want == "") != (text == nil) || !strings.Contains(string(text), want) {
			t.Errorf("%q: %v\n%s", answers, err, text)
		}
		if given := strings.HasPrefix(answers, "s3"); given != (err == nil) || given != strings.Contains(complaint.String(), "Change it? [y/N]") {
			t.Errorf("%q: %v, %q", answers, err, complaint.String())
		}
		if strings.Contains(out.String()+complaint.String(), "s3cret") {
			t.Errorf("%q: the value is shown:\n%s", answers, out.String())
		}
		if want != "" && strings.Join(asked, " ") != program+" "+filepath.VolumeName(program)+string(filepath.Separator)+" OFFICE_TOKEN=s3cret" {
			t.Errorf("%q: %q was asked", answers, asked)
		}
	}
}
