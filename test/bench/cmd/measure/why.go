package main

// why explains goals that are missed, by their ID. It is printed for those only.
var why = map[string]string{
	"small": "The peers are written with care: encoders are kept, buffers used again, types compiled before. `sonic.Valid` looks at neither UTF-8 nor escapes nor control characters, and builds nothing. " +
		"Of the call, decoding and encoding are a fifth each, the envelope and keeping calls a tenth each. More needs a cursor in registers, that is " +
		"decoders written out in generated code, which takes the compiler still longer; and results that are handed over without being copied.",
	"orders": "What comes in another order or spacing takes more rounds through the decoder, which compares scanned names instead of " +
		"whole literals; shuffled params meet no member where it is expected, and what precedes the method is passed over first. More needs names found by " +
		"a table instead of in rounds.",
	"typical": "More than a third of the time goes into writing floats and short strings; the peers spend theirs there as well, so the ratio is smaller " +
		"than that of the small call. `jrpc2` is called through its channel in memory. More needs floats that are converted without dividing.",
	"decode": "The time of short documents is that of single members: names, short strings, numbers. Each is a call that loads and stores the place of " +
		"the reader; more needs them written out in generated code.",
	"encode": "Short strings and floats dominate: 26 and 23 % of the time. Floats without division and digits without branches were tried and gained nothing.",
	"plain": "A hundred kilobytes are bound by how fast bytes are looked at; rpcgen's scanner is portable Go, and checks UTF-8 and control characters. " +
		"More needs vector instructions, that is assembly.",
	"texts": "sonic reads and writes long strings with vector instructions, and takes bytes above ASCII as they are; rpcgen checks that all " +
		"text is valid UTF-8, in portable Go.",
	"batch": "No call of a batch starts before the syntax of all of it is known to be right, so params are read twice: once to be " +
		"checked, and once to be decoded: 15 to 25 ns a call. As much goes into keeping the elements, and into the counter by which other goroutines take " +
		"some of them once the batch has taken long.",
	"trip": "64 callers wait for each other at the locks of the connection and of the table of calls, and use more memory than the caches of the processor hold.",
	"tool": "Every stateless request carries a `_meta` that is longer than the arguments. It is compared with one that was read before, as here, and read if it differs. The result is written twice, once as a string within JSON.",
	"list": "The request is read and checked before its answer is copied, which is as much work as copying some kilobytes. Its `_meta` is compared with one that was read before; reading another one takes 80 ns.",
	"post": "In addition to net/http, which both pay for, the params are decoded and checked, and the result is checked and written.",
	"tcp": "Callers and handlers share writes, so what is left is mostly waking goroutines, and the reading and writing of the system, which gRPC pays " +
		"for as well. " +
		"On a machine that is busy with other programs, more calls share a write on both sides.",
	"gathered": "A POST holds at most 16 calls, as many as a server handles concurrently by default, so a sixteenth of a POST remains in each call. " +
		"With more calls in a POST, handlers that wait run one after the other: with 100, calls of 5 ms by 64 callers took about four times as long as " +
		"without gathering.",
	"web": "In addition to net/http, which both pay for, a request is checked against its headers, and the answer is dispatched as one that may yet " +
		"become a stream.",
	"router": "Methods are told apart by a number made of their names, then by the name itself. What is left is one jump that cannot be " +
		"foretold, and code and names that no longer fit into the fastest cache.",
	"wrong": "Params that break a rule are read once, those with a missing member or one of a wrong type twice: until the first fault, and once more to " +
		"find every fault. A third reading, which checked the syntax before the second, is gone. " +
		"The answer, of 118 to 430 bytes, is two to three times as long as a good one: it names every fault twice, for people and for programs. An unknown " +
		"method is compared with all " +
		"known ones to name the nearest; every contestant does so here, with the same function. The allocations are one block for the texts of the faults, " +
		"or two functions with the names.",
	"toolwrong": "As of other calls; what is wrong is written for the model, as text, and again as data. The allocations are the error, its list, its " +
		"texts, and the context of the call. Of an unknown tool, a quarter of the time is the search for the nearest name, which every contestant here " +
		"makes with the same function, a fifth is reading the params, a sixth writing the error, and a tenth allocating.",
	"session": "A quarter of the processor time of a call and its answer is the scheduler's: the reader, the goroutine that reads on while the handler " +
		"runs, and the one that waits. " +
		"A seventh is locks that are free, a tenth allocating. Handling calls on the reading goroutine without another one that reads on was tried: 5 to 6 " +
		"% less time, and a handler that blocks would " +
		"keep the peer's next calls waiting until a timer notices. Not worth it.",
	"toolsession": "As of other sessions; go-sdk needs most of its time for the schemas, which a session does not change.",
	"timeout": "Without a session, a call of 150 ns also reads the clock and allocates a context, which the handler may keep. The row \"" + floorClock +
		"\" below does only that, " +
		"and no deadline can do with less. In a session the context of the call has the deadline: no allocation is left, only the clock and two locks that are free.",
	"delays": "The table of delays separates the causes. The loop without a call has what the machine adds. Garbage of a heap of a few megabytes is " +
		"collected about every ten thousand calls, and the calls " +
		"after a pause are late until the schedule is met again; the row that collects none is without them. The row with GOMAXPROCS=1 wakes no other " +
		"threads. The echo decodes nothing and has neither a session nor a context, " +
		"and is late by as much. A program with little to keep collects less often with GOGC or GOMEMLIMIT; a library must not set them.",
	"startup": "What the size consists of is in the table below. Two thirds of it come with log/slog, which formats with fmt and knows encoding/json. " +
		"Without it about 1.2 MB would be left; but programs that log in Go use *slog.Logger. " +
		"Deadlines, limits, cancellation and logs with a rate limit are 57 KB of code and data of the runtime, 0.19 MB with tables and debugging information.",
	"idle": "Calls need a deeper stack than the 2 KB that a goroutine starts with. Over a pipe, a session that has had no calls for a moment " +
		"reads on with a new goroutine; how large its stack is at first depends on those that there were when Go last collected garbage. " +
		"2,048 bytes are the stack; 416 are the session, 288 its dispatcher with limits and hooks, 300 its three channels; the rest is the goroutine, the " +
		"context and the end of the pipe.",
	"generate": "Most of the time is formatting the generated source.",
	"build": "The time of the compiler grows with the number of functions more than with their text. A quarter of its processor time is the part that " +
		"works on functions one by one in SSA form, 20 to 30 % its own collecting of garbage, " +
		"a quarter reading and checking types, which one processor does alone, a tenth the places of variables for debuggers; inlining is 2 %. With " +
		"GOGC=400 in the environment of the build it takes 0.8 of the processor time. " +
		"The methods for encoding/json are a quarter of the functions. " +
		"Either side still needs most of the codecs. In the compact codec one list of calls for each struct serves reading, writing and checking, which " +
		"takes less than half of the time of three functions, their loops and what they " +
		"instantiate. What is left there is the types, and functions that hand params and results on: those of the router, of the clients, and those that " +
		"the compiler makes for the methods of the server's interface.",
}
