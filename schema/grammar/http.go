package grammar

import (
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Styles are the ways to write a list or an object into a query or a form.
var Styles = []string{"repeat", "comma", "deep", "deep-index", "json"}

// Verbs are the methods of HTTP that a tool may call, as keys.
var Verbs = []string{"get", "head", "post", "put", "patch", "delete"}

// Backend is the place of an HTTP API.
var Backend = sync.OnceValue(func() *Place {
	return &Place{Name: "a backend", Keys: describe(
		Key{Name: "server", Doc: "The URL below which the paths of requests lie: absolute, without query, with {name} for a variable.", Value: text(),
			Required: true},
		Key{Name: "variables", Doc: "The variables of server by name, which the program may choose.", Value: choice(serverVariable())},
		Key{Name: "headers", Doc: "Headers of every request, with constant values.", Value: choice(text())},
		Key{Name: "schemes", Doc: "The credentials that it takes, by name.", Value: choice(scheme())},
		Key{Name: "auth", Doc: "What requests carry: a scheme, several at once as a list, alternatives as {any: [...]}, or none.", Value: auth()},
		Key{Name: "error", Doc: "Where the bodies of errors say what is wrong.", Value: errorBody()},
		Key{Name: "timeout", Doc: "How long one try may take, such as 30s, which is the default.", Value: timeout()},
		Key{Name: "page", Doc: "How lists are continued, of tools with a field that is the cursor.", Value: paging()},
	)}
})

func serverVariable() *Place {
	return &Place{Name: "a variable of a server", Keys: []Key{
		{Name: "default", Doc: "Its value where the program chooses none.", Value: text(), Required: true},
		{Name: "enum", Doc: "What it may be.", Value: names(Text)},
		{Name: "pattern", Doc: "The regular expression (RE2) that its whole text matches.", Value: text()},
	}}
}

func scheme() *Place {
	return &Place{Name: "a scheme", Keys: []Key{
		{Name: "kind", Doc: "bearer: a token in the header Authorization. basic: a user and a password there. key: a text in the place that header, query " +
			"or cookie names. oauth: a bearer token that one gets by logging in.", Value: words("bearer", "basic", "key", "oauth"), Required: true},
		{Name: "description", Doc: "What it is for, and where to get one.", Value: prose()},
		{Name: "header", Doc: "Of a key: the name of the header that holds it.", Value: textOfForm(HeaderForm)},
		{Name: "query", Doc: "Of a key: the name of the query parameter that holds it.", Value: text()},
		{Name: "cookie", Doc: "Of a key: the name of the cookie that holds it.", Value: textOfForm(HeaderForm)},
		{Name: "authorize", Doc: "Of oauth: the URL where a user logs in.", Value: text()},
		{Name: "token", Doc: "Of oauth: the URL where a program gets tokens.", Value: text()},
		{Name: "scopes", Doc: "Of oauth: what the token is for.", Value: names(Text)},
	}}
}

func auth() *Place {
	together := &Place{Name: "auth", Scalars: []Scalar{Text}, Items: text()}
	return &Place{Name: "auth", Scalars: []Scalar{Text}, Items: text(), Keys: []Key{
		{Name: "any", Doc: "Alternatives in order: schemes, and lists of those that are sent together.", Value: listOf(together), Required: true},
	}}
}

func errorBody() *Place {
	return &Place{Name: "error", Keys: []Key{
		{Name: "message", Doc: "The path of the text, such as error.message.", Value: text()},
		{Name: "details", Doc: "The path of further facts.", Value: text()},
	}}
}

func paging() *Place {
	return &Place{Name: "page", Keys: []Key{
		{Name: "by", Doc: "link: the answer holds the URL of the next page. cursor: it holds a text, or a number, for the next request. offset: requests " +
			"say how many items to skip. page: requests say the number of a page.", Value: words("link", "cursor", "offset", "page"), Required: true},
		{Name: "param", Doc: "The query parameter that continues the list. Of link there is none.", Value: text()},
		{Name: "from", Doc: "The path of the next cursor or link in the answer, such as data[-1].id. Without it, a link is that of the header Link.", Value: text()},
		{Name: "more", Doc: "The path of a boolean in the answer that reports whether there is more.", Value: text()},
		{Name: "size", Doc: "The query parameter that is the size of a page.", Value: text()},
		{Name: "first", Doc: "The number of the first page, or the first offset. The default is 1 and 0.", Value: integer()},
	}}
}

// request is the request of a tool.
func request() *Place {
	keys := ir.Each(Verbs, func(verb string) Key {
		return Key{Name: verb, Doc: "The path below the server of the backend, with {name} for a field of the input.", Value: text()}
	})
	return &Place{Name: "http", Keys: append(keys,
		Key{Name: "backend", Doc: "Which backend, where there are several.", Value: text()},
		Key{Name: "body", Doc: "How the body is written: json, which is the default, form, multipart, text, bytes, or a media type; one that does not end " +
			"in json is text or bytes, by the type of the field. With ? after it, a JSON body without members is not sent.", Value: text()},
		Key{Name: "fixed", Doc: "Constants of the request.", Value: &Place{Name: "fixed", Keys: []Key{
			{Name: "query", Doc: "Query parameters by name.", Value: choice(scalar(Anything))},
			{Name: "header", Doc: "Headers by name.", Value: choice(text())},
			{Name: "body", Doc: "Members of the body by path.", Value: choice(Data())},
		}}},
		Key{Name: "auth", Doc: "What the request carries, in place of what the backend says.", Value: auth()},
		Key{Name: "page", Doc: "How the list is continued, in place of what the backend says.", Value: paging()},
		Key{Name: "retry", Doc: "What makes it safe to send a call again.", Value: &Place{Name: "retry", Keys: []Key{
			{Name: "key", Doc: "The header that holds a key of the call, the same in every try.", Value: textOfForm(HeaderForm), Required: true},
		}}},
		Key{Name: "wait", Doc: "How the end of the work that an answer of 202 announces is waited for.", Value: &Place{Name: "wait", Keys: []Key{
			{Name: "get", Doc: "The path that gives the state of the work, with {id} and with fields that the path of the request names.", Value: text()},
			{Name: "id", Doc: "The path of the value of {id} in the answer.", Value: text()},
			{Name: "location", Doc: "true: the header Location of the answer says where the state is, on the same origin. The work is done when that is not " +
				"answered with 202.", Value: boolean()},
			{Name: "until", Doc: "Members of the state by path, and the values that they all have when the work is done; a list has several of which one is " +
				"enough.", Value: choice(Data())},
			{Name: "fail", Doc: "Members of the state by path, and the values of which one says that the work failed.", Value: choice(Data())},
			{Name: "every", Doc: "The time between two requests. The default is 2s.", Value: timeout()},
		}}},
		Key{Name: "redirect", Doc: "same: redirects are followed on the same origin, which is the default. link: they are not followed, and count as an " +
			"answer whose header Location can be read.", Value: words("same", "link")},
	)}
}

// httpPlace is the place of a field in a request or an answer.
func httpPlace() *Place {
	return &Place{Name: "http of a field", Scalars: []Scalar{Word}, Words: []string{"query", "header", "body", "path", "cursor", "next", "status",
		"none"}, Keys: []Key{
		{Name: "query", Doc: "The query parameter.", Value: text()},
		{Name: "header", Doc: "The header.", Value: textOfForm(HeaderForm)},
		{Name: "body", Doc: "The path of the member of the body, such as metadata.name.", Value: text()},
		{Name: "file", Doc: "The part of a multipart body, which has a file name.", Value: text()},
		{Name: "style", Doc: "How a list or an object is written: repeat is a=1&a=2, comma a=1,2, deep a[b]=1 and a[]=1, deep-index a[0]=1, json its JSON.",
			Value: words(Styles...)},
		{Name: "type", Doc: "Of a file: its media type.", Value: text()},
	}}
}
