package h1client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// late expects that the other goroutine of the exchange leaves first.
func (r *rig) late() {
	r.t.Helper()
	last, reusable := r.Leave()
	if last {
		r.t.Error("this is the last user of the exchange")
	}
	if reusable || r.Reusable() {
		r.t.Error("reusable during the exchange")
	}
}

func (r *rig) sends(p string, end bool) {
	r.t.Helper()
	if err := r.SendPart([]byte(p), end); err != nil {
		r.t.Fatal(err)
	}
}

// respondsOK makes the server respond with 200, and reads the response.
func (r *rig) respondsOK() {
	r.t.Helper()
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	r.status(200)
	r.body("ok")
}

// A body in memory leaves with the head, small or large.
func TestBody(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		for _, size := range []int{0, 1, 5000, 16 << 10, 100_000, 1_000_000} {
			body := bytes.Repeat([]byte("b"), size)
			if err := r.Begin("POST", []byte(postHead), body, false, false); err != nil {
				t.Fatal(err)
			}
			clear(body) // Begin is done with it
			r.peer.Want(postHead + strings.Repeat("b", size))
			r.respondsOK()
			r.leave(true)
		}
	})
}

// Head and body leave in one write.
func TestOneWrite(t *testing.T) {
	for _, size := range []int{0, 100, 20_000} {
		near, far := ends(t, kind{pipe: true})
		counted := near.(interface{ Writes() int })
		r := rigOn(t, kind{pipe: true}, near, far)
		if err := r.Begin("POST", []byte(postHead), make([]byte, size), false, false); err != nil {
			t.Fatal(err)
		}
		r.peer.WantN(len(postHead) + size)
		if n := counted.Writes(); n != 1 {
			t.Errorf("%d bytes left in %d writes", size, n)
		}
		r.respondsOK()
		r.leave(true)
	}
}

// Another goroutine can send the body in parts.
func TestParts(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.post(false)
		r.sends("one, ", false)
		r.peer.Want("one, ")
		r.sends("", false)
		r.sends("two", true)
		r.peer.Want("two")
		r.late()
		r.respondsOK()
		r.leave(true)
		r.post(false)
		r.sends("", true)
		r.late()
		r.respondsOK()
		r.leave(true)
		r.again()
	})
}

// Each part is a chunk that is not empty, and the last chunk ends the body.
func TestChunks(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.post(true)
		r.sends("hello", false)
		r.peer.Want("5\r\nhello\r\n")
		r.sends("", false)
		r.sends("0123456789abcdef", false)
		r.peer.Want("10\r\n0123456789abcdef\r\n")
		r.sends("bye", true)
		r.peer.Want("3\r\nbye\r\n0\r\n\r\n")
		r.late()
		r.respondsOK()
		r.leave(true)
		r.post(true)
		r.sends("", true)
		r.peer.Want("0\r\n\r\n")
		r.late()
		r.respondsOK()
		r.leave(true)
	})
}

// Forbidden trailer fields are left out.
func TestSendTrailers(t *testing.T) {
	r := plainRig(t, socket)
	r.post(true)
	r.sends("hello", false)
	var h shockwave.Header
	h.Add("Checksum", "1")
	h.Add("Content-Length", "2")
	if err := r.SendTrailers(&h); err != nil {
		t.Fatal(err)
	}
	r.peer.Want("5\r\nhello\r\n0\r\nChecksum: 1\r\n\r\n")
	if err := r.SendPart([]byte("more"), true); err == nil {
		t.Error("sent after the end")
	}
	if err := r.SendTrailers(nil); err == nil {
		t.Error("ended twice")
	}
	r.late()
	r.respondsOK()
	r.leave(true)
	r.again()
}

