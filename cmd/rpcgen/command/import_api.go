//go:build !bootstrap

package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// apiFlags are the flags of import for descriptions of HTTP APIs.
type apiFlags struct {
	importer.APIOptions
	text, page, bounds, answers string
}

// bind declares the flags.
func (f *apiFlags) bind(c *cobra.Command) {
	f.bindChoice(c)
	c.Flags().IntVar(&f.NameLength, "name-length", 0, "of OpenAPI: the greatest length of names of tools, in `bytes` (default 47)")
	c.Flags().StringVar(&f.text, "text", "short", "of OpenAPI: keep the first sentence of descriptions, short, or up to 2,048 characters, full")
	c.Flags().StringVar(&f.page, "page", "on", "of OpenAPI: make a cursor of parameters that continue lists: on or off")
	c.Flags().StringVar(&f.bounds, "bounds", "on", "of OpenAPI: add bounds to lists and texts of inputs that have none: on or off")
	c.Flags().StringVar(&f.answers, "answers", "tolerant", "of OpenAPI: types of answers, tolerant or strict as the description has them")
	c.Flags().BoolVar(&f.Choose, "choose", false, "of OpenAPI: callers choose among the members of answers that have a list of objects or more than 10 members (view.choose)")
	c.Flags().IntVar(&f.Depth, "answer-depth", 0, "of OpenAPI: how many `objects` within that of an answer are followed (default 1)")
	c.Flags().BoolVar(&f.New, "new", false, "of OpenAPI: take optional parameters and members that operations have gained since the last import")
	c.Flags().BoolVar(&f.Prune, "prune", false, "of OpenAPI: remove tools whose operations are gone")
}

// bindChoice declares those that say what is taken, and from where.
func (f *apiFlags) bindChoice(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Take, "take", nil, "of OpenAPI: take operations that fit this `pattern`: an operationId, tag:NAME, or METHOD PATH, with * and **; may be repeated")
	c.Flags().StringArrayVar(&f.Leave, "leave", nil, "of OpenAPI: leave out operations that fit this `pattern`; counts more than --take")
	c.Flags().BoolVar(&f.All, "all", false, "of OpenAPI: take all operations, however many")
	c.Flags().IntVar(&f.Most, "most", 0, "of OpenAPI: the greatest `number` of operations that are taken (default 40)")
	c.Flags().BoolVar(&f.ReadOnly, "read-only", false, "of OpenAPI: take only operations that read")
	c.Flags().StringVar(&f.Server, "server", "", "of OpenAPI: the `URL` of the API, in place of what the description says")
	c.Flags().StringArrayVar(&f.Schemes, "scheme", nil, "of OpenAPI: a credential that the description does not declare: `NAME=KIND`, where the kind is bearer, basic, header:X, query:X or cookie:X")
	c.Flags().StringArrayVar(&f.Keep, "keep", nil, "of OpenAPI: the members that an input has: `OPERATION: PATH, PATH.{A,B}`, with [] after a list")
}

// options are what the flags say.
func (f *apiFlags) options() (importer.APIOptions, error) {
	o := f.APIOptions
	for _, choice := range []struct {
		flag, value, one, other string
		is                      *bool
	}{
		{"text", f.text, "short", "full", &o.FullText}, {"page", f.page, "on", "off", &o.NoPages},
		{"bounds", f.bounds, "on", "off", &o.NoBounds}, {"answers", f.answers, "tolerant", "strict", &o.Strict},
	} {
		if choice.value == "" { // of a command without the flag
			continue
		}
		if choice.value != choice.one && choice.value != choice.other {
			return o, usageError{errors.New("--" + choice.flag + " is " + choice.one + " or " + choice.other + ", not " + choice.value)}
		}
		*choice.is = choice.value == choice.other
	}
	if o.Most < 0 || o.NameLength != 0 && (o.NameLength < 16 || o.NameLength > 64) || o.Depth < 0 || o.Depth > 10 {
		return o, usageError{errors.New("--most is at least 1, --name-length from 16 to 64, and --answer-depth from 1 to 10")}
	}
	return o, nil
}

// apiOnly are the flags that mean nothing for other sources.
var apiOnly = []string{"take", "leave", "all", "most", "read-only", "server", "scheme", "name-length", "text", "page", "bounds", "answers", "answer-depth", "choose", "keep", "new", "prune"}

// given are those of them that the command line has.
func (f *apiFlags) given(c *cobra.Command) (names []string) {
	for _, name := range apiOnly {
		if c.Flags().Changed(name) {
			names = append(names, "--"+name)
		}
	}
	return names
}
