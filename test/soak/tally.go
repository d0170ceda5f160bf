package main

import (
	"fmt"
	"os"
	"sync/atomic"
)

// tally counts what happens under the load.
type tally struct {
	right, wrong     atomic.Int64 // answers
	given, unasked   atomic.Int64 // calls that were cancelled, and questions that were not answered
	visits, vanished atomic.Int64
	attacks          atomic.Int64
	refused          atomic.Int64 // calls, because there were too many
}

func (t *tally) String() string {
	return fmt.Sprintf("%d right answers, %d wrong; %d cancelled, %d unanswered questions, %d refused; %d visits, %d ended by vanishing; %d attacks",
		t.right.Load(), t.wrong.Load(), t.given.Load(), t.unasked.Load(), t.refused.Load(), t.visits.Load(), t.vanished.Load(), t.attacks.Load())
}

// mistake counts a wrong answer, and says what it is.
func (t *tally) mistake(format string, args ...any) {
	const most = 20
	if t.wrong.Add(1) <= most {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}
