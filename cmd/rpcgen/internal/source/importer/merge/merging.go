package merge

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// keys says where the keys of a mapping stand in its content.
type keys struct {
	at     map[string]int
	marked bool // a ? at the end of a key says that it may be absent
}

func keysIn(n *yaml.Node, place *grammar.Place) keys {
	k := keys{map[string]int{}, place.Marked || place.Key("params?") != nil}
	if n == nil || n.Kind != yaml.MappingNode {
		return k
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if _, there := k.at[n.Content[i].Value]; !there {
			k.at[n.Content[i].Value] = i
		}
	}
	return k
}

// find is where a key stands; -1 when it does not. A field is found whether it is optional or not, and so are params.
func (k keys) find(key string) int {
	spellings := []string{key}
	if k.marked {
		name := strings.TrimSuffix(key, "?")
		spellings = append(spellings, name, name+"?")
	}
	for _, s := range spellings {
		if at, ok := k.at[s]; ok {
			return at
		}
	}
	return -1
}

// merging is a mapping that another one is merged over. What is put in and taken out moves nothing until it is finished.
type merging struct {
	node *yaml.Node
	keys
	gone   map[int]bool
	before map[int][]*yaml.Node // keys and values that go before an entry, or to the end
}

func newMerging(n *yaml.Node, place *grammar.Place) *merging {
	return &merging{n, keysIn(n, place), map[int]bool{}, map[int][]*yaml.Node{}}
}

// add adds an entry at the end, and returns where it stands.
func (m *merging) add(key, value *yaml.Node) int {
	at := len(m.node.Content)
	m.node.Content = append(m.node.Content, key, value)
	m.at[key.Value] = at
	return at
}

// remove takes an entry out.
func (m *merging) remove(at int) {
	m.gone[at] = true
	delete(m.at, m.node.Content[at].Value)
}

// finish moves the entries to where they belong.
func (m *merging) finish() {
	if len(m.gone) == 0 && len(m.before) == 0 {
		return
	}
	var content []*yaml.Node
	for i := 0; i <= len(m.node.Content); i += 2 {
		content = append(content, m.before[i]...)
		if i < len(m.node.Content) && !m.gone[i] {
			content = append(content, m.node.Content[i], m.node.Content[i+1])
		}
	}
	m.node.Content = content
}
