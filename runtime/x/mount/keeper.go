package mount

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// keeper keeps the subscriptions at one connection as [watches] want them. All clients of the server share them.
type keeper struct {
	u       *upstream
	client  *mcpclient.Client
	batches []*batch
	of      map[string]*batch // by URI; nil means that the server has refused the resource
	ended   chan *mcpclient.Subscription
	delays  backoff
	running sync.WaitGroup // goroutines that wait for the end of subscriptions
}

// keep keeps the subscriptions until ctx ends. The connection has to be closed then.
func (u *upstream) keep(ctx context.Context, client *mcpclient.Client) {
	k := &keeper{u: u, client: client, of: make(map[string]*batch), ended: make(chan *mcpclient.Subscription)}
	defer k.running.Wait()
	for more := true; more; {
		k.plan()
		more = k.wait(ctx, !k.renew(ctx))
	}
}

// wait waits until there is something to do, at most for a time if something failed. It reports false when ctx ends.
func (k *keeper) wait(ctx context.Context, failed bool) bool {
	var again <-chan time.Time
	for {
		if failed && again == nil {
			again = time.After(k.delays.next())
		}
		select {
		case <-ctx.Done():
			return false
		case <-k.u.watches.changed:
			return true
		case <-again:
			return true
		case s := <-k.ended:
			failed = k.lost(s) || failed
		}
	}
}

// plan puts new resources into batches, and removes those that are not wanted any more.
func (k *keeper) plan() {
	wanted, again := k.u.watches.now()
	for uri, b := range k.of {
		if _, still := wanted[uri]; still && !(again && b == nil) {
			continue
		}
		delete(k.of, uri)
		if b != nil {
			b.remove(uri)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(wanted)) {
		if _, there := k.of[uri]; !there {
			k.put(uri, k.room(uri))
		}
	}
}

// put adds a resource to a batch.
func (k *keeper) put(uri string, b *batch) {
	b.add(uri)
	k.of[uri] = b
}

// room returns a batch to which a resource can be added. A server with a handshake gets a request for each resource, and so can refuse each of them.
func (k *keeper) room(uri string) *batch {
	if k.client.Era() == mcp.Stateless {
		for _, b := range k.batches {
			if len(b.covered) < batchSize && b.bytes+len(uri) <= batchBytes {
				return b
			}
		}
	}
	return k.newBatch()
}

func (k *keeper) newBatch() *batch {
	b := &batch{covered: make(map[string]bool)}
	k.batches = append(k.batches, b)
	return b
}

// renew makes the subscriptions of batches that have changed, and of those into which they are divided. It reports false if that has to be tried again.
func (k *keeper) renew(ctx context.Context) bool {
	failed := false
	for i := 0; i < len(k.batches); i++ {
		for b := k.batches[i]; b.stale; {
			err := k.listen(ctx, b)
			if err != nil && !hasReplied(err) {
				return false
			}
			if err != nil {
				failed = true
				break
			}
		}
	}
	k.batches = slices.DeleteFunc(k.batches, func(b *batch) bool { return len(b.covered) == 0 })
	return !failed
}

// listen makes the subscription of a batch, or divides the batch. An error means that it has to be tried again.
func (k *keeper) listen(ctx context.Context, b *batch) error {
	if len(b.covered) == 0 {
		b.replace(nil, nil)
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	uris := slices.Sorted(maps.Keys(b.covered))
	s, err := k.client.Listen(limited, mcpclient.Changes{URIs: uris})
	if err != nil {
		k.u.watches.miss(uris) // also the first time: clients were told that they get updates
	}
	switch {
	case err == nil:
		k.running.Go(func() { k.await(ctx, s) })
		k.settle(b, b.replace(s, s.Agreed.URIs))
	case isRefusal(err), hasReplied(err) && len(b.covered) > 1:
		b.replace(nil, nil)
		k.refuse(b, err)
	default:
		return err
	}
	return nil
}

// isRefusal reports whether a server will refuse a subscription the next time, too.
func isRefusal(err error) bool {
	e := answerOf(err)
	final := []int64{runtime.CodeInvalidRequest, runtime.CodeMethodNotFound, runtime.CodeInvalidParams}
	return e != nil && slices.Contains(final, e.Code) || errors.Is(err, mcp.ErrNotFound)
}

// hasReplied reports whether a server has replied, with an error or with something that it should not.
func hasReplied(err error) bool {
	return answerOf(err) != nil || errors.As(err, new(*runtime.ResponseError))
}

// settle moves what the server has not agreed to into another batch, because it may limit the resources of one subscription, and notifies clients of what
// they may have missed. The argument begun holds the resources that are covered and were not before.
func (k *keeper) settle(b *batch, begun []string) {
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(b.covered)), func(uri string) bool { return b.covered[uri] })
	if len(rest) == len(b.covered) {
		k.refuse(b, errors.New("the server does not agree to it"))
		return
	}
	k.divide(b, rest)
	b.stale = false
	for _, uri := range k.u.watches.noteBegin(begun) {
		k.u.all.passUpdate(k.u, uri)
	}
}

// refuse notes that the server refuses a batch. If it has several resources, it is divided, because the server may refuse one of them only.
func (k *keeper) refuse(b *batch, err error) {
	uris := slices.Sorted(maps.Keys(b.covered))
	if len(uris) > 1 {
		k.divide(b, uris[len(uris)/2:])
		return
	}
	k.u.all.log.Warn("the server sends no updates of a resource", "server", k.u.Name, "uri", uris[0], "error", err)
	b.remove(uris[0])
	k.of[uris[0]] = nil
}

// divide moves resources from a batch to a new one.
func (k *keeper) divide(b *batch, uris []string) {
	if len(uris) == 0 {
		return
	}
	other := k.newBatch()
	for _, uri := range uris {
		b.remove(uri)
		k.put(uri, other)
	}
}

// await reports the end of a subscription.
func (k *keeper) await(ctx context.Context, s *mcpclient.Subscription) {
	select {
	case <-s.Done():
	case <-ctx.Done():
		return
	}
	select {
	case k.ended <- s:
	case <-ctx.Done():
	}
}

// lost notes that a subscription has ended. It reports false if it was replaced.
func (k *keeper) lost(s *mcpclient.Subscription) bool {
	i := slices.IndexFunc(k.batches, func(b *batch) bool { return b.listening == s })
	if i < 0 {
		return false
	}
	k.batches[i].replace(nil, nil)
	k.batches[i].stale = true
	return true
}
