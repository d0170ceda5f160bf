package main

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/test/bench/peer"
)

const (
	servedHTTP   = "served HTTP"
	servedSocket = "served WebSocket"
)

// served measures the typical call over HTTP and over WebSocket.
func served(s settings, only string) []row {
	all := peer.ServedAll()
	defer stopAll(all)
	var rows []row
	if strings.Contains(servedHTTP, only) {
		rows = append(rows, posts(s, all))
	}
	if strings.Contains(servedSocket, only) {
		rows = append(rows, sockets(s, all))
	}
	return rows
}

func posts(s settings, all []peer.Served) row {
	var list []contestant
	for _, one := range all {
		w := peer.NewWeb(one.Name, one.HTTP)
		defer w.Close()
		answer, err := w.Call(nil, one.Message)
		must(err)
		must(peer.CheckTypical(answer))
		list = append(list, webContestant(w, one.Message))
	}
	return s.measure(servedHTTP, "typical call over HTTP, 16 callers", list)
}

func sockets(s settings, all []peer.Served) row {
	var list []contestant
	for _, one := range all {
		if one.WebSocket == nil {
			continue
		}
		w := peer.NewWeb(one.Name, one.WebSocket)
		defer w.Close()
		socket, err := w.Dial()
		must(err)
		defer socket.Close()
		answer, err := socket.Call(one.Message)
		must(err)
		must(peer.CheckTypical(answer))
		list = append(list, contestant{Name: one.Name, Run: func(n int) {
			for range n {
				_, err := socket.Call(one.Message)
				must(err)
			}
		}})
	}
	return s.measure(servedSocket, "typical call over WebSocket", list)
}

// postGoal is the goal of servers over HTTP.
func (m *measured) postGoal() goal {
	post := goal{ID: "post", Work: "typical call over HTTP with 16 callers", Goal: "<= 1.2x a handler that answers canned bytes"}
	post.within(m.row(servedHTTP), rpcgenName, floorCanned, 1.2)
	return post
}
