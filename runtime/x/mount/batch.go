package mount

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// The limits of a batch. Servers limit the size of a request to subscribe, too.
const (
	batchSize  = 100
	batchBytes = 16 << 10
)

// batch is a set of resources with one subscription.
type batch struct {
	covered   map[string]bool // by URI; true means that the subscription has the resource
	bytes     int             // of all URIs
	stale     bool            // the subscription has other resources than the batch
	listening *mcpclient.Subscription
}

func (b *batch) add(uri string) {
	b.covered[uri] = false
	b.bytes += len(uri)
	b.stale = true
}

func (b *batch) remove(uri string) {
	delete(b.covered, uri)
	b.bytes -= len(uri)
	b.stale = true
}

// replace ends the subscription after another one was made, so that no update is missed in between. It
// returns the resources that the server has agreed to and that were not covered.
func (b *batch) replace(next *mcpclient.Subscription, agreed []string) (begun []string) {
	old := b.listening
	alive := false
	if old != nil {
		select {
		case <-old.Done():
		default:
			alive = true
		}
		old.Close() // an error means that the server did not answer to the end
	}
	for uri, covered := range b.covered {
		b.covered[uri] = slices.Contains(agreed, uri)
		if b.covered[uri] && !(covered && alive) {
			begun = append(begun, uri)
		}
	}
	b.listening, b.stale = next, false
	return begun
}
