package typescript

func (m *module) client() string { return "" }
func (m *module) tools() string  { return "" }
