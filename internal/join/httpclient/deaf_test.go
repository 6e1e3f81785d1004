package httpclient_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// deaf is a connection whose read deadlines do nothing.
type deaf struct{ net.Conn }

func (deaf) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// A connection whose waits cannot be ended is not kept idle, with or without a request.
func TestDeafIsNotKept(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	q := r.doGet(ctx, a, "/1")
	k := r.asked()
	cancel()
	q.failed()
	near, far := r.pair()
	k.reply <- opened{o: httpclient.Opened{Conn: deaf{near}}}
	wiretest.NewTalk(t, far).WantGone()

	q = r.get(a, "/2")
	near, far = r.pair()
	r.asked().reply <- opened{o: httpclient.Opened{Conn: deaf{near}}}
	p := wiretest.NewTalk(t, far)
	respond(p, "/2")
	q.is("2")
	p.WantGone()
}

// On a connection whose waits cannot be ended the rest of a body is not waited for.
func TestDeafIsNotDrained(t *testing.T) {
	r := newRig(t, httpclient.Config{})
	q := r.get(a, "/1")
	near, far := r.pair()
	r.asked().reply <- opened{o: httpclient.Opened{Conn: deaf{near}}}
	p := wiretest.NewTalk(t, far)
	p.Want(sent("GET", "/1", ""))
	p.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
	q.head(200)
	done := make(chan error, 1)
	go func() { done <- q.Response.Close() }()
	if err := wiretest.Within(t, "Close", done); err != nil {
		t.Error(err)
	}
	p.WantGone()
}
