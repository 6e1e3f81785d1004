package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// The defaults are those that Config documents.
func TestDefaultConfig(t *testing.T) {
	got := client.DefaultConfig()
	want := client.Config{
		MaxConnsPerHost: 512, MaxIdleConns: 4096, IdleTimeout: 90 * time.Second,
		WaitTimeout: 30 * time.Second, DialTimeout: 10 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		HeadTimeout: time.Minute, BodyTimeout: time.Minute, ContinueTimeout: time.Second,
		MaxHeadBytes: 64 << 10, MaxHeadFields: 200, MaxRedirects: 10, UserAgent: "shockwave", PingInterval: 30 * time.Second, PingTimeout: 15 * time.Second,
		Retry: client.Retry{Wait: 100 * time.Millisecond, MaxWait: 5 * time.Second, Budget: 0.1, Statuses: []int{429, 502, 503, 504}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf(" got %+v\nwant %+v", got, want)
	}
	got.Retry.Statuses[0] = 0
	if client.DefaultConfig().Retry.Statuses[0] != 429 {
		t.Error("a caller has changed the defaults")
	}
}

// Errors are net.Errors that say whether they are timeouts.
func TestErrorIs(t *testing.T) {
	_, refused := new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	for err, timeout := range map[error]bool{
		client.ErrTimeout: true, context.DeadlineExceeded: true, io.EOF: false, client.ErrClosed: false, client.ErrRequest: false, refused: false,
	} {
		var e net.Error = &client.Error{Op: "Get", URL: "http://a.test", Err: err}
		if e.Timeout() != timeout || e.(*client.Error).Temporary() != timeout || !errors.Is(e, err) || e.Error() != `Get "http://a.test": `+err.Error() {
			t.Errorf("%v: got %v, %v", e, e.Timeout(), err)
		}
	}
	var ne interface {
		error
		Timeout() bool
		Temporary() bool
	}
	if !errors.As(client.ErrTimeout, &ne) || !ne.Timeout() || !ne.Temporary() || !errors.Is(client.ErrTimeout, context.DeadlineExceeded) || errors.Is(client.ErrTimeout, context.Canceled) {
		t.Errorf("got %v; want a temporary timeout that is context.DeadlineExceeded", client.ErrTimeout)
	}
	if !errors.Is(client.ErrClosed, net.ErrClosed) {
		t.Error("ErrClosed is not net.ErrClosed")
	}
	c := newClient(t, client.Config{DialTimeout: time.Millisecond, NetDial: func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }})
	if _, _, err := do(c, &client.Request{URL: "http://a.test"}); !errors.As(err, &ne) || !ne.Timeout() || !ne.Temporary() || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
