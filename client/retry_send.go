package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// send sends the request, with retries, and returns the last response, which is r or has replaced r.
func (r *Response) send(ctx context.Context) (last *Response, err error) {
	defer func() {
		if last == nil { // a hook has panicked
			r.raw.Close()
		}
	}()
	if r.client.cfg.Retry.Max <= 0 {
		return r, r.sendOnce(ctx)
	}
	r.client.budget.addRequest()
	for n := 0; ; n++ {
		err := r.sendOnce(ctx)
		wait, again := r.mayRetry(ctx, n, err)
		if !again {
			return r, err
		}
		if t := r.trace; t != nil && t.Retry != nil {
			t.Retry(n+1, r.raw.Status, err)
		}
		r.client.stats.retries.Add(1)
		rewind := r.call.Rewind
		r = r.renew(true)
		if err := pause(ctx, wait); err != nil {
			return r, err
		}
		if err := r.rewindBody(true, rewind); err != nil {
			return r, err
		}
		r.setCookies() // the response may have set cookies
		if err := r.setCall(); err != nil {
			return r, err
		}
	}
}

// sendOnce sends the request and passes the response's cookies to the jar.
func (r *Response) sendOnce(ctx context.Context) error {
	if err := r.client.pool.Do(ctx, &r.call, &r.raw); err != nil {
		return err
	}
	if r.raw.Status == 101 {
		return errSwitched
	}
	r.keepCookies()
	return nil
}

// errSwitched is returned for status 101. The client never sends an Upgrade (RFC 9110 §15.2.2).
var errSwitched = errors.New("client: the server answers 101 although the request has no Upgrade")

// mayRetry reports whether to send the request again after n retries, and after how long.
func (r *Response) mayRetry(ctx context.Context, n int, err error) (wait time.Duration, again bool) {
	p := &r.client.cfg.Retry
	switch {
	case n >= p.Max, !r.call.Replayable, ctx.Err() != nil:
		return 0, false
	case r.call.Body != nil && r.call.Rewind == nil:
		return 0, false
	case err != nil && !transient(err), err == nil && !slices.Contains(p.Statuses, r.raw.Status):
		return 0, false
	}
	wait = p.wait(n)
	if err == nil {
		after, ok := retryAfter(r.Header().GetString("Retry-After"), time.Now())
		if ok && after > p.MaxWait {
			return 0, false
		}
		wait = max(wait, after)
	}
	return wait, r.client.budget.take()
}

// wait returns how long to wait before the next retry, after n retries.
func (p *Retry) wait(n int) time.Duration {
	most := p.MaxWait
	if n = min(n, 62); p.Wait <= most>>n {
		most = p.Wait << n
	}
	return most/2 + rand.N(most/2+1)
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// retryAfter parses a Retry-After, which is a number of seconds or a time (RFC 9110 §10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if value == "" {
		return 0, false
	}
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// transient reports whether another attempt may succeed after err. Network errors are transient; errors of protocols,
// certificates and names are not.
func transient(err error) bool {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	var network net.Error
	var away *h2client.GoAwayError
	switch {
	case errors.Is(err, httpclient.ErrClosed), errors.Is(err, httpclient.ErrWaitTimeout), errors.As(err, &certificate):
		return false
	case errors.As(err, &name):
		return name.IsTemporary || name.IsTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return true
	}
	return errors.As(err, &network) || errors.As(err, &away) || h2client.Unprocessed(err)
}
