package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

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
