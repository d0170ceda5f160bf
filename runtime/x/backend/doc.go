// Package backend calls HTTP APIs for generated servers: a tool whose schema has http is answered by a request to a backend. Generated code
// holds tables that say how input becomes a request and an answer becomes output; everything that is not particular to one tool is here.
//
// The package is strict about what it sends: values of callers are escaped and never change the host, the number of path segments or the
// structure of the query; credentials belong to a principal, and the token of the client is never passed on. It is tolerant about what comes
// back: members of an answer that do not fit are left out if they may be absent, and reported; everything that comes back is limited.
//
// The package is young: it has no compatibility promise yet.
package backend
