package httpclient

import (
	"context"
)

// Warm opens connections to a host until there are n idle ones, or one of HTTP/2 or HTTP/3. It opens fewer where the limits allow
// only fewer. It returns the first error.
func (cl *Client) Warm(ctx context.Context, key Key, n int) error {
	switch {
	case cl.pools.closed.Load():
		return ErrClosed
	case cl.unfit != nil:
		return cl.unfit
	}
	cl.pools.clearNoIdle()
	if key.Version == HTTP3 {
		at, err := cl.knownHTTP3(&key)
		if err != nil {
			return err
		}
		return cl.http3.Dial(ctx, at)
	}
	for range maxBeginTries {
		hp := cl.pools.find(key)
		var err error
		if hp.version.Load() == 2 {
			err = cl.pools.h2.Warm(ctx, key.h2())
		} else if err = hp.warm(ctx, n); err == nil && hp.version.Load() == 2 {
			continue // the connection is in the HTTP/2 pool, which is told that it is warm
		}
		if err != errLookAgain {
			return err
		}
	}
	return errNoUse
}
