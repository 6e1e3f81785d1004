package httpclient

// Places tells how many places cl has something for.
func (cl *Client) Places() int { return len(cl.all()) }
