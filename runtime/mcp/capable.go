package mcp

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

func alwaysTrue(*Server) bool { return true }

func hasTools(s *Server) bool { return s.info.Tools != "" || s.opts.Dynamic != nil }

func hasPrompts(s *Server) bool { return s.info.Prompts != "" || s.opts.Dynamic != nil }

func hasResources(s *Server) bool {
	return s.info.Resources != "" || s.info.Templates != "" || s.opts.Dynamic != nil
}

func canSubscribe(s *Server) bool {
	return hasResources(s) && (s.info.Subscribe || s.opts.Dynamic != nil && s.opts.Dynamic.Watches())
}

func canComplete(s *Server) bool { return s.info.Completions || s.opts.Dynamic != nil }

// complete returns an error if required params are missing.
func (r *route) complete(q *Request) error {
	if r == nil || q.named || r.has&(hasName|hasURI|hasTask) == 0 {
		return nil
	}
	member := "name"
	switch {
	case r.has&hasURI != 0:
		member = "uri"
	case r.has&hasTask != 0:
		member = "taskId"
	}
	v := violation.Violation{Pointer: "/" + member, Rule: "required", Expected: "member " + protocol.Quote(member)}
	return runtime.InvalidParams([]violation.Violation{v}, 0)
}

// hasTasks reports whether there are tools that run as tasks, or may be added.
func hasTasks(s *Server) bool {
	return len(s.tasks) > 0 || s.opts.Tasks != nil && s.opts.Dynamic != nil
}
