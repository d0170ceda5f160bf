package remote

import (
	"bytes"
	"errors"
	"testing"
)

// TestHowAServerEnds: what was printed is what counts, and how the server ends is a line on the standard error.
func TestHowAServerEnds(t *testing.T) {
	killed, other := errors.New("the program ended: signal: killed"), errors.New("no answer")
	const line = "the server has answered, and did not end in order: the program ended: signal: killed\n"
	for _, c := range []struct {
		err, end, want error
		said           string
	}{
		{nil, nil, nil, ""},
		{nil, killed, nil, line},
		{ErrFailed, killed, ErrFailed, line},
		{other, nil, other, ""},
		{other, killed, killed, ""},
	} {
		var said bytes.Buffer
		if err := closed(Terminal{Err: &said}, c.err, c.end); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || said.String() != c.said {
			t.Errorf("%v, %v: got %v, and %q", c.err, c.end, err, said.String())
		}
	}
}
