package mcpnats

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// member is a replica that was joined.
type member struct {
	b      *Backplane
	r      mcpcluster.Replica
	ctx    context.Context // of all answers
	cancel context.CancelFunc
	subs   []*nats.Subscription
	status chan nats.Status
	missed chan struct{}  // holds a token if messages may have been missed
	ended  sync.WaitGroup // goroutines of the member, without those of answers

	answering shared.Map[string, *answer] // by reply subject

	mu    sync.Mutex
	taken numbers
}

// Join implements [mcpcluster.Backplane].
func (b *Backplane) Join(r mcpcluster.Replica) (leave func(), err error) {
	if !nameOf.MatchString(r.Name) {
		return nil, errors.New("mcpnats: a replica has no valid name: " + strconv.Quote(r.Name))
	}
	m := &member{b: b, r: r, missed: make(chan struct{}, 1), taken: make(numbers)}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.status = b.nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	m.ended.Go(m.watch)
	m.ended.Go(m.notify)
	if err := m.subscribe(); err != nil {
		m.leave()
		return nil, err
	}
	m.ended.Go(m.report)
	return m.leave, nil
}

// subscribe starts receiving.
func (m *member) subscribe() error {
	name := m.b.o.Name
	for subject, take := range map[string]nats.MsgHandler{
		name + ".ask." + m.r.Name: m.answerRequest, name + ".gone." + m.r.Name: m.endAnswer,
		name + ".all": m.passMessage,
	} {
		sub, err := m.b.nc.Subscribe(subject, take)
		if err != nil {
			return m.b.records.failure(err)
		}
		m.subs = append(m.subs, sub)
	}
	return m.b.records.failure(m.b.nc.FlushTimeout(settles))
}

// leave ends receiving, and the contexts of the answers in flight.
func (m *member) leave() {
	for _, sub := range m.subs {
		ended := make(chan struct{})
		sub.SetClosedHandler(func(string) { close(ended) })
		if sub.Unsubscribe() == nil {
			<-ended
		}
	}
	m.cancel()
	m.b.nc.RemoveStatusListener(m.status)
	m.ended.Wait()
	if m.b.Ready() == nil {
		m.b.nc.FlushTimeout(settles) // from here on, the replica is not reached
	}
}

// take opens a message to this replica. It reports whether the message is taken: none is twice.
func (m *member) take(message *nats.Msg) bool {
	at, ok := m.b.records.accept(message)
	if !ok {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.taken.fresh(message.Subject, at) {
		m.b.records.refuse(message, errSentAgain)
		return false
	}
	return true
}

// passMessage passes a message of a replica on.
func (m *member) passMessage(message *nats.Msg) {
	switch {
	case !m.take(message):
	case len(message.Data) == 0:
		m.miss()
	default:
		m.r.Heard(message.Data)
	}
}

// miss has Missed called.
func (m *member) miss() { wake.Up(m.missed) }

// notify calls Missed, and not again for a while: after a restart of NATS each replica may say that messages of its own were lost.
func (m *member) notify() {
	for {
		select {
		case <-m.missed:
			m.r.Missed()
		case <-m.ctx.Done():
			return
		}
		select {
		case <-time.After(m.b.o.interval / 2):
		case <-m.ctx.Done():
			return
		}
	}
}

// watch calls Missed after a reconnection, here and, if messages of this replica may have been lost, at the others.
func (m *member) watch() {
	for {
		select {
		case status, open := <-m.status:
			if !open || status == nats.CLOSED {
				return
			}
			m.b.settling()
			if m.b.told.Swap(false) && m.b.tell(nil) != nil {
				m.b.told.Store(true) // the next time
			}
			m.miss()
		case <-m.ctx.Done():
			return
		}
	}
}

// longestReply is the size in bytes of a reply subject. With one that is nearly as long as a line of NATS, the line of an answer would be too long, which
// makes NATS close the connection for ever.
const longestReply = 255

// answerRequest answers a request in a goroutine of its own.
func (m *member) answerRequest(request *nats.Msg) {
	if !m.take(request) || len(request.Reply) > longestReply {
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	a := &answer{b: m.b, name: m.r.Name, reply: request.Reply, ctx: ctx, cancel: cancel, waits: request.Header.Get(saysHeader) != ""}
	m.answering.Set(request.Reply, a)
	go func() {
		defer cancel()
		defer m.answering.Delete(request.Reply)
		m.r.Answer(ctx, request.Data, func(part []byte, last bool) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return a.send(part, last)
		})
	}()
}

// endAnswer ends the context of an answer that is not read any more.
func (m *member) endAnswer(message *nats.Msg) {
	if !m.take(message) {
		return
	}
	if a := m.answering.Get(string(message.Data)); a != nil {
		a.cancel()
	}
}

// report tells the replicas that wait for answers that this one is still answering, and has Missed called when messages were dropped. The status of a
// subscription does not say which ones are dropped after the first of them.
func (m *member) report() {
	tick := time.NewTicker(m.b.o.interval)
	defer tick.Stop()
	for dropped := 0; ; {
		select {
		case <-m.ctx.Done():
			return
		case <-tick.C:
		}
		now := 0
		for _, sub := range m.subs {
			n, _ := sub.Dropped()
			now += n
		}
		if now > dropped {
			dropped = now
			m.miss()
		}
		for _, a := range m.answering.Values() {
			a.report("")
		}
	}
}

// answer sends the parts of an answer.
type answer struct {
	b      *Backplane
	name   string // of the replica that answers
	reply  string
	ctx    context.Context
	cancel context.CancelFunc // of ctx
	waits  bool               // the other replica says what it has read
	unread int                // what the parts have cost of which it has not said that

	mu   sync.Mutex // keeps parts and reports in order
	sent int
}

// send sends a part, in as many messages as it needs.
func (a *answer) send(part []byte, last bool) error {
	most := min(int(a.b.nc.MaxPayload())-headerRoom, maxWaiting/4)
	for len(part) > most {
		if err := a.publish(part[:most], false); err != nil {
			return err
		}
		part = part[most:]
	}
	return a.publish(part, last)
}

func (a *answer) publish(part []byte, last bool) error {
	if a.unread += costOf(part); a.waits && a.unread > maxWaiting {
		if err := a.rest(); err != nil {
			return err
		}
		a.unread = costOf(part)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent++
	h := nats.Header{partHeader: {strconv.Itoa(a.sent)}}
	if last {
		h[lastHeader] = []string{"1"}
	}
	return a.b.records.failure(a.b.records.publish(a.b.nc, a.reply, "", h, part))
}

// report says that the answer goes on, and which part is the latest one: it may have been lost with a connection. With a reply subject, the other replica says
// there that it has read the parts before.
func (a *answer) report(reply string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := nats.Header{partHeader: {"0"}, sentHeader: {strconv.Itoa(a.sent)}, fromHeader: {a.name}}
	return a.b.records.publish(a.b.nc, a.reply, reply, h, nil)
}

// rest waits until the other replica has read all parts. NATS says if it is not there any more.
func (a *answer) rest() error {
	inbox := a.b.nc.NewInbox()
	read, err := a.b.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer read.Unsubscribe()
	for {
		if err := a.report(inbox); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(a.ctx, silence*a.b.o.interval)
		m, err := read.NextMsgWithContext(ctx)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err == nil {
			if _, ok := a.b.records.accept(m); ok {
				return nil
			}
		}
	}
}
