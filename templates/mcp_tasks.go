package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// taskOf is the type of the handle of a tool's task.
func (w *mcpClientWriter) taskOf(t *tool) *jen.Statement {
	return jen.Op("*").Add(mcpclient("Task")).Types(w.handlers.taskGives(t))
}

// taskGives is what a task gives in the end.
func (w *serverWriter) taskGives(t *tool) jen.Code {
	if gives := w.toolShows(t); gives != nil {
		return gives
	}
	return jen.Struct()
}

// emitTaskCall writes the method of a client for a tool that runs as a task only: it waits for the end of the task.
func (w *mcpClientWriter) emitTaskCall(f *jen.File, t *tool) {
	w.stub(f, w.handlers.toolCaller(t), "out").BlockFunc(func(g *jen.Group) {
		start := invoke("c", "Start"+t.name, arguments(t.Input, "in")...)
		g.List(jen.Id("task"), jen.Err()).Op(":=").Add(start)
		if w.handlers.toolShows(t) == nil {
			g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
			g.List(jen.Id("_"), jen.Err()).Op("=").Id("task").Dot("Run").Call(jen.Id("ctx"))
			g.Return(jen.Err())
			return
		}
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("out"), jen.Err()))
		g.Return(invoke("task", "Run", jen.Id("ctx")))
	})
}

// arguments are a context and what is sent, which is a variable; a nil type means that nothing is.
func arguments(sent ir.Type, variable string) []jen.Code {
	if sent == nil {
		return []jen.Code{jen.Id("ctx")}
	}
	return []jen.Code{jen.Id("ctx"), jen.Id(variable)}
}

// emitTaskStubs writes the methods of a client that start a tool as a task and find the task again.
func (w *mcpClientWriter) emitTaskStubs(f *jen.File, t *tool) {
	boundary(f)
	f.Comment("Start" + t.name + " calls " + t.name + " and returns its task, which may run for long.")
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id("Start"+t.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if t.Input != nil {
			g.Id("in").Add(w.names.goType(t.Input))
		}
	}).Params(jen.Id("task").Add(w.taskOf(t)), jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Add(w.newToolRequest(t))
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		g.Add(invoke("q", "AsTask"))
		w.sendArguments(g, t.Input, "in")
		g.Return(mcpclient("StartedTask").Call(jen.Id("q"), jen.Id(w.names.taskResult(t))))
	})
	boundary(f)
	f.Comment(t.name + "Task returns the task of " + t.name + " with an id, which may have been started on another connection.")
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(t.name + "Task").Params(jen.Id("id").String()).Add(w.taskOf(t)).Block(
		jen.Return(mcpclient("TaskOf").Call(w.newToolRequest(t), jen.Id("id"), jen.Id(w.names.taskResult(t)))))
	w.emitTaskResult(f, t)
}

// taskResult is the function of a client that reads the result of a task.
func (n *names) taskResult(t *tool) string { return n.hiddenName(t.name, "TaskResult") }

// emitTaskResult writes how the result of a task is read.
func (w *mcpClientWriter) emitTaskResult(f *jen.File, t *tool) {
	boundary(f)
	f.Comment(w.names.taskResult(t) + " reads the result of a task of " + t.name + ".")
	f.Func().Id(w.names.taskResult(t)).Params(jen.Id("q").Op("*").Add(mcpclient("ToolRequest"))).Params(jen.Id("out").Add(w.handlers.taskGives(t)),
		jen.Err().Error()).
		BlockFunc(func(g *jen.Group) {
			if t.silent() {
				g.Add(invoke("q", "NoResult", toolErrors(t)))
				g.Return(jen.Id("out"), invoke("q", "Err"))
				return
			}
			w.receiveResult(g, t)
		})
}
