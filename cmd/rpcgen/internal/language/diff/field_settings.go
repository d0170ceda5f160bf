package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// defaults compares what stands for a field that is absent.
func (c *typeComparer) defaults(s scope, o, n *ir.Field) {
	was, is := defaultOf(o), defaultOf(n)
	if was == is {
		return
	}
	r := relation{}
	if o.Optional && n.Optional {
		r.meaning = "without `" + n.Name + "`, " + changeWords("the default", was, is)
	}
	c.emit(s.key("default", o.Meta, n.Meta), FieldDefault, was, is, changeWords("the default", was, is), r)
}

func defaultOf(f *ir.Field) string {
	if f.Default == nil {
		return ""
	}
	return f.Default.String()
}

// fieldSettings compares what else is said of a field.
func (c *typeComparer) fieldSettings(s scope, o, n *ir.Field) {
	s = s.holds("", "")
	if o.Sensitive != n.Sensitive {
		c.emit(s.key("sensitive", o.Meta, n.Meta), FieldSetting, onOff(o.Sensitive), onOff(n.Sensitive),
			changeWords("sensitive", onOff(o.Sensitive), onOff(n.Sensitive)), relation{},
			Judgement{OK, "only logs and error texts change"})
	}
	if o.Complete != n.Complete {
		c.completion(s.key("complete", o.Meta, n.Meta), o, n)
	}
	if o.Header != n.Header {
		r := relation{meaning: changeWords("its header", o.Header, n.Header)}
		c.emit(s.key("header", o.Meta, n.Meta), FieldSetting, o.Header, n.Header, r.meaning, r)
	}
}

// completion compares whether the server completes a value: clients that are not helped ask for nothing.
func (c *typeComparer) completion(s scope, o, n *ir.Field) {
	r, judged := relation{}, Judgement{Warning, "handlers that do not embed the Unimplemented type lack what completes it"}
	if o.Complete {
		r.meaning = "the server no longer completes `" + n.Name + "`"
		judged = Judgement{Break, "the method that completes it is gone"}
	}
	c.emit(s, FieldSetting, onOff(o.Complete), onOff(n.Complete), changeWords("complete", onOff(o.Complete), onOff(n.Complete)), r, judged).Model = notForModels
}
