package ir

import (
	"strconv"
	"time"
)

// Rate is how often something may be called.
type Rate struct {
	Calls int
	Per   time.Duration
	Burst int // 0: Calls
	Each  RateScope
}

// RateScope says whose calls count together.
type RateScope uint8

// The scopes of rates.
const (
	EachPrincipal RateScope = iota
	EachSession
	WholeServer
)

// String is the word of the language.
func (s RateScope) String() string { return [...]string{"principal", "session", "server"}[s] }

// String is the rate on one line, such as 10 per 1m0s, each principal. A nil rate is empty.
func (r *Rate) String() string {
	if r == nil {
		return ""
	}
	text := strconv.Itoa(r.Calls) + " per " + r.Per.String()
	if r.Burst > 0 {
		text += ", burst " + strconv.Itoa(r.Burst)
	}
	if r.Each == WholeServer {
		return text + ", whole server"
	}
	return text + ", each " + r.Each.String()
}
