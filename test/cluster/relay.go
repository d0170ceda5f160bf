package main

import (
	"io"
	"net"
	"sync"
)

// relay passes the connections of replicas on to NATS, but nothing that it reads while pause is held.
type relay struct {
	net.Listener
	pause sync.RWMutex
}

// paused is a connection of a relay.
type paused struct {
	net.Conn
	r *relay
}

func (p paused) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	p.r.pause.RLock()
	defer p.r.pause.RUnlock()
	return n, err
}

// serve passes connections on to an address until the listener is closed.
func (r *relay) serve(to string) {
	pass := func(to, from net.Conn) {
		io.Copy(to, struct{ io.Reader }{paused{from, r}})
		to.Close()
	}
	for one, err := r.Accept(); err == nil; one, err = r.Accept() {
		if other, err := net.Dial("tcp", to); err != nil {
			one.Close()
		} else {
			go pass(one, other)
			go pass(other, one)
		}
	}
}
