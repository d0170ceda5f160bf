package main

import (
	"fmt"
	"regexp"
	"strings"
)

// edits turn what pages say before the first release into what they say from then on. What a page says of its own stands in it, as
//
//	<!-- unpublished -->
//	what it says before
//	<!-- published
//	what it says from then on
//	-->
var edits = []struct {
	before *regexp.Regexp
	after  string
}{
	{regexp.MustCompile(`(?s)<!-- unpublished -->\n.*?<!-- published\n(.*?)-->\n`), "$1"},
	{regexp.MustCompile(`go mod edit -require github\.com/rpcgen-go/rpcgen@v0\.0\.0 -replace github\.com/rpcgen-go/rpcgen=\$HOME/rpcgen(\ngo mod edit)? -tool (\S+)`), "go get -tool $2@latest"},
	{regexp.MustCompile(`go mod edit -require (\S+)@v0\.0\.0 -replace \S+=\$HOME/rpcgen\S*`), "go get $1@latest"},
	{regexp.MustCompile(`cd ~/rpcgen\ngo run \./cmd/rpcgen `), "go run github.com/rpcgen-go/rpcgen/cmd/rpcgen@latest "},
	{regexp.MustCompile("Until (?:it is|they are) published, `go\\.mod` has to say where the clone has (it|them):"), "Require $1:"},
	{regexp.MustCompile(",? with a clone of rpcgen in `~/rpcgen`"), ""},
	{regexp.MustCompile("With a clone of rpcgen in `~/rpcgen`, as in"), "As in"},
	{regexp.MustCompile(`cp ~/rpcgen/(\S+)`), `cp "$$(go list -m -f '{{.Dir}}' github.com/rpcgen-go/rpcgen)/$1"`},
}

// early finds what is left of the time before the first release.
var early = regexp.MustCompile(`\$HOME/rpcgen\b|[Ww]ith a clone of rpcgen|@v0\.0\.0\b|[Nn]o version (of rpcgen )?(is published|has been tagged)|[Uu]ntil (it is|they are) published|^<!-- (un)?published`)

// published returns a page as it is from the first release on. What the edits do not reach is an error.
func published(name, page string) (string, error) {
	for _, e := range edits {
		page = e.before.ReplaceAllString(page, e.after)
	}
	number := 0
	for line := range strings.Lines(page) {
		number++
		if found := early.FindString(line); found != "" {
			return "", fmt.Errorf("%s:%d says %q, which does not hold from the first release on", name, number, found)
		}
	}
	return page, nil
}
