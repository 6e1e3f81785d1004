package h1client_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// NoResponse tells a connection that ended before any byte of a response from one that ended later.
func TestUnheard(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, tc := range []struct {
			says    string
			reset   bool
			err     error // nil: any error of the connection
			unheard bool
		}{
			{"", false, io.EOF, true},
			{"", true, nil, true},
			{"H", false, io.ErrUnexpectedEOF, false},
			{"HTTP/1.1 200 OK\r\n", false, io.ErrUnexpectedEOF, false},
			{"HTTP/1.1 100 Continue\r\n\r\n", false, io.ErrUnexpectedEOF, false},
		} {
			t.Run(fmt.Sprintf("%.12q reset %v", tc.says, tc.reset), func(t *testing.T) {
				r := plainRig(t, k)
				r.again()
				if r.Reused() || r.Served() != 1 {
					t.Error("used before")
				}
				r.begin("GET")
				if !r.Reused() || r.Served() != 2 {
					t.Error("not used before")
				}
				if r.NoResponse() {
					t.Error("NoResponse is true before the end")
				}
				r.peer.Send(tc.says)
				if tc.reset {
					r.peer.Reset()
				} else {
					r.peer.Close()
				}
				_, err := r.Await(&r.resp, nil, nil)
				for err == nil && r.resp.Status == 100 {
					_, err = r.Await(&r.resp, nil, nil)
				}
				if err == nil || tc.err != nil && err != tc.err {
					t.Errorf("Await: %v", err)
				}
				if r.NoResponse() != tc.unheard {
					t.Errorf("NoResponse is %v", !tc.unheard)
				}
				if r.NothingSent() {
					t.Error("nothing was sent, although the server has read it")
				}
				r.leave(false)
			})
		}
	})
}

// A body that the end of the connection cuts is an error, and stays one.
func TestCut(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, says := range []string{
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
			chunkedHead + "5\r\nhell",
			chunkedHead + "5\r\nhello\r\n",
			chunkedHead + "5\r\nhello\r\n0\r\n",
		} {
			r := plainRig(t, k)
			r.begin("GET")
			r.peer.Send(says)
			r.peer.Close()
			r.status(200)
			if _, ok := r.Whole(nil); ok {
				t.Error("whole")
			}
			for range 2 {
				if _, err := io.ReadAll(r.Conn); err != io.ErrUnexpectedEOF {
					t.Errorf("%q: %v", says, err)
				}
			}
			if r.NoResponse() {
				t.Error("unheard")
			}
			r.leave(false)
		}
	})
}

// Begin on a connection that cannot be written to fails before anything has left.
func TestUntouched(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		if !k.sees() {
			return // a goroutine writes there, and no other waits for it
		}
		for _, sends := range []bool{false, true} {
			r := plainRig(t, k)
			r.again()
			r.peer.Reset()
			wiretest.Eventually(t, "the reset to arrive", func() bool { return !r.Fresh() })
			for _, size := range []int{10, 100_000} {
				if err := r.Begin("POST", []byte(postHead), make([]byte, size), sends, false); err == nil {
					t.Fatal("the request has begun")
				} else if size > 10 && err != h1client.ErrEnded {
					t.Error(err)
				}
				if !r.NothingSent() || r.Reusable() {
					t.Errorf("nothing sent %v, reusable %v", r.NothingSent(), r.Reusable())
				}
			}
			wiretest.Within(t, "its end to be told", r.over)
			r.over <- r.Conn
		}
	})
}

// The end of a connection without TLS's closing alert does not end a body (RFC 9112 §9.8), unless AllowTruncated is set.
func TestTruncatedTLS(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, lax := range []bool{false, true} {
			for _, torn := range []bool{false, true} {
				r := newRig(t, k, h1client.Config{AllowTruncated: lax}, "")
				r.begin("GET")
				r.peer.Send("HTTP/1.1 200 OK\r\n\r\nwith an end")
				r.status(200)
				if tc, ok := r.peer.Conn.(*tlsEnd); ok && torn {
					_ = tc.below.Close()
				} else {
					_ = r.peer.Conn.Close()
				}
				var want error
				if k.tls && torn && !lax {
					want = io.ErrUnexpectedEOF
				}
				if body, err := io.ReadAll(r.Conn); string(body) != "with an end" || err != want {
					t.Errorf("lax %v, torn %v: %q, %v", lax, torn, body, err)
				}
				r.leave(false)
			}
		}
	})
}
