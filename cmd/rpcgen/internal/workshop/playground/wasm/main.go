//go:build js

// Command wasm is the compiler of the playground for a worker of a browser: it gives the worker a function rpcgenCompile(request), which takes and
// returns JSON text, and stays.
package main

import (
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/playground"
)

func main() {
	debug.SetGCPercent(400) // a request needs little memory and is waited for
	debug.SetMemoryLimit(1 << 30)
	js.Global().Set("rpcgenCompile", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(playground.CompileJSON([]byte(args[0].String())))
	}))
	hello, _ := json.Marshal(playground.Examples())
	js.Global().Call("rpcgenReady", string(hello))
	select {}
}
