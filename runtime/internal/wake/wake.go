// Package wake wakes goroutines that wait for changes.
//
//test:by ./runtime/x/mcptask
package wake

// Up puts a token into a channel that has room for one, unless it holds it: who reads the channel learns that something has changed since.
func Up(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
