package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// documentScope is the scope of what belongs to no message: the document itself.
func (c *comparer) documentScope(path string, old, new diag.Pos) scope {
	return scope{path: path, old: old, new: new, uses: uses{unreached: true}}
}

// head compares what a document says of itself.
func (c *comparer) head() {
	old, new := c.doc.old, c.doc.new
	s := c.documentScope(c.doc.path("document", ""), old.Pos, new.Pos)
	s.path = strings.TrimSuffix(s.path, "/")
	if old.Package != new.Package {
		c.emit(s.below("package"), PackageRenamed, old.Package, new.Package, changeWords("package", old.Package, new.Package), relation{},
			Judgement{Break, "programs import the package " + old.Package})
	}
	c.meta(s, old.Meta, new.Meta)
	c.codec(s.below("go"), old, new)
	c.protocol(s)
	c.imports(s)
	c.compareNames(s)
}

// codec compares the codecs of two documents.
func (c *recorder) codec(s scope, old, new *ir.Document) {
	judged := Judgement{OK, "the Go types stay as they are"}
	if old.Marshals() && !new.Marshals() {
		judged = Judgement{Break, "the types have no methods for encoding/json any more"}
	}
	if was, is := wordIf(old.Compact, "compact"), wordIf(new.Compact, "compact"); was != is {
		c.emit(s.below("codec").holds("", ""), CodecChanged, was, is, changeWords("the codec", was, is), relation{}, judged)
	}
	if old.WithoutJSON != new.WithoutJSON {
		was, is := strconv.FormatBool(!old.WithoutJSON), strconv.FormatBool(!new.WithoutJSON)
		c.emit(s.below("json").holds("", ""), CodecChanged, was, is, changeWords("whether types have methods for encoding/json", was, is), relation{}, judged)
	}
}

// wordIf is a word that stands for true; empty for false.
func wordIf(is bool, word string) string {
	if is {
		return word
	}
	return ""
}

// protocol compares the protocol block.
func (c *comparer) protocol(s scope) {
	old, new := c.doc.old.Protocol, c.doc.new.Protocol
	s = s.at(old.Pos, new.Pos)
	c.set(s, ProtocolChanged, ir.Meta{}, ir.Meta{}, []setting{
		{name: "name", was: old.Name, is: new.Name, relation: relation{lost: "the protocol " + old.Name, gained: "the protocol " + new.Name, always: true}},
		{name: "revision", was: old.Revision, is: new.Revision, relation: relation{meaning: "the revision is " + cmp.Or(new.Revision, "none") +
			", and was " + cmp.Or(old.Revision, "none")}},
		{name: "batch", was: onOff(old.Batch), is: onOff(new.Batch), relation: permission("batches", old.Batch, new.Batch)},
		{name: "positional", was: onOff(old.Positional), is: onOff(new.Positional), relation: permission("positional params", old.Positional, new.Positional)},
		{name: "ids", was: ids(old), is: ids(new), relation: permission("null and fractions as ids", !old.StrictIDs, !new.StrictIDs)},
		meaning("cancel", "what cancels requests", cancelWords(old), cancelWords(new)),
		meaning("progress", "what reports progress", progressWords(old), progressWords(new)),
		{name: "session", was: old.Session.String(), is: new.Session.String(),
			relation: relation{lost: "sessions that open with " + old.Session.String(), gained: "sessions that open with " + new.Session.String(), always: true}},
		{name: "initialize", was: old.Handshake.Initialize, is: new.Handshake.Initialize,
			relation: openingRelation(old.Handshake.Initialize, new.Handshake.Initialize)},
		meaning("shutdown", "what shuts a session down", old.Handshake.Shutdown, new.Handshake.Shutdown),
		meaning("exit", "what ends a session", old.Handshake.Exit, new.Handshake.Exit),
	})
}

// ids is the word for the ids that are valid.
func ids(p ir.Protocol) string {
	if p.StrictIDs {
		return "strict"
	}
	return "any"
}

// cancelWords is the notification that cancels requests, with the member that is their id; empty if there is none.
func cancelWords(p ir.Protocol) string { return strings.TrimSpace(p.CancelMethod + " " + p.CancelID) }

// progressWords is the notification that reports progress, with its token and the param that asks for it; empty if there is none.
func progressWords(p ir.Protocol) string {
	return strings.Join(strings.Fields(p.Progress.Method+" "+p.Progress.Token+" "+p.Progress.Param), " ")
}

// openingRelation relates the requests that sessions have to begin with. Empty: any.
func openingRelation(was, is string) (r relation) {
	if is != "" {
		r.lost = "sessions that do not begin with " + is
	}
	if was != "" {
		r.gained, r.always = "sessions that do not begin with "+was, true
	}
	return r
}

func onOff(on bool) string { return strconv.FormatBool(on) }

