package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server"
)

// collect reads the body in small pieces and responds with it, or with its length if it is long, and with how it ended.
func collect(w *server.ResponseWriter, r *server.Request) {
	body, err := io.ReadAll(struct{ io.Reader }{r})
	if len(body) > 2000 {
		body = fmt.Append(nil, len(body))
	}
	fmt.Fprintf(w, "%s|%v|%s", body, err, r.Trailer().Get("X-T"))
}

func post(fields, body string) string {
	return "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body
}

const (
	chunkedField = "Transfer-Encoding: chunked\r\n"
	closeField   = "Connection: close\r\n"
)

// collectAtOnce is collect by WriteTo.
func collectAtOnce(w *server.ResponseWriter, r *server.Request) {
	var body bytes.Buffer
	n, err := r.WriteTo(struct{ io.Writer }{&body})
	if n != int64(body.Len()) {
		err = fmt.Errorf("WriteTo returned %d bytes", n)
	}
	if body.Len() > 2000 {
		body = *bytes.NewBufferString(fmt.Sprint(n))
	}
	fmt.Fprintf(w, "%s|%v|%s", body.Bytes(), err, r.Trailer().Get("X-T"))
}

func TestBodiesAreRead(t *testing.T) {
	t.Run("by Read", func(t *testing.T) { bodiesAreRead(t, collect) })
	t.Run("by WriteTo", func(t *testing.T) { bodiesAreRead(t, collectAtOnce) })
}

func bodiesAreRead(t *testing.T, handler server.HandlerFunc) {
	f := handle(t, handler)
	for _, c := range []struct{ name, fields, body, want string }{
		{"none", "", "", "|<nil>|"},
		{"empty", "Content-Length: 0\r\n", "", "|<nil>|"},
		{"with its length", "Content-Length: 5\r\n", "abcde", "abcde|<nil>|"},
		{"long", "Content-Length: 70000\r\n", strings.Repeat("a", 70000), "70000|<nil>|"},
		{"chunked", chunkedField, "3\r\nabc\r\n2;x=\"y\"\r\nde\r\n0\r\n\r\n", "abcde|<nil>|"},
		{"chunked, long", chunkedField, "11170\r\n" + strings.Repeat("a", 70000) + "\r\n0\r\n\r\n", "70000|<nil>|"},
		{"chunked, with trailers", chunkedField + "Trailer: X-T\r\n", "1\r\na\r\n0\r\nX-T: sum\r\n\r\n", "a|<nil>|sum"},
		{"chunked, empty", chunkedField, "0\r\n\r\n", "|<nil>|"},
		{"many chunks", chunkedField, strings.Repeat("1\r\na\r\n", 2000) + "0\r\n\r\n", strings.Repeat("a", 2000) + "|<nil>|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := f.talk(t)
			k.Send(post(c.fields, c.body) + post(closeField, "")) // a second request shows that the first ended at the right byte
			k.WantUntil("\r\n\r\n" + c.want)
			k.WantUntil("\r\n\r\n|<nil>|")
			k.WantEOF()
		})
	}
}

// A body whose length is known takes no more memory than that length, and its end is known.
func TestBodyTakesNoMoreMemoryThanTheBody(t *testing.T) {
	const size = 1 << 20
	got := make(chan []byte, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var first [10]byte
		n, _ := r.Read(first[:])
		body, err := r.Body()
		if err != nil || n+len(body) != size {
			t.Errorf("%d bytes, %v", n+len(body), err)
		}
		got <- body
		if _, err := r.Read(first[:]); err != io.EOF {
			t.Errorf("Read after Body: %v", err)
		}
	})
	k := f.talk(t)
	k.Send(post(fmt.Sprintf("Content-Length: %d\r\n", size), ""))
	k.Send(strings.Repeat("a", size))
	if body := <-got; cap(body) != len(body) {
		t.Errorf("%d bytes lie in %d", len(body), cap(body))
	}
	head(k)
}

