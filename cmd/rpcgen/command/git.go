package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/file"
)

// A repository may be of another author, and its configuration may name programs and servers. Git gets no reason to run or to ask any:
// only commands that read objects are used, and what is here comes before the configuration of the repository.
var (
	closedFlags = []string{"--no-pager", "--literal-pathspecs", "--no-optional-locks",
		"-c", "safe.bareRepository=explicit", // a folder that looks like a repository is none
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
		"-c", "log.showSignature=false", // would run gpg.program
	}
	closedEnvironment = []string{
		"GIT_ALLOW_PROTOCOL=",   // missing objects are fetched by no protocol, whatever protocol.*.allow says
		"GIT_NO_LAZY_FETCH=1",   // nor tried to, by newer versions
		"GIT_TERMINAL_PROMPT=0", // no password is asked for
	}
)

// git runs git in a folder. Its error message becomes the error. The output is limited to the maximum size of a file.
func git(folder string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(closedFlags[:len(closedFlags):len(closedFlags)], args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), closedEnvironment...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if err != nil {
		return nil, err
	}
	out, tooLarge := file.ReadAll(stdout)
	if tooLarge != nil {
		cancel()
	}
	err = cmd.Wait()
	if tooLarge != nil {
		return nil, tooLarge
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, errors.New(strings.TrimPrefix(first, "fatal: "))
	}
	return out, nil
}
