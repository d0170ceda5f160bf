package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// The headers of parts.
const (
	partHeader = "Part" // number of the part, from 1 on; 0 if the replica only reports that it is still answering
	sentHeader = "Sent" // on such a report: the number of the latest part
	fromHeader = "From" // on such a report: the name of the replica
	lastHeader = "Last" // on the last part
	saysHeader = "Says" // on a request: its replica says when it has read the parts before a report, if that has a reply subject
)

const (
	settles    = 5 * time.Second // in which NATS knows that a replica has joined, or has left
	silence    = 3               // intervals without a sign of life after which a replica is lost
	maxWaiting = 4 << 20         // bytes of parts that wait to be read, by costOf
	headerRoom = 512             // bytes of a payload that are left to headers
)

// costOf returns the memory that counts for a part that waits to be read, in bytes.
func costOf(part []byte) int { return len(part) + 1<<10 }

// errSettling means that a replica is not there, or is not connected to NATS again yet.
var errSettling = errors.New("mcpnats: the connection to NATS was lost, and the replica is not reached yet")

// errSlow means that parts were not read as fast as they came from a replica of a former version, which does not wait for them to be read.
var errSlow = fmt.Errorf("mcpnats: the client reads too slowly: more than %d bytes of an answer wait for it, and the replica that sends them does not wait; "+
	"update that replica, or send smaller results", maxWaiting)

// parts are the parts of an answer that have arrived.
type parts struct {
	mu     sync.Mutex
	all    []*nats.Msg
	bytes  int    // what all have cost
	taken  int    // number of the latest part that has arrived
	number uint64 // of the latest text of its process that was taken
	err    error
	filled chan struct{} // holds a token if there is something new
}

// noReplica reports whether NATS says that there is nobody who is asked.
func noReplica(m *nats.Msg) bool { return len(m.Data) == 0 && m.Header.Get("Status") == "503" }

// add adds a message of the replica. It does not block.
func (p *parts) add(m *nats.Msg, at stamp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.number > 0 && at.n <= p.number {
		return // a peer has sent it again, or it does not come from that process
	}
	p.number = at.n
	switch {
	case p.err != nil:
		return
	case noReplica(m):
		p.err = mcpcluster.ErrNoReplica
	case m.Header.Get(partHeader) == "0":
		if sent := m.Header.Get(sentHeader); sent != "" && sent != strconv.Itoa(p.taken) { // a former version does not say it
			p.err = mcpcluster.ErrLost // the replica waits, perhaps for the answer to what was lost
		} else if m.Reply != "" {
			p.all = append(p.all, m)
		}
	case p.bytes+costOf(m.Data) > maxWaiting:
		p.err = errSlow
	default:
		p.all, p.taken = append(p.all, m), p.taken+1
		p.bytes += costOf(m.Data)
	}
	wake.Up(p.filled)
}

// take returns the messages that have arrived.
func (p *parts) take() (all []*nats.Msg, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, p.all, p.bytes = p.all, nil, 0
	return all, p.err
}

// Ask implements [mcpcluster.Backplane].
func (b *Backplane) Ask(ctx context.Context, replica string, request []byte, part func([]byte) error) error {
	if !nameOf.MatchString(replica) {
		return mcpcluster.ErrNoReplica // what a record says is not a name
	}
	if err := b.Ready(); err != nil {
		return err
	}
	if most := b.nc.MaxPayload() - headerRoom; int64(len(request)) > most {
		return &frame.TooLargeError{Size: int64(len(request)), Max: int(most)}
	}
	p := &parts{filled: make(chan struct{}, 1)}
	reply := b.inbox + strconv.FormatInt(b.token.Add(1), 36)
	b.asked.Set(reply, p)
	defer b.asked.Delete(reply)
	if err := b.records.publish(b.nc, b.o.Name+".ask."+replica, reply, nats.Header{saysHeader: {"1"}}, request); err != nil {
		return b.records.failure(err)
	}
	last, err := b.read(ctx, p, part)
	if errors.Is(err, mcpcluster.ErrNoReplica) && b.settling() {
		return errSettling
	}
	if !last && !errors.Is(err, mcpcluster.ErrNoReplica) {
		b.leave(replica, reply)
	}
	return err
}

// leave says to a replica that an answer is not read any more.
func (b *Backplane) leave(replica, reply string) {
	b.records.publish(b.nc, b.o.Name+".gone."+replica, "", nil, []byte(reply))
}

// passPart passes a part on to the request that it answers, and drops it if that has ended.
func (b *Backplane) passPart(m *nats.Msg) {
	var at stamp
	if !noReplica(m) {
		var ok bool
		if at, ok = b.records.accept(m); !ok {
			return
		}
	}
	if p := b.asked.Get(m.Subject); p != nil {
		p.add(m, at)
	} else if from := m.Header.Get(fromHeader); nameOf.MatchString(from) { // what said so before was lost
		b.leave(from, m.Subject)
	}
}

// read calls part with the parts as they arrive. It reports whether the last one has. Intervals are counted one by one, so that a process that stood still
// counts one at most before it reads what has arrived meanwhile.
func (b *Backplane) read(ctx context.Context, p *parts, part func([]byte) error) (last bool, err error) {
	next := 1
	quiet := time.NewTimer(b.o.interval)
	defer quiet.Stop()
	for silent := 0; ; quiet.Reset(b.o.interval) {
		select {
		case <-p.filled:
			silent = 0
		case <-quiet.C:
			silent++
		case <-ctx.Done():
			return false, ctx.Err()
		}
		all, fault := p.take()
		for _, m := range all {
			if m.Reply != "" {
				b.records.publish(b.nc, m.Reply, "", nil, nil)
				continue
			}
			if m.Header.Get(partHeader) != strconv.Itoa(next) {
				return false, mcpcluster.ErrLost // a gap
			}
			next++
			last := m.Header.Get(lastHeader) != ""
			if err := part(m.Data); err != nil || last {
				return last, err
			}
		}
		if fault != nil {
			return false, fault
		}
		if silent >= silence && len(p.filled) == 0 {
			return false, mcpcluster.ErrLost
		}
	}
}
