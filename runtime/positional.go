package runtime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// nameless begins the keys of params that must be an object and never an array.
const nameless = "\n"

// positional starts decoding of params that are an array: the elements are the fields in the order
// of the schema (JSON-RPC 2.0 section 4.2). They are rewritten as an object, so that generated code
// needs only one decoder. After an empty line, keys names the fields for which null means absent,
// since an array cannot omit an element. Violations are mapped back to the index, see
// Call.mapPointer.
func (c *Call) positional(keys string) bool {
	if !c.d.protocol.Positional || strings.HasPrefix(keys, nameless) {
		return c.misplaced("type", "object", "array")
	}
	if !c.finish() {
		c.phase = decoded
		return false
	}
	keys, absent, _ := strings.Cut(keys, "\n\n")
	fields := violation.Names(keys)
	object, count := byName(c.env.Params.Of(c.msg), fields, violation.Names(absent))
	if count > len(fields) {
		return c.misplaced("maxItems", "at most "+strconv.Itoa(len(fields))+" elements", strconv.Itoa(count))
	}
	c.keys, c.source, c.at = keys, object, 0
	c.ResetReader(object, 0, c.d.opts.MaxDepth-1)
	return true
}

// byName rewrites an array, whose syntax must be valid, as an object with the given names. It omits
// elements that are null and may be absent, and those beyond the names. It returns how many
// elements the array has.
func byName(array []byte, fields, absent []string) (object []byte, count int) {
	object = append(make([]byte, 0, 2*len(array)+16), '{')
	i := wire.Space(array, 1)
	for ; array[i] != ']'; count++ {
		end := envelope.SkipValid(array, i)
		if count < len(fields) && !(string(array[i:end]) == "null" && slices.Contains(absent, fields[count])) {
			if len(object) > 1 {
				object = append(object, ',')
			}
			object = append(wire.AppendString(object, fields[count]), ':')
			object = append(object, array[i:end]...)
		}
		if i = wire.Space(array, end); array[i] == ',' {
			i = wire.Space(array, i+1)
		}
	}
	return append(object, '}'), count
}
