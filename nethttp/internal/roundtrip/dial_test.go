package roundtrip

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A handshake ends after TLSHandshakeTimeout, with an error that differs from the request's own end.
func TestTransportHandshakeTimeout(t *testing.T) {
	for _, tc := range []struct {
		timeout, end time.Duration
		after        time.Duration
		want         error
	}{
		{timeout: time.Second, end: time.Minute, after: time.Second, want: errTLSTimeout},
		{timeout: time.Minute, end: time.Second, after: time.Second, want: context.DeadlineExceeded},
		{end: time.Hour, after: time.Hour, want: context.DeadlineExceeded},
	} {
		synctest.Test(t, func(t *testing.T) {
			near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
			defer far.Close()
			begun, told := time.Now(), 0
			ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				TLSHandshakeStart: func() { told++ },
				TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
					if told++; err != tc.want {
						t.Errorf("told %v", err)
					}
				},
			}), tc.end)
			defer cancel()
			tr := opener{new(connector), &Settings{TLSHandshakeTimeout: tc.timeout}}
			err := tr.handshake(ctx, tls.Client(near, &tls.Config{ServerName: "example.com"}))
			if err != tc.want || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != tc.after || told != 2 {
				t.Errorf("after %v got %v, told %d times; want %v after %v", time.Since(begun), err, told, tc.want, tc.after)
			}
		})
	}
}
