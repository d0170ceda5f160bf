package clients

import "testing"

// TestAccounts: a client has half of what all have, and no account when it has left.
func TestAccounts(t *testing.T) {
	var s Accounts[string]
	s.Init(10)
	a, again, b := s.Enter("a"), s.Enter("a"), s.Enter("b")
	if a != again || a == b || a.Take(5) != nil || a.Take(1) == nil || b.Take(5) != nil || s.Enter("").Take(1) == nil {
		t.Error("a client has its share")
	}
	a.Give(5)
	b.Give(5)
	for _, name := range []string{"a", "a", "b", ""} {
		s.Leave(name)
	}
	if len(s.each) > 0 || s.all.Used() != 0 {
		t.Error(s.each)
	}
}
