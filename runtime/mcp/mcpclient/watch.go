package mcpclient

import (
	"context"
	"errors"
)

// watch subscribes to resources in the handshake era.
func (s *Subscription) watch(ctx context.Context, wanted Changes) error {
	c := s.client
	s.Agreed = wanted
	s.Agreed.URIs = nil
	s.cancel = func() {}
	c.subscriptions.watch(s)
	for _, uri := range wanted.URIs {
		if err := c.subscribe(ctx, uri, true); err != nil {
			return errors.Join(err, s.Close())
		}
		s.Agreed.URIs = append(s.Agreed.URIs, uri)
	}
	return nil
}

// subscribe counts the watches of a resource, and sends a request to the server for the first and
// after the last one.
func (c *Client) subscribe(ctx context.Context, uri string, begin bool) error {
	method, step, edge := "resources/subscribe", 1, 1
	if !begin {
		method, step, edge = "resources/unsubscribe", -1, 0
	}
	if c.subscriptions.count(uri, step) != edge {
		return nil
	}
	_, err := c.do(ctx, resourceRequest(method, uri))
	if err != nil && begin {
		c.subscriptions.count(uri, -1)
	}
	return err
}
