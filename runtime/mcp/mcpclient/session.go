package mcpclient

// enterSession calls Options.OnSession, after the end of the previous session was reported.
func (c *Client) enterSession() {
	began := c.opts.OnSession
	if began == nil {
		return
	}
	c.leaveSession()
	over := began(c.Revision())
	c.mu.Lock()
	c.over = over
	closed := c.closed
	c.mu.Unlock()
	if closed {
		c.leaveSession()
	}
}

// leaveSession reports the end of the session once.
func (c *Client) leaveSession() {
	c.mu.Lock()
	over := c.over
	c.over = nil
	c.mu.Unlock()
	if over != nil {
		over()
	}
}
