package main

import (
	"fmt"
	"strings"
)

const figuresHead = `# Every figure

For developers of rpcgen: all that ` + "`make bench`" + ` measures, with the goals. [The page about performance](../../docs/performance.md), written by
the same run, describes how it is measured. %s

There were %d rounds of %s each. A ratio of which one side is not measured in rounds, such as the time of a build, is the best of its runs.

- **encoding/json** and **sonic** are servers written by hand: an envelope with raw params, a switch over methods, params into a struct,
  encoders and buffers that are kept. **sonic, tuned** also shares strings with the message, copies nothing and checks less;
  types are compiled beforehand.
- **rpcgen** is its dispatcher, which turns bytes into bytes, as transports without sessions do; **rpcgen, session** is a session over
  a connection in memory.
- **jrpc2** takes messages through its channel in memory, the only way in that it has; **jrpc2, no server** is its parser with a loop
  written by hand around it. **sourcegraph/jsonrpc2** is a connection over a stream in memory. **x/exp/jsonrpc2** is
  taken without a connection.
- The JSON-RPC libraries read params by reflection, with encoding/json. x/exp/jsonrpc2 cannot send the data of an error;
  sourcegraph/jsonrpc2 and x/exp/jsonrpc2 know no batches.
- **gRPC** is grpc-go over its own HTTP/2, without TLS; **connect** is connect-go with its own protocol over HTTP/1.1. Both send Protocol
  Buffers of messages that protoc-gen-go wrote. **net/rpc** is the package of the standard library, with gob over TCP.
- MCP servers have the same thirty tools, and check arguments and results against the same schemas. **go-sdk** is
  modelcontextprotocol/go-sdk, over a connection in memory, the only way to call it; **mcp-go** is mark3labs/mcp-go, whose two
  validations are switched on. **sonic** is a switch by hand for this one call. Other members of results, such as the server's name, may differ.

`

// figures returns test/bench/figures.md: all goals and all figures.
func (m *measured) figures() string {
	var b strings.Builder
	fmt.Fprintf(&b, figuresHead, machine(), m.Settings.rounds, m.Settings.slice)
	m.goalTable(&b)
	m.ratioTable(&b, "Bytes to bytes", "How many times as long as rpcgen a contestant needs; below 1 it is faster.", m.Rows, "dispatch ")
	m.ratioTable(&b, "With GOEXPERIMENT=jsonv2", "The same in a program of its own, built with the new implementation of encoding/json. "+
		"The JSON-RPC libraries run on it as well.", m.JSONv2, "dispatch ")
	b.WriteString("## Typed values\n\nDecoding into a value that is used again, encoding from one; nothing else.\n\n")
	ratios(&b, m.Rows, "decode ", "encode ")
	b.WriteString("With GOEXPERIMENT=jsonv2:\n\n")
	ratios(&b, m.JSONv2, "decode ", "encode ")
	m.ratioTable(&b, "MCP", "Requests of the stateless era, 2026-07-28. Over HTTP, 16 callers have a connection each to a server in the same process; "+
		"their share is in every figure.", m.Rows, "mcp ")
	m.ratioTable(&b, "HTTP and WebSocket", servedText, m.Rows, "served ")
	transportTable(&b, m.row(transportRow(1)), m.row(transportRow(64)))
	m.compactTable(&b)
	m.tripTable(&b)
	m.timeoutTable(&b)
	m.Singles.write(&b)
	m.Delays.write(&b)
	m.processTables(&b)
	b.WriteString("## Every figure\n\nMedians, and the quartiles of the ratio to rpcgen within rounds.\n\n")
	for i := range m.Rows {
		fmt.Fprintf(&b, "<details><summary>%s</summary>\n\n%s\n</details>\n\n", m.Rows[i].Title, m.Rows[i].table())
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
