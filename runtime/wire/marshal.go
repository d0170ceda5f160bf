package wire

import "github.com/rpcgen-go/rpcgen/runtime/rule"

// Marshal returns what appendJSON appends, or the [*EncodeError] that it panics with.
func Marshal(appendJSON func([]byte) []byte) (b []byte, err error) {
	defer CatchEncodeError(&err)
	return appendJSON(nil), nil
}

// Unmarshal decodes the JSON document b: decode reads it, check looks for broken rules (nil: there are none). Either may be
// called twice, a second time to collect every violation. The error is a [*SyntaxError], a [*DepthError] or a [*rule.Error]. What is decoded shares
// b, which must not be changed afterwards.
func Unmarshal(b []byte, decode func(*Reader), check func(*rule.Violations)) error {
	if check == nil {
		check = func(*rule.Violations) {}
	}
	var r Reader
	var vs rule.Violations
	start := Space(b, 0)
	r.Reset(b, start, MaxDepth)
	decode(&r)
	check(&vs)
	if !r.Failed() && vs.Len() == 0 && Space(b, r.Pos()) == len(b) {
		return nil
	}
	if err := Check(b, MaxDepth); err != nil {
		return err
	}
	vs.Reset()
	r.Collect(b, start, MaxDepth, &vs)
	decode(&r)
	check(&vs)
	return vs.Err()
}
