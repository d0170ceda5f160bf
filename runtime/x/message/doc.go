// Package message makes and reads JSON-RPC 2.0 messages without a connection, for gateways, logs and
// tests.
//
// Messages are read with the scanner of package runtime, so what this package accepts is what a
// server accepts, and a [Fault] has the code and the id that a server answers with. Nothing is
// copied: the parts of a [Message] share the bytes of the text that was read, which therefore must
// not be changed. Ids, params, results and error data are JSON texts, and an id keeps the text that
// its sender chose.
//
//test:sequential
package message
