package h1client_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A malformed response ends the exchange and the connection.
func TestRefused(t *testing.T) {
	for _, says := range []string{
		"SSH-2.0-OpenSSH_9.6\r\n",
		"HTTP/2.0 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
		"\r\nHTTP/1.1 200 OK\r\n\r\n",
	} {
		r := plainRig(t, socket)
		r.begin("GET")
		r.peer.Send(says)
		_, err := r.Await(&r.resp, nil, nil)
		if e := (*http1.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%q: %v", says, err)
		}
		if r.NoResponse() {
			t.Error("unheard")
		}
		r.leave(false)
		r.peer.WantGone()
	}
	for _, says := range []string{"x", "5\r\nhelloo", "5\r\nhello\r\n0\r\nA b: c\r\n\r\n"} {
		r := plainRig(t, socket)
		r.begin("GET")
		r.peer.Send(chunkedHead + says)
		r.status(200)
		_, err := io.ReadAll(r.Conn)
		if e := (*http1.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%q: %v", says, err)
		}
		if _, ok := r.Whole(nil); ok {
			t.Error("whole")
		}
		r.leave(false)
	}
}

// forever makes the server send the same bytes again and again, until the connection ends.
func (r *rig) forever(s string) <-chan bool {
	return later(func() bool {
		for {
			if _, err := io.WriteString(r.peer.Conn, s); err != nil {
				return true
			}
		}
	})
}

// Endless heads and bodies are refused.
func TestEndless(t *testing.T) {
	isRule := func(err error) bool { e := (*http1.Error)(nil); return errors.As(err, &e) }
	for _, tc := range []struct {
		begins, goesOn string
		is             func(error) bool
	}{
		{"", "x", isRule},
		{"HTTP/1.1 200 ", "x", isRule},
		{"HTTP/1.1 200 OK\r\n", "a: b\r\n", isRule},
		{"HTTP/1.1 200 OK\r\na: ", "b", isRule},
		{"", "HTTP/1.1 100 Continue\r\n\r\n", func(err error) bool { return err == httpread.ErrInterim }},
		{chunkedHead, "0", isRule},
		{chunkedHead + "1;", "a", isRule},
		{chunkedHead, "1;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nx\r\n", isRule},
		{chunkedHead + "0\r\n", "a: b\r\n", isRule},
		{chunkedHead + "0\r\na: ", "b", isRule},
	} {
		t.Run(fmt.Sprintf("%.70q", tc.begins+tc.goesOn), func(t *testing.T) {
			r := plainRig(t, socket)
			r.begin("GET")
			r.peer.Send(tc.begins)
			ended := r.forever(tc.goesOn)
			_, err := r.Await(&r.resp, nil, nil)
			for err == nil && r.resp.Status == 100 {
				_, err = r.Await(&r.resp, nil, nil)
			}
			if err == nil {
				_, err = io.Copy(io.Discard, r.Conn)
			}
			if !tc.is(err) {
				t.Error(err)
			}
			r.leave(false)
			wiretest.Within(t, "the server to see the end", ended)
		})
	}
}

// 16 interim heads are accepted, with as many bytes together as a head may have.
func TestInterimBounds(t *testing.T) {
	const limit = 1000
	hint := func(size int) string {
		const frame = "HTTP/1.1 103 x\r\na: \r\n\r\n"
		return fmt.Sprintf("HTTP/1.1 103 x\r\na: %0*d\r\n\r\n", size-len(frame), 0)
	}
	for _, tc := range []struct {
		heads, size int
		limit       int
		borne       bool
	}{
		{16, 30, limit, true},
		{17, 30, limit, false},
		{4, limit / 4, limit, true},
		{4, limit/4 + 1, limit, false},
		{16, 4096, 0, true},
		{16, 4097, 0, false},
		{16, 5000, -1, true},
	} {
		r := newRig(t, socket, h1client.Config{Limits: http1.Limits{HeadBytes: tc.limit}}, "")
		r.begin("GET")
		sent := later(func() bool {
			for range tc.heads {
				r.peer.Send(hint(tc.size))
			}
			r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			return true
		})
		var err error
		for n := 0; err == nil && (n == 0 || r.resp.Status < 200); n++ {
			_, err = r.Await(&r.resp, nil, nil)
		}
		if tc.borne && err != nil || !tc.borne && err != httpread.ErrInterim {
			t.Errorf("%+v: %v", tc, err)
		}
		wiretest.Within(t, "all to be sent", sent)
		r.leave(tc.borne)
		if tc.borne {
			r.again() // its count begins anew
		}
	}
}

