package runtime

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// positional begins with params that are an array: their elements are the fields in the order of the schema (JSON-RPC 2.0
// section 4.2). They are rewritten as an object, and decoded from there.
func (c *Call) positional(keys string) bool {
	if !c.d.protocol.Positional {
		return c.misplaced("type", "object", "array")
	}
	if !c.finish() {
		c.phase = decoded
		return false
	}
	fields := names(keys)
	object, count := byName(c.env.params.of(c.msg), fields)
	if count > len(fields) {
		return c.misplaced("maxItems", "at most "+strconv.Itoa(len(fields))+" elements", strconv.Itoa(count))
	}
	c.keys, c.source, c.at = keys, object, 0
	c.ResetReader(object, 0, c.d.depth-1)
	return true
}

// byName rewrites an array, whose syntax is known to be good, as an object with the given names. It also returns how many
// elements there are: those beyond the names are left out.
func byName(array []byte, fields []string) (object []byte, count int) {
	object = append(make([]byte, 0, 2*len(array)+16), '{')
	i := wire.Space(array, 1)
	for ; array[i] != ']'; count++ {
		end := skipValid(array, i)
		if count < len(fields) {
			if count > 0 {
				object = append(object, ',')
			}
			object = append(appendString(object, fields[count]), ':')
			object = append(object, array[i:end]...)
		}
		if i = wire.Space(array, end); array[i] == ',' {
			i = wire.Space(array, i+1)
		}
	}
	return append(object, '}'), count
}
