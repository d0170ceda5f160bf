package lint

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// HostRules explain what hosts do not take, which rpcgen lint --host reports.
func HostRules() []diag.Info {
	return ir.Each(hosts.Checks(), func(c hosts.Check) diag.Info {
		return diag.Info{Code: diag.Code(c.Code()), Phase: "hosts", Title: c.Title,
			Explanation: c.Doc + " rpcgen lint --host reports it for hosts that have the limit, with its source and its day."}
	})
}

func isHostRule(id string) bool {
	return slices.ContainsFunc(HostRules(), func(info diag.Info) bool { return string(info.Code) == id })
}
