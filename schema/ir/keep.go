package ir

import (
	"strings"
	"time"
)

// Keep is how long a server keeps results, and for which calls.
type Keep struct {
	TTL    time.Duration
	Keys   []string // fields of the params, or of the input of a tool, that select the result; nil for all
	Public bool     // results are the same for every principal
}

// String is the rule on one line, such as 1m0s, by city and unit, private. A nil rule is empty.
func (k *Keep) String() string {
	if k == nil {
		return ""
	}
	text := k.TTL.String()
	if len(k.Keys) > 0 {
		text += ", by " + strings.Join(k.Keys, " and ")
	}
	if k.Public {
		return text + ", public"
	}
	return text + ", private"
}