// A handler can respond to each piece of a body before the client sends the next.
func TestABodyIsStreamed(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		buf := make([]byte, 100)
		for {
			n, err := r.Read(buf)
			w.Write(buf[:n])
			w.Flush()
			if err != nil {
				return
			}
		}
	})
	k := f.talk(t)
	k.Send(post(chunkedField, ""))
	for range 3 {
		k.Send("2\r\nab\r\n")
		k.WantUntil("2\r\nab\r\n")
	}
	k.Send("0\r\n\r\n")
	k.Want("0\r\n\r\n")
	k.Send(post(closeField, ""))
	k.WantUntil("0\r\n\r\n")
	k.WantEOF()
}

func TestSmallReads(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		one := make([]byte, 1)
		for {
			n, err := r.Read(one)
			w.Write(one[:n])
			if err != nil {
				return
			}
		}
	})
	k := f.talk(t)
	k.Send(post(chunkedField, "5\r\nabcde\r\n3\r\nfgh\r\n0\r\n\r\n") + post("Content-Length: 3\r\n", "ijk") + post(closeField+"Content-Length: 6\r\n", "lmn"))
	k.WantUntil("\r\n\r\nabcdefgh")
	k.WantUntil("\r\n\r\nijk")
	k.Send("opq")
	k.WantUntil("\r\n\r\nlmnopq")
	k.WantEOF()
}

// For every fault in a body, Read returns a fitting error, the server responds if the handler does not, and the
// connection ends.
func TestBadBodies(t *testing.T) {
	errs := make(chan error, 1)
	f := start(t, server.Config{MaxBodyBytes: 10, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		n, err := io.Copy(io.Discard, struct{ io.Reader }{r})
		if n > 10 {
			t.Errorf("%d bytes were read of a body that may have 10", n)
		}
		errs <- err
	})})
	isHTTP1 := func(err error) bool { var e *http1.Error; return errors.As(err, &e) }
	isMax := func(err error) bool { var e *http.MaxBytesError; return errors.As(err, &e) && e.Limit == 10 }
	isCut := func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
	for _, c := range []struct {
		name, fields, body string
		status             string
		is                 func(error) bool
	}{
		{"an invalid chunk size", chunkedField, "x\r\n", "400 Bad Request", isHTTP1},
		{"a chunk longer than its size", chunkedField, "1\r\nabc\r\n0\r\n\r\n", "400 Bad Request", isHTTP1},
		{"chunks too long together", chunkedField, "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n", "413 Content Too Large", isMax},
		{"a chunk that will be too long", chunkedField, "b\r\n", "413 Content Too Large", isMax},
		{"a chunk of 2^63-1 bytes", chunkedField, "7fffffffffffffff\r\nabc\r\n0\r\n\r\n", "413 Content Too Large", isMax},
		{"a length too large, here", "Content-Length: 11\r\n", "abcdefghijk", "413 Content Too Large", isMax},
		{"a length too large, to come", "Content-Length: 1000000\r\n", "abc", "413 Content Too Large", isMax},
		{"a length too large, with Expect", "Content-Length: 1000000\r\nExpect: 100-continue\r\n", "", "413 Content Too Large", isMax},
		{"cut, with its length", "Content-Length: 5\r\n", "abc", "400 Bad Request", isCut},
		{"cut, chunked", chunkedField, "5\r\nabc", "400 Bad Request", isCut},
		{"cut before the last chunk", chunkedField, "3\r\nabc\r\n", "400 Bad Request", isCut},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := f.talk(t)
			k.Send(post(c.fields, c.body))
			if strings.HasPrefix(c.name, "cut") {
				k.HalfClose()
			}
			if err := <-errs; !c.is(err) {
				t.Errorf("Read returned %v", err)
			}
			if got := k.WantUntil("\r\n"); got != "HTTP/1.1 "+c.status+"\r\n" {
				t.Errorf("response %q, want %s", got, c.status)
			}
			if rest := k.Rest(); !strings.Contains(rest, "Connection: close\r\n") {
				t.Errorf("the response does not say that the connection ends: %q", rest)
			}
		})
	}
}

