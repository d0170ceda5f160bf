package contract

// Check describes a check.
type Check struct {
	Name    string
	What    string // it looks for, as a sentence
	Why     string // that matters
	Example string // of a finding
	Advice  string // how to repair it
}

// Names returns the names of all checks, in the order in which they are described.
func Names() []string {
	all := make([]string, len(checks))
	for i, c := range checks {
		all[i] = c.Name
	}
	return all
}

// Checks returns all checks.
func Checks() []Check { return append([]Check(nil), checks...) }

var checks = []Check{
	{"Crash", "A call ends the server, while it runs or within 700 ms after its answer.", "Hosts lose every tool of a server that has ended.", "lint_files ends the server, after its answer: it ended with code 1", "Catch what fails in a call, also in work that goes on after the answer."},
	{"Hang", "A call is not answered in --timeout, and not in a minute in a second instance. It is a note if progress is notified meanwhile.", "Hosts wait, and the conversation stands still.", "write_file does not answer in 10s, and not in 1m0s in a second instance", "Limit how long a call may take, and answer an error then."},
	{"Malformed", "The server ends, or answers nothing more, after a message that is malformed, very deep or very long.", "One faulty client must not end the server for all.", "the server answers nothing more after a malformed message (no JSON)", "Answer -32700 or -32600, and read on."},
	{"StdoutNoise", "A line on the standard output is not a message.", "Strict clients end the connection at such a line.", `the server writes to its standard output what is not a message, such as "ready"`, "Write to the standard error."},
	{"NoExit", "The program still runs 10 seconds after its standard input has ended.", "Hosts do not end such processes.", "the server still runs 10 s after its input has ended", "End the program when its input ends."},
	{"Slow", "A call takes longer than --max-time, or equal calls take longer and longer.", "What grows with each call makes long conversations slow.", "count_books takes longer with every call: 2ms at first, 90ms after 50 equal calls", "Look for what grows with each call."},
	{"Poisoned", "A call that succeeded fails after another one has failed.", "One mistake of a model must not break the calls after it.", `get_book fails with {"id":"bk-0001"}, with which it succeeded before, after a call that failed`, "Leave nothing half done when a call fails."},
	{"AcceptsInvalid", "A call succeeds whose arguments break exactly one rule of the published schema. Null for an optional argument is a note.", "A model that is wrong is not told so, and the server works with something else than was meant.", "search_books answers although limit is 21, and the schema says maximum: 20", "Check arguments against the published schema, or publish what is taken."},
	{"DropsUnknown", "A call with an unknown argument succeeds, although the schema says additionalProperties: false.", "A misspelled argument is lost without a word.", "read_file answers although the argument haed is unknown", "Refuse unknown arguments, as the schema says."},
	{"RefusesValid", "Arguments that fit the schema are refused as invalid. It is a warning where the call differs from one that succeeded at a declared rule, a number, a count or a presence, and else a note.", "Models and clients believe the schema.", "search_books refuses a call in which limit is 20, which fits its schema", "Say in the schema what is taken."},
	{"ReachNone", "No call of a tool succeeded.", "Nothing else can be said about such a tool.", "no call of render_pdf succeeded (31 calls): no such file", "Give values for its arguments in verify.yaml, under seeds."},
	{"ErrorCode", "An unknown method is not answered with -32601, an error has no code, or a failure of a tool comes as an error of the protocol.", "Models do not see errors of the protocol, and cannot correct the call.", "get_book reports a failure as the error -32603 of the protocol", "Answer a result with isError: true that says why."},
	{"Unhelpful", "A refusal names neither the argument nor the value.", "A model cannot correct what it is not told.", `add_book refuses arguments, and its answer names neither the argument nor the value: "Bad request"`, "Say which argument is wrong, and what is expected."},
	{"OutputSchema", "A result does not fit the published output schema, or has no structured content although there is one.", "Strict clients refuse such results.", "get_book answers with the structured content at /pages being \"12\", and its output schema says type: integer", "Return what the schema says, or publish what is returned."},
	{"TextDiffers", "A text that is JSON differs from the structured content.", "Some clients show one, some the other.", "status answers with a text that differs from the structured content at \"/count\": 3 and 4", "Write the text from the structured content."},
	{"Content", "A result, a content block, a log message or a question to the user has not the form of the specification.", "Clients refuse the result.", "cover answers with a block of type image without `mimeType`", "Return blocks as the specification has them."},
	{"Garbage", "A text has a value that was written by mistake, such as [object Object].", "Models take it for what is meant.", `list answers with "[object Object]" in a text`, "Write the value that is meant."},
	{"Leak", "An error text has a stack trace, a path of the installation, the text of an exception, or a value of the environment.", "It tells strangers about the inside, and models nothing.", "create_entities answers with what an exception or the inside of the server says: \"Cannot read properties of undefined\"", "Catch the exception, and answer what the caller can do."},
	{"ResultLimit", "A result is longer than hosts take: 100,000 bytes or about 25,000 tokens of text, 8 MiB in all.", "Hosts cut or refuse it.", "cite_book answers with a text of 128000 bytes, about 32000 tokens", "Return a page with a cursor."},
	{"ListLimit", "Names, descriptions or the number of tools are above what hosts take.", "Hosts cut or refuse them.", "the description of deploy has 5100 characters", "Say less."},
	{"ReadOnlyLie", "A tool that says readOnlyHint: true changes what other read-only tools answer, or counts its calls.", "Hosts call such tools without asking.", "get_book says that it only reads, and search_books answers otherwise after it", "Take the hint away, or change nothing."},
	{"IdempotentLie", "A second equal call of a tool that says idempotentHint: true fails, or changes something.", "Hosts repeat such calls after a timeout.", "set_price says that it is idempotent, and the second equal call fails", "Take the hint away, or let a second call change nothing."},
	{"CreateThenRead", "What a tool has created is not found by the id that it returned.", "The next call of a model is this one.", `get_book does not find what add_book has returned: {"id":"bk-9001"}`, "Return the id by which the entry can be read."},
	{"UseAfterDelete", "What was deleted is still returned, or a session that was deleted is still served.", "It was not deleted.", `get_book still returns the entry that delete_book has deleted: {"id":"bk-0001"}`, "Delete the entry everywhere."},
	{"Pagination", "A cursor that was returned is refused, comes again or is not a text, or a list has an entry twice or not at all.", "Clients that read all pages fail, or never end.", "search_books refuses the cursor that it has returned", "Take every cursor that was returned."},
	{"ListUnstable", "Two lists, one after the other or after calls, differ, and no notification says so.", "Models pay for a list that changes, since it has to be read again.", "tools/list answers the second time in another order", "List entries in a fixed order."},
	{"Nondeterministic", "A tool that only reads answers two equal calls differently. It runs only if --checks names it.", "Such answers cannot be cached or compared.", "get_book answers equal calls differently at /seen: 2 and 1", "Leave out what changes by itself, or skip this check."},
	{"IDKept", "A request is answered with another id, or not at all because of its id.", "The answer does not reach the caller.", "a request with the id -1 is answered with another one", "Answer with the id of the request, as it is."},
	{"Notified", "A notification is answered, or ends the session, or a request is answered twice; or the server sends a notification with an id, or progress that nobody asked for or that does not grow.", "Clients cannot tell to what an answer belongs.", "a notification is answered: {\"id\":null,...}", "Never answer notifications."},
	{"Batch", "A batch is answered in part, or ends the session.", "Callers wait for the rest.", "a batch of two requests and a notification is answered by 1 answers", "Answer each request of a batch, in one list. Revisions of MCP other than 2025-03-26 have no batches: refuse it, and read on."},
	{"Cancel", "After a cancellation the server answers nothing more.", "Hosts cancel at any time.", "the cancellation of a request that the server does not know ends the session", "Ignore the cancellation of unknown requests."},
	{"MixedUp", "Calls that run at once get each other's answers.", "Users see what belongs to others.", `get_book answers {"id":"bk-0001"} with the answer to {"id":"bk-0002"} when 8 calls run at once`, "Keep what belongs to a call in the call."},
	{"Flood", "Of 200 calls at once not all are answered.", "Callers wait for ever.", "of 200 calls of get_book at once 100 are not answered", "Answer every request, with an error if there are too many."},
	{"ErasDiffer", "The same call is accepted in one era of the protocol and refused in the other, or a tool is listed in one only.", "It depends on the host what a tool does.", "the tool cover is not listed in the stateless era, and is in the other one", "Serve both eras by the same code."},
	{"Capability", "What is declared is not served, or is served and not declared; or the first answer, the version that it agrees to, ping, log levels, completions or sessions over HTTP are not as the specification says.", "Clients fail when they ask for it.", "the server declares resources, and does not answer resources/list with a list", "Serve the list, or do not declare it."},
	{"Resource", "A listed resource cannot be read or is not what the list says, an unknown one can be read, or a prompt fails, is answered without an argument that it requires, or with messages that are none.", "Clients offer what is listed.", "the resource library://rules is listed as text/plain, and read as application/octet-stream", "List what can be read, as what it is."},
	{"Schema", "A published schema is not one, refers to nothing, contradicts itself, or has a default that does not fit; or hints contradict each other.", "Clients that compile schemas refuse the tool, or the whole list.", "search_books has an input schema that is not a JSON Schema: $ref: \"#/$defs/Author\": it leads nowhere", "Repair the schema."},
	{"Tasks", "The state of a task goes backwards, or an unknown task is answered.", "Clients wait for what has happened.", "an unknown task is answered as if it were there", "Follow the states of tasks."},
}

// reach reports tools of which no call succeeded, and how far schemas are open.
func reach(r *runner) {
	for _, t := range r.tools {
		if t.stats.Calls == 0 || t.stats.Reached {
			continue
		}
		why := mostFrequent(t.refusals)
		message := t.name + " never succeeded"
		if why != "" {
			message += ": " + why
		}
		r.fact(t, fault{check: "ReachNone", severity: Note, proof: Heuristic, message: message, advice: "Give values for its arguments in verify.yaml, under seeds, so that it can be checked."})
	}
	r.confirm()
}