// upload sends size bytes in parts of random sizes on a goroutine of its own, and leaves.
func (r *rig) upload(size int) <-chan error {
	return later(func() error {
		defer r.Leave()
		part := bytes.Repeat([]byte("u"), 100_000)
		for left := size; left > 0; {
			n := min(left, 1+left%9973*7919%len(part))
			left -= n
			if err := r.SendPart(part[:n], left == 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// A body much larger than the buffers arrives.
func TestUpload(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, chunked := range []bool{false, true} {
			const size = 1_000_000
			r := plainRig(t, k)
			r.post(chunked)
			sent := r.upload(size)
			if chunked {
				all := r.peer.WantUntil("\r\n0\r\n\r\n")
				if n := strings.Count(all, "u"); n != size {
					t.Errorf("%d bytes have arrived", n)
				}
			} else {
				r.peer.Want(strings.Repeat("u", size))
			}
			if err := wiretest.Within(t, "the upload", sent); err != nil {
				t.Error(err)
			}
			r.respondsOK()
			r.leave(true)
			r.again()
		}
	})
}

var errTest = errors.New("a test's")

// stuck begins an upload to a server that does not read, and returns when nothing more is taken.
func (r *rig) stuck() <-chan error {
	r.t.Helper()
	r.post(false)
	sent := r.upload(100 << 20)
	for last := int64(-1); last != r.eng.Stats().BytesOut; time.Sleep(20 * time.Millisecond) {
		last = r.eng.Stats().BytesOut
	}
	return sent
}

// A response can be read while the request is being sent, and StopSending ends the sending.
func TestEarlyResponse(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		sent := r.stuck()
		r.peer.Send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 10\r\n\r\nhello")
		r.status(413)
		p := make([]byte, 5)
		if _, err := io.ReadFull(r.Conn, p); err != nil || string(p) != "hello" {
			t.Fatalf("%q, %v", p, err)
		}
		r.stopSending(errTest)
		if err := wiretest.Within(t, "SendPart to return", sent); err != errTest {
			t.Error(err)
		}
		r.stopSending(io.EOF) // the first one counts
		if err := r.SendPart([]byte("more"), false); err != errTest {
			t.Error(err)
		}
		r.peer.Send("world")
		r.body("world")
		r.leave(false)
	})
}

// The connection is reusable if StopSending comes after the end of the request, and not if it comes before.
func TestStoppedEarly(t *testing.T) {
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprint(whole), func(t *testing.T) {
			r := plainRig(t, socket)
			r.post(true)
			r.sends("a", whole)
			r.stopSending(errTest)
			if err := r.SendPart([]byte("b"), true); err != errTest {
				t.Error(err)
			}
			r.late()
			r.respondsOK()
			r.leave(whole)
		})
	}
}

// A sender that leaves before the end of the request makes the exchange the last.
func TestNeverEnded(t *testing.T) {
	r := plainRig(t, socket)
	r.post(false)
	r.sends("a", false)
	r.late()
	r.respondsOK()
	r.leave(false)
}

// The sender can go on after the reader has left.
func TestReaderLeavesFirst(t *testing.T) {
	r := plainRig(t, socket)
	r.post(true)
	r.respondsOK()
	r.late()
	r.sends("a", true)
	r.leave(true)
	r.peer.Want("1\r\na\r\n0\r\n\r\n")
	r.again()
}

// A server that does not read the rest of a request gets no further request on the connection.
func TestResponseToUnread(t *testing.T) {
	r := plainRig(t, socket)
	if err := r.Begin("POST", []byte(postHead), make([]byte, 20<<20), false, false); err != nil {
		t.Fatal(err)
	}
	r.respondsOK()
	begun := time.Now()
	r.leave(false)
	if took := time.Since(begun); took < maxAwaitSent {
		t.Errorf("Leave waited for %v", took)
	}
}

// maxAwaitSent is how long Leave waits for a request to be sent.
const maxAwaitSent = 500 * time.Millisecond

// A server that reads the rest of the request after its response gets the next one.
func TestResponseFirst(t *testing.T) {
	r := plainRig(t, socket)
	body := make([]byte, 8<<20)
	if err := r.Begin("POST", []byte(postHead), body, false, false); err != nil {
		t.Fatal(err)
	}
	r.respondsOK()
	read := later(func() bool { r.peer.WantN(len(postHead) + len(body)); return true })
	wiretest.Within(t, "the request to be read", read)
	r.leave(true)
	r.again()
}

