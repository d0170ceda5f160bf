package mcpclient

// enterSession tells the user's code of a session, after the end of the one before.
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

// leaveSession tells the user's code of the end of the session, once.
func (c *Client) leaveSession() {
	c.mu.Lock()
	over := c.over
	c.over = nil
	c.mu.Unlock()
	if over != nil {
		over()
	}
}