// A body too large for a slice is an error of Body, and can be read as it arrives by Read.
func TestBodiesThatNoSliceHolds(t *testing.T) {
	errs := make(chan error, 2)
	f := start(t, server.Config{MaxBodyBytes: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/whole" {
			_, err := r.Body()
			errs <- err
			return
		}
		_, err := io.Copy(io.Discard, struct{ io.Reader }{r})
		errs <- err
	})})
	isMax := func(err error) bool { var e *http.MaxBytesError; return errors.As(err, &e) }
	for _, length := range []int64{1 << 30, math.MaxInt32, 1 << 31, 1<<32 + 5, math.MaxInt64 - 1} {
		for _, framing := range []string{
			fmt.Sprintf("Content-Length: %d\r\n\r\nabc", length),
			fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\nabc", length),
		} {
			for _, path := range []string{"/whole", "/pieces"} {
				k := f.talk(t)
				k.Send("POST " + path + " HTTP/1.1\r\nHost: h\r\n" + framing)
				k.HalfClose()
				fits := path == "/pieces" || length < math.MaxInt
				if err := <-errs; fits && !errors.Is(err, io.ErrUnexpectedEOF) || !fits && !isMax(err) {
					t.Errorf("%s, %q: %v", path, framing, err)
				}
				k.Rest()
			}
		}
	}
}

// The server does not replace the handler's response after a fault in the body.
func TestAHandlersOwnAnswerStands(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		_, err := r.Body()
		w.Error(422, fmt.Sprint(err != nil))
	})
	k := f.talk(t)
	k.Send(post(chunkedField, "x\r\n"))
	wantHead(t, k, "HTTP/1.1 422 Unprocessable Content", "Content-Length: 5", "Connection: close",
		"Content-Type: text/plain; charset=utf-8", "X-Content-Type-Options: nosniff")
	k.Want("true\n")
	k.WantEOF()
}

func TestSetMaxBody(t *testing.T) {
	f := start(t, server.Config{MaxBodyBytes: 2, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/more" {
			r.SetMaxBody(5)
		} else {
			r.SetMaxBody(-1)
		}
		collect(w, r)
	})})
	k := f.talk(t)
	k.Send("PUT /more HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde")
	k.WantUntil("abcde|<nil>|")
	k.Send("PUT /none HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\nabcdefg")
	k.WantUntil("abcdefg|<nil>|")
	k.Send("PUT /more HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabcdef")
	k.WantUntil("|http: request body too large|")
}

func TestABodyLeftUnread(t *testing.T) {
	t.Parallel()
	// Without a minimum rate only the bounds of draining end the wait for a body that does not come.
	f := start(t, server.Config{MinReadRate: -1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.WriteText("ok")
	})})
	for _, c := range []struct {
		name, fields, body string
		reused             bool
	}{
		{"here", "Content-Length: 5\r\n", "abcde", true},
		{"here, chunked", chunkedField, "5\r\nabcde\r\n0\r\n\r\n", true},
		{"small", "Content-Length: 100000\r\n", strings.Repeat("a", 100000), true},
		{"small, chunked", chunkedField, "186a0\r\n" + strings.Repeat("a", 100000) + "\r\n0\r\n\r\n", true},
		{"large", "Content-Length: 1000000\r\n", "abc", false},
		{"large, chunked", chunkedField, "61a80\r\n" + strings.Repeat("a", 400000) + "\r\n0\r\n\r\n", false},
		{"malformed", chunkedField, "x\r\n", false},
		{"it does not arrive", "Content-Length: 5\r\n", "abc", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := f.talk(t)
			k.Send(post(c.fields, c.body))
			if got, want := head(k), "Connection: close"; strings.Contains(got, want) == c.reused {
				t.Errorf("the connection should be usable again: %v; head %q", c.reused, got)
			}
			k.Want("ok")
			if !c.reused {
				k.WantEOF()
				return
			}
			k.Send(post("", ""))
			k.WantUntil("ok")
		})
	}
}

// Without full duplex, the rest of the body cannot be read once the response has begun.
func TestTheRestIsGoneWhenTheAnswerHasBegun(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Flush()
		_, err := r.Read(make([]byte, 1))
		fmt.Fprint(w, err)
	})
	k := f.talk(t)
	k.Send(post(chunkedField, "3\r\nabc\r\n0\r\n\r\n"))
	k.WantUntil(http.ErrBodyReadAfterClose.Error())
	k.WantUntil("0\r\n\r\n")
	k.Send(post("", ""))
	k.WantUntil("EOF")
}
