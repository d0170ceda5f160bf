package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// taskOf is the type of the handle of a tool's task.
func (p *mcpClientWriter) taskOf(t *tool) *jen.Statement {
	return jen.Op("*").Add(mcpclient("Task")).Types(p.handlers.taskGives(t))
}

// taskGives is what a task gives in the end.
func (p *serverWriter) taskGives(t *tool) jen.Code {
	if gives := p.toolGives(t); gives != nil {
		return gives
	}
	return jen.Struct()
}

// emitTaskCall writes the method of a client for a tool that runs as a task only: it waits for the end of the task.
func (p *mcpClientWriter) emitTaskCall(f *jen.File, t *tool) {
	p.stub(f, p.handlers.toolHandler(t), "out").BlockFunc(func(g *jen.Group) {
		start := jen.Id("c").Dot("Start" + t.name).CallFunc(func(g *jen.Group) { argumentsOf(g, t) })
		g.List(jen.Id("task"), jen.Err()).Op(":=").Add(start)
		if p.handlers.toolGives(t) == nil {
			g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
			g.List(jen.Id("_"), jen.Err()).Op("=").Id("task").Dot("Run").Call(jen.Id("ctx"))
			g.Return(jen.Err())
			return
		}
		g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("out"), jen.Err()))
		g.Return(jen.Id("task").Dot("Run").Call(jen.Id("ctx")))
	})
}

func argumentsOf(g *jen.Group, t *tool) {
	g.Id("ctx")
	if t.Input != nil {
		g.Id("in")
	}
}

// emitTaskStubs writes the methods of a client that start a tool as a task and find the task again.
func (p *mcpClientWriter) emitTaskStubs(f *jen.File, t *tool) {
	boundary(f)
	f.Comment("Start" + t.name + " calls " + t.name + " and returns its task, which may run for long.")
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id("Start"+t.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if t.Input != nil {
			g.Id("in").Add(p.goType(t.Input))
		}
	}).Params(jen.Id("task").Add(p.taskOf(t)), jen.Err().Error()).BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Add(p.newToolRequest(t))
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		g.Id("q").Dot("AsTask").Call()
		p.sendArguments(g, t.Input, "in")
		g.Return(mcpclient("StartedTask").Call(jen.Id("q"), jen.Id(p.taskResult(t))))
	})
	boundary(f)
	f.Comment(t.name + "Task returns the task of " + t.name + " with an id, which may have been started on another connection.")
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(t.name + "Task").Params(jen.Id("id").String()).Add(p.taskOf(t)).Block(
		jen.Return(mcpclient("TaskOf").Call(p.newToolRequest(t), jen.Id("id"), jen.Id(p.taskResult(t)))))
	p.emitTaskResult(f, t)
}

// taskResult is the function of a client that reads the result of a task.
func (p *plan) taskResult(t *tool) string { return p.hidden(t.name, "TaskResult") }

// emitTaskResult writes how the result of a task is read.
func (p *mcpClientWriter) emitTaskResult(f *jen.File, t *tool) {
	boundary(f)
	f.Comment(p.taskResult(t) + " reads the result of a task of " + t.name + ".")
	f.Func().Id(p.taskResult(t)).Params(jen.Id("q").Op("*").Add(mcpclient("ToolRequest"))).Params(jen.Id("out").Add(p.handlers.taskGives(t)), jen.Err().Error()).
		BlockFunc(func(g *jen.Group) {
			if t.silent() {
				g.Id("q").Dot("NoResult").Call(toolErrors(t))
				g.Return(jen.Id("out"), jen.Id("q").Dot("Err").Call())
				return
			}
			p.receiveResult(g, t)
		})
}

// toolErrors is what decodes the declared errors of a tool.
func toolErrors(t *tool) jen.Code {
	if len(t.Errors) > 0 {
		return jen.Id("decodeToolError")
	}
	return jen.Nil()
}

// hasTasks reports whether there are tools that run as tasks.
func (p *plan) hasTasks() bool {
	for _, t := range p.tools {
		if t.Task != ir.TaskNever {
			return true
		}
	}
	return false
}
