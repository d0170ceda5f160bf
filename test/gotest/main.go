// Command gotest runs "go test" with the arguments that it gets, and shows what that shows. It keeps the results in the folder that the environment
// variable RESULTS names, so that "gotest -summary" can say in a few lines, at the end of many such runs, how many tests passed and which failed, with the
// command that runs each of these alone, from the folder ROOT. Without RESULTS it says so for its own run.
//
//test:sequential
//test:by ./test/results
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rpcgen-go/rpcgen/test/results"
)

func main() {
	folder := os.Getenv("RESULTS")
	if len(os.Args) == 2 && os.Args[1] == "-summary" {
		if !results.Summarize(folder, os.Stdout) {
			os.Exit(1)
		}
		return
	}
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.Rel(cmp.Or(os.Getenv("ROOT"), here), here)
	}
	if err == nil {
		r := results.New(here, os.Args[1:])
		err = r.Run("", os.Stdout)
		if folder == "" {
			r.Print(os.Stdout)
		} else if kept := r.Keep(folder); err == nil {
			err = kept
		}
	}
	if err != nil {
		if _, failed := errors.AsType[*exec.ExitError](err); !failed {
			fmt.Fprintln(os.Stderr, "gotest:", err)
		}
		os.Exit(1)
	}
}
