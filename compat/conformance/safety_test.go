package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// cutWithin is the longest that a slow peer may be suffered: the defaults cut after 10 s, or 5 s and a tick.
const cutWithin = 25 * time.Second

// deafWithin is the longest that a peer may be suffered that takes nothing of what it has asked for, over loopback.
const deafWithin = 6 * time.Minute

// onBothHandlers runs a test against the echo with native and with net/http handlers.
func onBothHandlers(t *testing.T, test func(t *testing.T, tg *target)) {
	t.Helper()
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" {
		t.Skip("safety is tested on our own program only")
	}
	for name, flags := range map[string][]string{"nethttp": nil, "native": {"-native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, startEcho(t, flags...))
		})
	}
}

// mustRespond sends a request on a connection of its own and wants a 200 whole.
func mustRespond(t *testing.T, tg *target, target string) *reply {
	t.Helper()
	nc := tg.mustDial(t)
	defer func() { _ = nc.Close() }()
	return mustRespondOn(t, nc, bufio.NewReader(nc), target)
}

// mustRespondOn sends a request on nc and wants a 200 whole.
func mustRespondOn(t *testing.T, nc net.Conn, br *bufio.Reader, target string) *reply {
	t.Helper()
	_ = nc.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", target); err != nil {
		t.Fatalf("GET %s: %v", target, err)
	}
	r, err := readReply(br, false)
	if err != nil || r.status != 200 {
		t.Fatalf("GET %s: got %+v, %v", target, r, err)
	}
	return r
}

// drip sends start and then unit again and again, until the peer responds or closes. It returns the response, nil for a
// close. The response to a whole request that start begins with is passed over.
func drip(tg *target, start, unit string, every time.Duration) (*reply, error) {
	nc, err := tg.dial()
	if err != nil {
		return nil, err
	}
	defer func() { _ = nc.Close() }()
	_ = nc.SetDeadline(time.Now().Add(cutWithin))
	if _, err := nc.Write([]byte(start)); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if _, err := nc.Write([]byte(unit)); err != nil {
					return
				}
			}
		}
	}()
	br := bufio.NewReader(nc)
	if strings.HasPrefix(start, before) {
		if r, err := readReply(br, false); err != nil || r.status != 200 {
			return r, fmt.Errorf("the request before: %w", err)
		}
	}
	return finalReply(br)
}

// finalReply reads up to the first final response; nil for a close.
func finalReply(br *bufio.Reader) (*reply, error) {
	for {
		r, err := readReply(br, false)
		switch {
		case errors.Is(err, errNoResponse):
			return nil, nil
		case err != nil:
			return nil, err
		case r.status >= 200:
			return r, nil
		}
	}
}

