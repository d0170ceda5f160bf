package web

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory/clients"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Memory limits the memory of messages that are read and served, and of answers until they are taken, in all and of each client, which may
// hold half of it.
type Memory struct{ accounts clients.Accounts[Client] }

// NewMemory returns a limit of most bytes.
func NewMemory(most int64) *Memory {
	m := new(Memory)
	m.accounts.Init(most)
	return m
}

// Enter returns the account of the sessions of a client, for which the caller has to call Leave.
func (m *Memory) Enter(c Client) *memory.Account { return m.accounts.Enter(c) }

// Leave undoes Enter.
func (m *Memory) Leave(c Client) { m.accounts.Leave(c) }

// freeSize is the size in bytes of messages that do not count: the number of messages bounds what
// they take.
const freeSize = 4 << 10

// FullError means that there is no room for a message.
type FullError struct{ Condition runtime.Condition }

func (e *FullError) Error() string { return e.Condition.Reason }

// hold notes that the message takes n bytes in all, if there is room for them. The error is a
// [*FullError].
func (p *Share) hold(n int) error {
	if p.q == nil || p.q.memory == nil || n <= freeSize && p.account == nil {
		return nil
	}
	if p.account == nil {
		p.account = p.q.memory.accounts.Enter(p.c)
	}
	more := n - p.held
	if more > 0 && p.account.Take(more) != nil {
		cond := runtime.Condition{Kind: when.Overloaded, RetryAfter: Busy, Reason: "the messages that are being handled take too much memory"}
		if p.account.Used()+int64(more) > p.account.Limit() {
			cond.Kind, cond.Reason = when.RateLimited, "the messages of this client that are being handled take too much memory"
		}
		return &FullError{cond}
	}
	if more < 0 {
		p.account.Give(-more)
	}
	p.held = n
	return nil
}

// NotTaken is the text of an error in place of an answer for which there is no room.
const NotTaken = "the answer is not sent, because answers that are not taken hold too much memory; the call may have been executed"

// AnswerMemory is the memory of an answer that is being written. The zero value is nothing.
type AnswerMemory struct {
	m       *Memory
	c       Client
	account *memory.Account
	n       int
}

// Hold notes that an answer of n bytes waits for a client to take it. It reports false if there is no room for it.
func (m *Memory) Hold(c Client, n int) (h AnswerMemory, ok bool) {
	if n <= freeSize {
		return h, true
	}
	h = AnswerMemory{m, c, m.Enter(c), n}
	if h.account.Take(n) != nil {
		m.Leave(c)
		return AnswerMemory{}, false
	}
	return h, true
}

// Release undoes Hold.
func (h AnswerMemory) Release() {
	if h.account != nil {
		h.account.Give(h.n)
		h.m.Leave(h.c)
	}
}
