package http3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// over returns a rig whose client is behind a line.
func (r *clientRig) over(l *line) *clientRig {
	behind := newClientRig(r.T, l.front.LocalAddr().String())
	behind.tr.SendPingTimeout = 200 * time.Millisecond
	return behind
}

// vanishable is a rig with a line.
func vanishable(t *testing.T) (*clientRig, *line) {
	s := &nethttp.Server{Handler: http.HandlerFunc(behave)}
	addr := serveNetHTTP(t, s).addr
	l := newLine(t, addr, 0, 0)
	return newClientRig(t, addr).over(l), l
}

// When a server vanishes without a word, requests fail after SendPingTimeout and PingTimeout, before and after their heads have
// arrived, and later requests get another connection.
func TestVanishedServer(t *testing.T) {
	r, l := vanishable(t)
	r.tr.PingTimeout = 600 * time.Millisecond
	r.c.Timeout = 0
	resp, err := r.c.Get(r.url + "/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	failed := make(chan error, 2)
	go func() {
		_, err := r.c.Post(r.url+"/silent", "", nil)
		failed <- err
	}()
	go func() {
		_, err := io.ReadAll(resp.Body)
		failed <- err
	}()
	before := l.sent()
	wiretest.Eventually(t, "pings", func() bool { return l.sent() > before+5 }) // so both requests have left
	l.set(true)
	begun := time.Now()
	for range 2 {
		err := wiretest.Within(t, "a request's end", failed)
		want(t, err, "connection lost: the server has sent nothing for too long")
		if late, ok := err.(interface{ Timeout() bool }); !errors.Is(err, io.ErrUnexpectedEOF) || !ok || !late.Timeout() {
			t.Errorf("got %#v", err)
		}
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("they fail after %v", took)
	}
	l.set(false)
	r.do("GET", "/", nil)
}

// A server that responds late is waited for: its acknowledgements show that it is there, and the client's pings keep the
// connection open beyond the idle timeout of either side.
func TestSilentRequest(t *testing.T) {
	t.Parallel()
	const silence = 800 * time.Millisecond
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		time.Sleep(4 * silence)
		s.Write(unhex(e, "[:status 200] 0002 6f6b"))
		s.Close()
		e.serve()
	}, quic.Config{MaxIncomingStreams: 100, MaxIdleTimeout: silence})
	r.tr.SendPingTimeout, r.tr.PingTimeout = 200*time.Millisecond, silence
	r.goesOn()
}

// A server that does not read the control stream is not pinged, and its connection stays.
func TestPingsThatMayNotBeSent(t *testing.T) {
	t.Parallel()
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		time.Sleep(2 * time.Second)
		s.Write(unhex(e, "[:status 200] 0002 6f6b"))
		s.Close()
		e.serve()
	}, quic.Config{MaxIncomingStreams: 100, InitialStreamReceiveWindow: 1, MaxStreamReceiveWindow: 1})
	r.tr.SendPingTimeout, r.tr.PingTimeout = 200*time.Millisecond, 200*time.Millisecond
	r.c.Timeout = 0
	if err := r.ask("GET"); err == nil || err.Error() != "no error: 200 OK ok" {
		t.Error(err)
	}
}

// Nothing is sent on a connection without requests, while one that has a request is kept alive.
func TestIdleConnsAreSilent(t *testing.T) {
	idle, lineOfIdle := vanishable(t)
	busy, lineOfBusy := vanishable(t)
	idle.do("GET", "/", nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", busy.url+"/slow", nil)
	resp, err := busy.c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	quiet := false
	for try := 0; !quiet && try < 4; try++ { // the end of a handshake, and what it learns of the line, take a while
		before, pings := lineOfIdle.sent(), lineOfBusy.sent()
		wiretest.Eventually(t, "pings", func() bool { return lineOfBusy.sent() >= pings+10 })
		quiet = lineOfIdle.sent() == before
	}
	if !quiet {
		t.Errorf("an idle connection has sent %d datagrams", lineOfIdle.sent())
	}
	idle.do("GET", "/", nil)
}

// With a negative SendPingTimeout no ping is sent, and QUIC's idle timeout still ends the connection.
func TestNoPings(t *testing.T) {
	t.Parallel()
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		e.request()
	}, quic.Config{MaxIncomingStreams: 100, MaxIdleTimeout: 300 * time.Millisecond})
	r.tr.SendPingTimeout = -1
	want(t, r.ask("POST"), "connection lost: the server has sent nothing for too long")
}
