package main

import (
	"net"
	"sync"
)

// relay passes the connections of the replicas on to NATS, and nothing while pause is held.
type relay struct {
	listener net.Listener
	pause    sync.RWMutex
}

// startRelay starts a relay to an address, until its listener is closed.
func startRelay(to string) (r *relay, err error) {
	r = new(relay)
	if r.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	go func() {
		for {
			one, err := r.listener.Accept()
			if err != nil {
				return
			}
			other, err := net.Dial("tcp", to)
			if err != nil {
				one.Close()
				continue
			}
			go r.pass(one, other)
			go r.pass(other, one)
		}
	}()
	return r, nil
}

func (r *relay) pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	for b := make([]byte, 64<<10); ; {
		n, err := from.Read(b)
		r.pause.RLock()
		r.pause.RUnlock() //nolint:staticcheck // it has only waited
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
