package client

// Poison makes Close overwrite what Responses have returned, as it does in programs that are built with the race detector.
func (c *Client) Poison() { c.shared.poison = true }
