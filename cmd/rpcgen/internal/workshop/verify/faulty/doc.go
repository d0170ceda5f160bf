// Package faulty tests package contract with servers that break one promise each: each is a filter of a few lines between a
// client and a server without a fault. That server is a library of books (library.rpc.yaml).
//
// A fault runs in memory, or in a process of its own: the program of the tests is the server if the environment has RPCGEN_TEST_FAULT, such as
// "Crash/empty-text library". The program is built by "go test -c".
//
//test:sequential
package faulty