// Leave waits while the server is still reading the request.
func TestResponseWhileRead(t *testing.T) {
	r := plainRig(t, socket)
	body := make([]byte, 8<<20)
	if err := r.Begin("POST", []byte(postHead), body, false, false); err != nil {
		t.Fatal(err)
	}
	r.respondsOK()
	read := later(func() error {
		_, err := io.CopyN(io.Discard, r.peer.Conn, int64(len(postHead)+len(body)))
		return err
	})
	begun := time.Now()
	r.Leave()
	took := time.Since(begun) // on a busy machine that may be too long
	err := wiretest.Within(t, "the request to be read", read)
	switch {
	case r.Reusable() && err == nil:
		r.again()
	case took < maxAwaitSent:
		t.Errorf("Leave waited for %v; %v", took, err)
	}
}

// proceeds begins a request whose body waits for the server. Its channel gets a value when Proceed returns: whether that
// was allowed.
func (r *rig) proceeds(wait time.Duration, done <-chan struct{}, allowed *atomic.Bool) <-chan bool {
	r.Expect()
	r.post(false)
	return later(func() bool { r.Proceed(wait, done); return allowed.Load() })
}

// 100 Continue, the final head, StopSending, Cancel, the time and done end the wait of Proceed, and nothing else does.
func TestProceed(t *testing.T) {
	done := make(chan struct{})
	for _, tc := range []struct {
		what string
		wait time.Duration
		does func(r *rig)
	}{
		{"100", time.Hour, func(r *rig) { r.peer.Send("HTTP/1.1 100 Continue\r\n\r\n"); r.status(100) }},
		{"417", time.Hour, func(r *rig) { r.peer.Send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"); r.status(417) }},
		{"417 and the end", time.Hour, func(r *rig) {
			r.peer.Send("HTTP/1.1 417 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			r.status(417)
		}},
		{"StopSending", time.Hour, func(r *rig) { r.stopSending(errTest) }},
		{"Cancel", time.Hour, func(r *rig) { r.cancel(errTest) }},
		{"Abort", time.Hour, func(r *rig) { r.Abort() }},
		{"time", time.Millisecond, func(r *rig) {}},
		{"time, for the last", time.Millisecond, func(r *rig) { r.Last() }},
		{"done", time.Hour, func(r *rig) { close(done) }},
	} {
		t.Run(tc.what, func(t *testing.T) {
			r := plainRig(t, socket)
			var allowed atomic.Bool
			allowed.Store(tc.wait < time.Hour)
			over := r.proceeds(tc.wait, done, &allowed)
			r.peer.Send("HTTP/1.1 102 Processing\r\n\r\n")
			r.status(102)
			r.peer.WantSilence(2 * time.Millisecond) // in which it would have returned
			allowed.Store(true)
			tc.does(r)
			if !wiretest.Within(t, "Proceed to return", over) {
				t.Error("Proceed did not wait")
			}
			if wanted := r.Proceed(0, nil); wanted != (tc.what != "417 and the end") {
				t.Errorf("the body is wanted: %v", wanted)
			}
			r.late()
			r.Leave()
		})
	}
}

// Without Expect, Proceed does not wait, nor does it in the exchange after one with Expect.
func TestProceedUnasked(t *testing.T) {
	r := plainRig(t, socket)
	over := r.proceeds(time.Hour, nil, new(atomic.Bool))
	r.peer.Send("HTTP/1.1 100 Continue\r\n\r\n")
	r.status(100)
	wiretest.Within(t, "Proceed to return", over)
	r.sends("a", true)
	r.late()
	r.respondsOK()
	r.leave(true)
	r.peer.Want("a")
	r.post(false)
	r.Proceed(time.Hour, nil)
	r.sends("a", true)
	r.late()
	r.respondsOK()
	r.leave(true)
}

// Sending fails when the server has responded and closed, and its response can be read.
func TestResponseAndGone(t *testing.T) {
	for _, k := range []kind{socket, kinds[3]} {
		if !k.sees() {
			t.Skip("this transport cannot be asked for what has arrived")
		}
		r := plainRig(t, k)
		sent := r.stuck()
		body := strings.Repeat("no", 10_000)
		r.peer.Send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n" + body)
		r.peer.Close() // with bytes unread: the connection is reset
		if err := wiretest.Within(t, "SendPart to fail", sent); err == nil || err == errTest {
			t.Error(err)
		}
		r.status(413)
		r.body(body)
		if r.NoResponse() {
			t.Error("unheard")
		}
		r.leave(false)
	}
}