// permission relates what may be sent to what may no longer be.
func permission(what string, was, is bool) relation {
	if was && !is {
		return relation{lost: what}
	}
	return relation{gained: what}
}

// changeWords is "what: was -> is" in words.
func changeWords(what, was, is string) string {
	return came(was, is, what+" is now "+is, what+" is gone, and was "+was, what+" is now "+is+", and was "+was)
}

// came says of something that is there now, of something that is gone, or of something that has changed.
func came(was, is, there, gone, other string) string {
	switch {
	case was == "":
		return there
	case is == "":
		return gone
	}
	return other
}

// imports compares which files are imported. What they declare is compared on its own.
func (c *comparer) imports(s scope) {
	for _, o := range c.doc.old.Imports {
		if counterpart(c.doc.new.Imports, o) == nil {
			c.emit(s.below("import/"+o.Alias).at(o.Pos, diag.Pos{}), ImportRemoved, o.Path, "", "the import of "+o.Path+" is gone", relation{})
		}
	}
	for _, n := range c.doc.new.Imports {
		if counterpart(c.doc.old.Imports, n) == nil {
			c.emit(s.below("import/"+n.Alias).at(diag.Pos{}, n.Pos), ImportAdded, "", n.Path, n.Path+" is imported", relation{})
		}
	}
}

// compareNames compares what may never be declared again, of interest to reviewers only, and which x-* keys generated code says.
func (c *comparer) compareNames(s scope) {
	reserved := func(d *ir.Document) []string {
		return slices.Concat(d.Reserved.Names, d.Reserved.Methods, ir.Each(d.Reserved.Codes, digits))
	}
	exposed := func(d *ir.Document) []string { return ir.Each(d.Exposed, func(k ir.Key) string { return k.Name }) }
	for _, list := range []struct {
		of   func(*ir.Document) []string
		at   scope
		kind Kind
		word string
		held string // by Go
	}{
		{reserved, s.below("reserved"), ReservedChanged, "reserved", ""},
		{exposed, s.key("expose", c.doc.old.Meta, c.doc.new.Meta), ExtensionChanged, "exposed", "functions"},
	} {
		old, new := list.of(c.doc.old), list.of(c.doc.new)
		for _, name := range new {
			if !slices.Contains(old, name) {
				c.emit(list.at.below(name).holds("", list.held), list.kind, "", name, name+" is "+list.word+" now", relation{})
			}
		}
		for _, name := range old {
			if !slices.Contains(new, name) {
				c.emit(list.at.below(name).holds(list.held, ""), list.kind, name, "", name+" is no longer "+list.word, relation{})
			}
		}
	}
}

// meta compares what is said of a part: words, deprecation, and the author's own members.
func (c *recorder) meta(s scope, old, new ir.Meta) {
	s = s.holds("", "")
	for _, one := range []struct{ name, was, is string }{{"title", old.Title, new.Title}, {"description", old.Doc + old.DocEnd, new.Doc + new.DocEnd}} {
		if one.was != one.is {
			c.emit(s.key(one.name, old, new), DocsChanged, one.was, one.is, came(one.was, one.is, "it has a "+one.name, "its "+one.name+" is gone",
				"its "+one.name+" reads otherwise"), relation{})
		}
	}
	if was, is := deprecation(old.Deprecated), deprecation(new.Deprecated); was != is {
		c.emit(s.key("deprecated", old, new), Deprecation, was, is, came(was, is, "it is deprecated now", "it is no longer deprecated",
			"its deprecation reads otherwise"), relation{}, Judgement{OK, "it compiles; linters report its use"})
	}
	c.extensions(s, old, new)
}

func deprecation(d *ir.Deprecated) string {
	if d == nil {
		return ""
	}
	return strings.TrimRight("deprecated "+facts([]fact{{"since", d.Since}, {"remove", d.Remove}, {"reason", d.Reason}, {"use", d.Use}}), " ")
}

// fact is something that is said of a part.
type fact struct{ name, value string }

// facts writes facts on one line; what is empty is not said.
func facts(all []fact) string {
	said := ir.Where(all, func(one fact) bool { return one.value != "" })
	return strings.Join(ir.Each(said, func(one fact) string { return one.name + " " + one.value }), ", ")
}

// extensions compares x- members.
func (c *recorder) extensions(s scope, old, new ir.Meta) {
	values := func(all []ir.Ext) (map[string]string, []string) {
		found, keys := map[string]string{}, []string(nil)
		for _, e := range all {
			found[e.Key] = e.Value.String()
			keys = append(keys, e.Key)
		}
		return found, keys
	}
	was, keys := values(old.Ext)
	is, more := values(new.Ext)
	for _, key := range more {
		if _, there := was[key]; !there {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if was[key] != is[key] {
			c.emit(s.key(key, old, new), ExtensionChanged, was[key], is[key], changeWords(key, was[key], is[key]), relation{})
		}
	}
}
