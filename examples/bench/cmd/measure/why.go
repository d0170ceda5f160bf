package main

// why explains goals that are missed, by their ID. It is printed for those only.
var why = map[string]string{
	"small": "The peers are written with care: encoders are kept, buffers used again, types compiled before. `sonic.Valid` looks at neither UTF-8 nor escapes nor control characters, and builds nothing.",
	"orders": "What comes in another order or spacing takes more rounds through the decoder, which compares scanned names instead of " +
		"whole literals; shuffled params meet no member where it is expected.",
	"typical": "More than a third of the time goes into writing floats and short strings; the peers spend theirs there as well, so the ratio is smaller " +
		"than that of the small call. `jrpc2` is taken behind its channel in memory.",
	"decode": "The time of short documents is that of single members: names, short strings, numbers.",
	"encode": "Short strings and floats dominate; sonic writes strings with vector instructions.",
	"plain":  "A hundred kilobytes are bound by how fast bytes are looked at; rpcgen's scanner is portable Go, and checks UTF-8 and control characters.",
	"texts": "sonic reads and writes long strings with vector instructions, and takes bytes above ASCII as they are; rpcgen checks that all " +
		"text is valid UTF-8, in portable Go.",
	"batch": "The whole batch is checked before its first call starts, and each element keeps what it takes to go on concurrently when " +
		"another one is slow.",
	"trip": "A call in a session has a goroutine, a context that can be cancelled and an entry in the table of calls; an echo has none of them. " +
		"A good part of the difference is waking goroutines and growing their stacks.",
	"router":   "A switch over strings is a binary search, and which way it turns cannot be foretold when methods come at random; a map of functions, beside it in the table below, has the same trouble at its end.",
	"wrong":    "An unknown method is compared with all known ones to name the nearest; every contestant does so here, with the same function.",
	"startup":  "What the size consists of is in the table below: the runtime logs, formats and keeps time, and so links packages that an empty program does not.",
	"idle":     "A session that has not been used yet is within the goal. Calls need a deeper stack than the 2 KB that a goroutine starts with, and it is not given back at once.",
	"generate": "Most of the time is formatting the generated source.",
	"build":    "The compiler's time grows with the code of the codecs, and either half still needs most of them.",
}
