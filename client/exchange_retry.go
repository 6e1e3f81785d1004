package client

import (
	"context"
	"errors"
	"slices"
	"time"
)

// send sends the request, with retries, and returns the exchange with the last response, which is e or has replaced e.
func (e *exchange) send(ctx context.Context) (last *exchange, err error) {
	defer func() {
		if last == nil { // a hook has panicked
			e.resp.raw.Close()
		}
	}()
	if e.shared.cfg.Retry.Max <= 0 {
		return e, e.sendOnce(ctx)
	}
	e.shared.budget.addRequest()
	for n := 0; ; n++ {
		err := e.sendOnce(ctx)
		wait, again := e.mayRetry(ctx, n, err)
		if !again {
			return e, err
		}
		if t := e.trace; t != nil && t.Retry != nil {
			t.Retry(n+1, e.resp.raw.Status, err)
		}
		e.shared.stats.retries.Add(1)
		rewind := e.out.call.Rewind
		e = e.renew(true)
		if err := pause(ctx, wait); err != nil {
			return e, err
		}
		if err := e.out.rewindBody(rewind); err != nil {
			return e, err
		}
		e.out.head.SetCookies(e.shared.cfg.Jar) // the response may have set cookies
		if err := e.setCall(); err != nil {
			return e, err
		}
	}
}

// sendOnce sends the request and passes the response's cookies to the jar.
func (e *exchange) sendOnce(ctx context.Context) error {
	if err := e.shared.pool.Do(ctx, &e.out.call, &e.resp.raw); err != nil {
		return err
	}
	if e.resp.raw.Status == 101 {
		return errSwitched
	}
	e.out.head.KeepCookies(e.shared.cfg.Jar, e.resp.Header())
	return nil
}

// errSwitched is returned for status 101. The client never sends an Upgrade (RFC 9110 §15.2.2).
var errSwitched = errors.New("client: the response has status 101 although the request has no Upgrade")

// mayRetry reports whether to send the request again after n retries, and after how long.
func (e *exchange) mayRetry(ctx context.Context, n int, err error) (wait time.Duration, again bool) {
	p, call := &e.shared.cfg.Retry, &e.out.call
	switch {
	case n >= p.Max, !call.Replayable, ctx.Err() != nil:
		return 0, false
	case call.Body != nil && call.Rewind == nil:
		return 0, false
	case err != nil && !transient(err), err == nil && !slices.Contains(p.Statuses, e.resp.raw.Status):
		return 0, false
	}
	wait = p.wait(n)
	if err == nil {
		after, ok := retryAfter(e.resp.Header().GetString("Retry-After"), time.Now())
		if ok && after > p.MaxWait {
			return 0, false
		}
		wait = max(wait, after)
	}
	return wait, e.shared.budget.take()
}