// slowPeers are clients that send less than the default limits ask for: start, and then unit again and again.
var slowPeers = []struct{ name, start, unit string }{
	{"head, a byte at a time", "GET / HTTP/1.1\r\nX: ", "y"},
	{"head, a line at a time", "GET / HTTP/1.1\r\nHost: a\r\n", "X: y\r\n"},
	{"head, an empty line at a time", "", "\r\n"},
	{"second head", before + "GET / HTTP/1.1\r\nX: ", "y"},
	{"second head that stops", before + "GET / HTTP", ""},
	{"head that stops", "GET / HTTP/1.1\r\nHost: a\r\n", ""},
	{"body by length", slowHead + "Content-Length: 1000000\r\n\r\n", "x"},
	{"body in chunks", slowHead + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
	{"body that stops", slowHead + "Content-Length: 1000\r\n\r\nabc", ""},
	{"body that never begins", slowHead + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n", ""},
	{"chunk size", slowHead + "Transfer-Encoding: chunked\r\n\r\n", "0"},
	{"chunk extension", slowHead + "Transfer-Encoding: chunked\r\n\r\n1;", "y"},
	{"trailers", slowHead + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", "y"},
}

const slowHead = "POST / HTTP/1.1\r\nHost: a\r\n"

// greedyReaders ask for much and read nothing of it.
var greedyReaders = []string{
	"GET /big?n=200000000 HTTP/1.1\r\nHost: a\r\n\r\n",
	strings.Repeat("GET /big?n=1000000 HTTP/1.1\r\nHost: a\r\n\r\n", 200),
}

// A client that reads nothing is cut off. Over loopback, with segments of 64 KiB, a reader of 1 kB/s shows no progress for two
// minutes, so this takes longer here than in netconn's tests.
func TestSafetyDeaf(t *testing.T) {
	if os.Getenv("SHOCKWAVE_DEAF") == "" {
		t.Skip("takes minutes; SHOCKWAVE_DEAF=1 runs it")
	}
	onBothHandlers(t, func(t *testing.T, tg *target) {
		ends := make(chan error)
		for _, request := range greedyReaders {
			go func() { ends <- mustCutReader(tg, request) }()
		}
		for range greedyReaders {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
	})
}

// Dozens of slow clients are cut off, while others are served.
func TestSafetySlow(t *testing.T) {
	if !whole {
		t.Skip("waits for the default limits; scripts/conformance runs it")
	}
	t.Parallel()
	onBothHandlers(t, func(t *testing.T, tg *target) {
		const each = 20
		ends := make(chan error)
		for _, p := range slowPeers {
			for range each {
				go func() { ends <- mustBeCut(tg, p.name, p.start, p.unit) }()
			}
		}
		for left := each * len(slowPeers); left > 0; {
			select {
			case err := <-ends:
				if left--; err != nil {
					t.Error(err)
				}
			case <-time.After(50 * time.Millisecond):
				mustRespond(t, tg, "/plaintext")
			}
		}
	})
}

// mustBeCut drips on one connection; it is cut with a 4xx and a close, or without a word.
func mustBeCut(tg *target, name, start, unit string) error {
	r, err := drip(tg, start, unit, 150*time.Millisecond)
	switch {
	case err != nil:
		return fmt.Errorf("%s: not cut: %w", name, err)
	case r != nil && (r.status < 400 || r.status >= 500 || !r.says("Connection", "close")):
		return fmt.Errorf("%s: got a response with status %d", name, r.status)
	}
	return nil
}

// mustCutReader asks for more than any buffer holds and reads nothing. A byte now and then shows that the connection is
// reset; reading would show it too, and be no slow reader.
func mustCutReader(tg *target, request string) error {
	nc, err := tg.dial()
	if err != nil {
		return err
	}
	defer func() { _ = nc.Close() }()
	_ = nc.(*net.TCPConn).SetReadBuffer(8 << 10)
	_ = nc.SetWriteDeadline(time.Now().Add(2 * deafWithin))
	if _, err := nc.Write([]byte(request)); err != nil {
		return err
	}
	for end := time.Now().Add(deafWithin); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if _, err := nc.Write([]byte("G")); isEnd(err) {
			return nil
		}
	}
	return fmt.Errorf("a client that reads nothing of %d requests is not cut", strings.Count(request, "GET"))
}

// A client that begins TLS and stops is cut off.
func TestSafetySlowHandshake(t *testing.T) {
	if !whole {
		t.Skip("waits for the default limits; scripts/conformance runs it")
	}
	t.Parallel()
	tg := startEcho(t, "-tls")
	plain := &target{addr: tg.addr}
	for name, start := range map[string]string{"nothing": "", "half a record": "\x16\x03\x01\x02\x00\x01"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc := plain.mustDial(t)
			_ = nc.SetDeadline(time.Now().Add(cutWithin))
			_, _ = nc.Write([]byte(start))
			mustRespond(t, tg, "/plaintext")
			var b [512]byte
			for {
				if _, err := nc.Read(b[:]); isEnd(err) {
					return
				} else if err != nil {
					t.Fatalf("not cut: %v", err)
				}
			}
		})
	}
}
