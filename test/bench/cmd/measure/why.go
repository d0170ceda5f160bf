package main

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed why.txt
var reasons string

// why explains goals that are missed, by their ID. It is printed for those only.
var why = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, paragraph := range strings.Split(strings.ReplaceAll(reasons, "{floorClock}", floorClock), "\n\n")[1:] {
		id, text, _ := strings.Cut(paragraph, ": ")
		all[id] = strings.Join(strings.Fields(text), " ")
	}
	return all
})