// ResetInterim starts the count of interim heads anew.
func TestResetInterim(t *testing.T) {
	r := newRig(t, socket, h1client.Config{Limits: http1.Limits{HeadBytes: 100}}, "")
	r.begin("GET")
	for range 17 {
		r.peer.Send("HTTP/1.1 102 \r\n\r\n")
		r.status(102)
		r.ResetInterim()
	}
	r.respondsOK()
	r.leave(true)
}

// The limits of Config hold for heads and trailers.
func TestLimits(t *testing.T) {
	r := newRig(t, socket, h1client.Config{Limits: http1.Limits{HeadBytes: 60, TrailerBytes: 10}}, "")
	r.begin("GET")
	r.peer.Send(chunkedHead + "0\r\nA: bcdefghijkl\r\n\r\n")
	r.status(200)
	if _, err := r.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Error("a trailer that is too large:", err)
	}
	r.leave(false)
	r = newRig(t, socket, h1client.Config{Limits: http1.Limits{HeadBytes: 40}}, "")
	r.begin("GET")
	r.peer.Send(chunkedHead)
	if _, err := r.Await(&r.resp, nil, nil); err == nil {
		t.Error("a head that is too large was accepted")
	}
	r.leave(false)
}

// Memory grows with received bytes, not with Content-Length.
func TestHugeLength(t *testing.T) {
	for _, says := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\nhello",
		chunkedHead + "10000000000\r\nhello",
		chunkedHead + "FFFFFFF\r\nhello",
	} {
		r := plainRig(t, socket)
		r.begin("GET")
		r.peer.Send(says)
		r.status(200)
		if b, ok := r.Whole(nil); ok || cap(b) > 0 {
			t.Errorf("whole %v, %d bytes", ok, cap(b))
		}
		p := make([]byte, 10)
		if n, err := io.ReadFull(r.Conn, p[:5]); err != nil || string(p[:n]) != "hello" {
			t.Errorf("%q, %v", p[:n], err)
		}
		r.Discard(httpread.Bounds{Bytes: 1 << 20, Wait: time.Hour, Time: time.Hour}) // more than that: it does not begin
		r.leave(false)
	}
}

// Discard drops the rest of a body within bounds, and the connection is reused.
func TestDiscard(t *testing.T) {
	bounds := httpread.Bounds{Bytes: 1000, Wait: patience, Time: patience}
	onEvery(t, func(t *testing.T, k kind) {
		for _, tc := range []struct {
			says string
			fits bool
		}{
			{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", true},
			{fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n%01000d", 0), true},
			{"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\nhello", false},
			{chunkedHead + "5\r\nhello\r\n0\r\nA: b\r\n\r\n", true},
			{fmt.Sprintf("%s5\r\nhello\r\n3e8\r\n%01000d\r\n0\r\n\r\n", chunkedHead, 0), false},
			{"HTTP/1.1 204 No Content\r\n\r\n", true},
		} {
			r := plainRig(t, k)
			r.begin("GET")
			r.peer.Send(tc.says)
			r.status(r.statusIn(tc.says))
			r.Discard(bounds)
			r.leave(tc.fits)
			if tc.fits {
				r.again()
			}
		}
	})
	r := plainRig(t, socket)
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\n\r\nwithout an end")
	r.status(200)
	r.Discard(httpread.Bounds{Bytes: 1 << 20, Wait: time.Hour, Time: time.Hour}) // it would only wait
	r.leave(false)
}

// statusIn is the status in a response.
func (r *rig) statusIn(says string) int {
	var status int
	if _, err := fmt.Sscanf(says, "HTTP/1.1 %d", &status); err != nil {
		r.t.Fatal(err)
	}
	return status
}
