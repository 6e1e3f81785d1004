package h1client_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A response is one conversation: the bytes of the server, and what must result from them.
type response struct {
	method string
	says   string
	closes bool // the server then ends the connection
	status int
	length int64
	body   string
	keeps  bool // the connection can be used again
}

var responses = []response{
	{"GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, 200, 5, "hello", true},
	{"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, 200, 0, "", true},
	{"GET", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", false, 200, 2, "ok", true},
	{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200, 0, "", true},
	{"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, 200, 0, "", true},
	{"GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false, 204, 0, "", true},
	{"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, 304, 0, "", true},
	{"GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", true, 200, 5, "hello", false},
	{"GET", "HTTP/1.1 200 OK\r\n\r\nuntil the end", true, 200, -1, "until the end", false},
	{"GET", "HTTP/1.1 200 OK\r\n\r\n", true, 200, -1, "", false},
	{"GET", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", true, 200, 5, "hello", false},
	{"GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", false, 200, 5, "hello", true},
	{"GET", "HTTP/1.0 200 OK\r\n\r\nold", true, 200, -1, "old", false},
	{"GET", chunkedHead + "5\r\nhello\r\n0\r\n\r\n", false, 200, -1, "hello", true},
	{"GET", chunkedHead + "1\r\nh\r\n00A\r\nello, worl\r\n1\r\nd\r\n0\r\n\r\n", false, 200, -1, "hello, world", true},
	{"GET", chunkedHead + "9\r\n123456789\r\na\r\n0123456789\r\nA\r\n0123456789\r\nf\r\n0123456789abcde\r\n" +
		"F\r\n0123456789abcde\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n", false, 200, -1,
		"123456789" + "0123456789" + "0123456789" + "0123456789abcde" + "0123456789abcde" + "0123456789abcdef", true},
	{"GET", chunkedHead + "0\r\n\r\n", false, 200, -1, "", true},
	{"GET", chunkedHead + "5;a=b\r\n0\r\n\r\n\r\n0\r\n\r\n", false, 200, -1, "0\r\n\r\n", true},
	{"GET", chunkedHead + "5\r\nhello\r\n00\r\n\r\n", false, 200, -1, "hello", true},
	{"GET", chunkedHead + "5\r\nhello\r\n0\r\nA: b\r\n\r\n", false, 200, -1, "hello", true},
}

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

// Each response is read, and the connection reused where it can be.
func TestResponses(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for i, tc := range responses {
			for _, whole := range []bool{true, false} {
				t.Run(fmt.Sprint(i, whole), func(t *testing.T) {
					r := plainRig(t, k)
					r.begin(tc.method)
					r.peer.Send(tc.says)
					r.wantResponse(tc, whole)
				})
			}
		}
	})
}

// Each response is read when it is cut at any byte.
func TestSplitResponses(t *testing.T) {
	r := plainRig(t, socket)
	for i, tc := range responses {
		for cut := 1; cut < len(tc.says); cut++ {
			t.Run(fmt.Sprint(i, cut), func(t *testing.T) {
				if r.t = t; !r.Reusable() {
					r = plainRig(t, socket)
				}
				r.begin(tc.method)
				r.peer.Send(tc.says[:cut])
				head := strings.Index(tc.says, "\r\n\r\n") + 4
				rest := func() bool { r.peer.Send(tc.says[cut:]); return true }
				if cut < head {
					sent := later(rest) // Await waits for it
					defer wiretest.Within(t, "the rest to be sent", sent)
				} else {
					r.status(tc.status)
					if b, ok := r.Whole(nil); ok && len(tc.says) > cut {
						t.Fatalf("Whole returned %q when half had arrived", b)
					}
					rest()
				}
				r.wantResponse(tc, cut%2 == 0)
			})
		}
	}
}

// wantResponse expects the response of tc.
func (r *rig) wantResponse(tc response, whole bool) {
	r.t.Helper()
	if r.Served() < 1 {
		r.t.Error("no exchange was counted")
	}
	if r.resp.Status == 0 || !bytes.HasPrefix([]byte(tc.says), r.head) || len(r.head) == 0 {
		r.status(tc.status)
	}
	if n := r.Length(); n != tc.length {
		r.t.Errorf("the length is %d, want %d", n, tc.length)
	}
	if tc.closes {
		r.peer.Close()
	}
	r.whole(tc.body, whole)
	r.leave(tc.keeps)
	r.head, r.resp.Status = nil, 0
	if tc.keeps {
		r.again()
		r.head, r.resp.Status = nil, 0
	}
}

// whole expects the rest of the body. With asked set it tries Whole, which need not return it.
func (r *rig) whole(want string, asked bool) {
	r.t.Helper()
	if asked {
		got, ok := r.Whole([]byte("before "))
		if ok && string(got) != "before "+want {
			r.t.Errorf("the body is %q, want %q", got, want)
		}
		if !ok && string(got) != "before " {
			r.t.Errorf("the part that had arrived is %q", got)
		}
		if ok {
			r.ended()
			return
		}
	}
	r.body(want)
	r.ended()
}

// ended expects that the body has.
func (r *rig) ended() {
	r.t.Helper()
	for range 2 {
		if n, err := r.Read(make([]byte, 10)); n != 0 || err != io.EOF {
			r.t.Errorf("after the end: %d, %v", n, err)
		}
	}
}

// Whole appends a body that has arrived with its head.
func TestWhole(t *testing.T) {
	for i, tc := range responses {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := plainRig(t, socket)
			r.begin(tc.method)
			r.peer.Send(tc.says)
			r.status(tc.status)
			got, ok := r.Whole([]byte("before "))
			easy := tc.length >= 0 || tc.keeps && !strings.Contains(tc.says, ";") && !strings.Contains(tc.says, "A: b") && !strings.Contains(tc.says, "00\r\n\r\n")
			if ok != easy {
				t.Fatalf("Whole: %v, want %v", ok, easy)
			}
			if ok && string(got) != "before "+tc.body {
				t.Errorf("the body is %q", got)
			}
			if c := cap(got); c > len("before ")+1 && cap(bufpool.Get(c)) != c {
				t.Errorf("the buffer has a capacity of %d, which package bufpool does not take back", c)
			}
			again, ok := r.Whole([]byte("and "))
			if easy && (!ok || string(again) != "and ") {
				t.Errorf("the rest of the body is %q, %v", again, ok)
			}
			r.Leave()
		})
	}
}

// Whole returns only what has not been read.
func TestWholeRest(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	r.peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	r.status(200)
	p := make([]byte, 2)
	if _, err := io.ReadFull(r.Conn, p); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Whole(nil); !ok || string(got) != "llo" {
		t.Errorf("the rest is %q, %v", got, ok)
	}
	r.leave(true)
	r.begin("GET")
	r.peer.Send(chunkedHead + "5\r\nhello\r\n0\r\n\r\n")
	r.status(200)
	if _, err := io.ReadFull(r.Conn, p); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Whole(nil); ok || len(got) > 0 {
		t.Errorf("the rest of a body in chunks is %q, %v", got, ok)
	}
	r.body("llo")
	r.leave(true)
	inside := "1\r\nA\r\n0\r\n\r\n" + strings.Repeat("x", 3000) // is data, whatever it looks like
	r.begin("GET")
	r.peer.Send(fmt.Sprintf("%s%x\r\nab%s\r\n0\r\n\r\n", chunkedHead, 2+len(inside), inside))
	r.status(200)
	if _, err := io.ReadFull(r.Conn, p); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Whole(nil); ok {
		t.Errorf("the rest of a chunk is %.20q", got)
	}
	r.body(inside)
	r.leave(true)
}

// Trailer fields are there at the end of the body.
func TestTrailer(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		r.peer.Send(chunkedHead + "5\r\nhello\r\n0\r\nA: b\r\nContent-Length: 3\r\n\r\n")
		r.status(200)
		if r.Trailer().Len() != 0 {
			t.Error("a trailer before the end")
		}
		r.body("hello")
		if h := r.Trailer(); h.Len() != 1 || string(h.Get("a")) != "b" {
			t.Errorf("%d trailer fields, a is %q", h.Len(), h.Get("a"))
		}
		r.leave(true)
	})
}

// The head that Await returns stays valid after the connection's buffer is reused.
func TestHeadIsTheCallers(t *testing.T) {
	r := plainRig(t, socket)
	r.begin("GET")
	const head = "HTTP/1.1 200 Fine\r\nA: b\r\nContent-Length: 5\r\n\r\n"
	r.peer.Send(head + "hello")
	buf := make([]byte, 0, 4)
	got, err := r.Await(&r.resp, buf, nil)
	if err != nil || string(got) != head {
		t.Fatalf("the head is %q, %v", got, err)
	}
	r.body("hello")
	r.leave(true)
	r.again0(strings.Repeat("x", 2000))
	if s := string(r.resp.Header.Get("A")); s != "b" || string(r.resp.Reason) != "Fine" {
		t.Errorf("A is %q, the reason %q", s, r.resp.Reason)
	}
	large := make([]byte, 0, 4096)
	r.begin("GET")
	r.peer.Send(head + "hello")
	if got, err = r.Await(&r.resp, large, nil); err != nil || &got[0] != &large[:1][0] {
		t.Errorf("a buffer that is large enough was not used: %v", err)
	}
	got[bytes.IndexByte(got, 'b')] = 'c'
	if s := string(r.resp.Header.Get("A")); s != "c" {
		t.Errorf("the fields do not stand in the head: A is %q", s)
	}
	r.body("hello")
	r.leave(true)
}

// again0 is an exchange whose head is not looked at.
func (r *rig) again0(body string) {
	r.t.Helper()
	r.begin("GET")
	r.peer.Send(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	other := &rig{Conn: r.Conn, t: r.t}
	other.status(200)
	other.body(body)
	other.leave(true)
}

// Await returns interim heads one by one, and then the final one.
func TestInterim(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := plainRig(t, k)
		r.begin("GET")
		r.peer.Send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" +
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
		if h := r.status(103); string(h.Header.Get("Link")) != "x" {
			t.Error("the fields of an interim head are lost")
		}
		r.status(102)
		if h := r.status(200); h.Header.Get("Link") != nil {
			t.Error("the final head has the fields of an interim one")
		}
		r.body("hello")
		r.leave(true)
		r.again()
	})
}

// Large bodies are read into small and large buffers.
func TestLarge(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := newRig(t, k, h1client.Config{}, "")
		size := 300_000
		if k.pipe {
			size = 30_000
		}
		body := strings.Repeat("0123456789", size/10)
		for _, says := range []string{
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", size, body),
			fmt.Sprintf("%s%x\r\n%s\r\n0\r\n\r\n", chunkedHead, size, body),
		} {
			r.begin("GET")
			sent := later(func() bool { r.peer.Send(says); return true })
			r.status(200)
			r.body(body)
			wiretest.Within(t, "the response to be sent", sent)
			r.leave(true)
		}
	})
}
