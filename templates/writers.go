package templates

// callWriter writes calls: the stubs that send them, and how params and results are read, checked and appended on either side.
type callWriter struct {
	names  *names
	forms  *forms
	needs  *needs
	values *valueWriter
	flush  func()
}

// codecWriter writes how types are read from and written as JSON.
type codecWriter struct {
	names  *names
	forms  *forms
	needs  *needs
	values *valueWriter
}

// valueWriter writes expressions and statements that read and append values.
type valueWriter struct {
	names *names
	forms *forms
}

func (p plan) values() *valueWriter { return &valueWriter{p.names, p.forms} }

// errorWriter writes the types of errors.
type errorWriter struct {
	names  *names
	needs  *needs
	values *valueWriter
	types  *typeWriter
}

// mcpClientWriter writes the client of an MCP server.
type mcpClientWriter struct {
	names    *names
	calls    *callWriter
	handlers *serverWriter
}

// serverWriter writes what is called: the interfaces that handlers implement, and their routers.
type serverWriter struct {
	names *names
	needs *needs
	calls *callWriter
}

func newServerWriter(p plan) *serverWriter {
	return &serverWriter{p.names, p.needs, &callWriter{p.names, p.forms, p.needs, p.values(), p.flush}}
}

// toolWriter writes what a document declares for MCP.
type toolWriter struct {
	names    *names
	needs    *needs
	values   *valueWriter
	calls    *callWriter
	handlers *serverWriter
}

func newToolWriter(p plan) *toolWriter {
	handlers := newServerWriter(p)
	return &toolWriter{p.names, p.needs, handlers.calls.values, handlers.calls, handlers}
}

// typeWriter writes declarations of types.
type typeWriter struct {
	names  *names
	needs  *needs
	values *valueWriter
}

// checkWriter writes the rules of types.
type checkWriter struct {
	names  *names
	forms  *forms
	needs  *needs
	values *valueWriter
}

// walkWriter writes the methods that list members.
type walkWriter struct {
	names  *names
	forms  *forms
	needs  *needs
	values *valueWriter
	codec  *codecWriter
	checks *checkWriter
}
