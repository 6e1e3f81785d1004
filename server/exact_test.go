package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// A body of exactly the limit is whole, and one byte more is too much, however it is framed and read.
func TestABodyOfExactlyTheLimit(t *testing.T) {
	const limit = 10
	f := start(t, server.Config{MaxBodyBytes: limit, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		var body []byte
		var err error
		if string(r.Path()) == "/body" {
			body, err = r.Body()
		} else {
			body, err = io.ReadAll(struct{ io.Reader }{r})
		}
		fmt.Fprintf(w, "%s|%v", body, err)
	})})
	for _, path := range []string{"/body", "/read"} {
		for size, want := range map[int]string{
			limit - 1: "aaaaaaaaa|<nil>", limit: "aaaaaaaaaa|<nil>", limit + 1: "|http: request body too large",
		} {
			body := strings.Repeat("a", size)
			for _, framed := range []string{
				fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, body),
				fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, body),
				"Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", size) + "0\r\n\r\n",
			} {
				got := f.exchange(t, "POST "+path+" HTTP/1.1\r\nHost: h\r\n"+closeField+framed)
				if _, got, _ = strings.Cut(got, "\r\n\r\n"); !strings.HasSuffix(got, want) || size <= limit && got != want {
					t.Errorf("%s of %q: got %q, want %q", path, framed, got, want)
				}
			}
		}
	}
}

// An unread body of up to 256 KiB is read so that the connection can be reused, and a longer one is not.
func TestARestOfExactlyTheBound(t *testing.T) {
	const bound = 256 << 10
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) { w.WriteText("ok") })
	for size, reused := range map[int]bool{bound: true, bound + 1: false} {
		k := f.talk(t)
		k.Send(post(fmt.Sprintf("Content-Length: %d\r\n", size), strings.Repeat("a", size)))
		k.WantUntil("\r\n\r\nok")
		if !reused {
			k.WantEOF()
			continue
		}
		k.Send(post("", ""))
		k.WantUntil("\r\n\r\nok")
	}
}

// Bytes that Read has returned are not returned again and do not change.
func TestBodyTwice(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		first, err := r.Body()
		second, again := r.Body()
		n, end := r.Read(make([]byte, 1))
		fmt.Fprintf(w, "%s|%v|%s|%v|%d|%v", first, err, second, again, n, end)
	})
	const want = "\r\n\r\nabcde|<nil>||<nil>|0|EOF"
	k := f.talk(t)
	k.Send(post("Content-Length: 5\r\n", "abcde"))
	k.WantUntil(want)
	k.Send(post(chunkedField, "5\r\nabcde\r\n0\r\n\r\n"))
	k.WantUntil(want)
	k.Send(post("Content-Length: 5\r\n", "ab"))
	k.Send("cde")
	k.WantUntil(want)
}

// Body returns what Read has left, from memory and from the connection.
func TestTheRestOfABody(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var first [2]byte
		io.ReadFull(struct{ io.Reader }{r}, first[:])
		rest, err := r.Body()
		fmt.Fprintf(w, "%s|%s|%v", first[:], rest, err)
	})
	k := f.talk(t)
	for _, request := range []string{post("Content-Length: 5\r\n", "abcde"), post(chunkedField, "1\r\na\r\n4\r\nbcde\r\n0\r\n\r\n")} {
		k.Send(request)
		k.WantUntil("\r\n\r\nab|cde|<nil>")
	}
}

// A body that was read in place from the input buffer leaves the next body memory of its own.
func TestBodiesDoNotShareMemory(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		w.SetContentLength(int64(len(body)))
		if err == nil {
			w.Write(body)
		}
	})
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "%04d,", i)
	}
	k := f.talk(t)
	k.Send(post("Content-Length: 3\r\n", "abc") + post(fmt.Sprintf("Content-Length: %d\r\n", long.Len()), ""))
	k.WantUntil("\r\n\r\nabc")
	for rest := long.String(); rest != ""; rest = rest[500:] {
		k.Send(rest[:500])
	}
	k.WantUntil("\r\n\r\n")
	k.Want(long.String())
}

// A response declared to be empty takes no bytes, also after its head was sent.
func TestNothingAfterALengthOfNone(t *testing.T) {
	for name, say := range map[string]func(w *server.ResponseWriter){
		"field":            func(w *server.ResponseWriter) { w.Header().Set("Content-Length", "0") },
		"SetContentLength": func(w *server.ResponseWriter) { w.SetContentLength(0) },
		"both": func(w *server.ResponseWriter) {
			w.Header().Set("Content-Length", "5")
			w.SetContentLength(0)
		},
	} {
		for _, flush := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", flushed ", flush), func(t *testing.T) {
				f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
					say(w)
					if flush {
						w.Flush()
					}
					if n, err := w.WriteString("x"); n != 0 || err != http.ErrContentLength {
						t.Errorf("Write: %d, %v", n, err)
					}
					if n, err := w.ReadFrom(strings.NewReader("x")); n != 0 || err != http.ErrContentLength {
						t.Errorf("ReadFrom: %d, %v", n, err)
					}
					if n, err := w.Write(nil); n != 0 || err != nil {
						t.Errorf("Write of nothing: %d, %v", n, err)
					}
				})
				k := f.talk(t)
				for range 2 {
					k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
					wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 0")
				}
			})
		}
	}
}

// A Flush with nothing to send does not end a chunked body.
func TestFlushesOfNothing(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Flush()
		w.Flush()
		w.WriteString("a")
		w.Flush()
		w.Flush()
		w.WriteString("b")
		w.Flush()
	})
	got := f.exchange(t, get("/"))
	if want := lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "1", "a", "1", "b", "0", "", ""); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// SetStatus accepts the lowest and the highest valid status.
func TestStatusesAtTheEdge(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		code := 200
		if string(r.Path()) == "/999" {
			code = 999
		}
		w.SetStatus(code)
	})
	wantStatus(t, f.exchange(t, get("/200")), "200 OK")
	wantStatus(t, f.exchange(t, get("/999")), "999 ")
}

// shortWriter writes half of what it is given and returns err.
type shortWriter struct{ err error }

func (s shortWriter) Write(p []byte) (int, error) { return len(p) / 2, s.err }

// WriteTo ends with a writer that fails or writes less than all, and returns how much was written.
func TestWriteToTellsWhatItsWriterDid(t *testing.T) {
	full := errors.New("full")
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		want := io.ErrShortWrite
		var dst shortWriter
		if string(r.Method()) == "PUT" {
			want, dst.err = full, full
		}
		if n, err := r.WriteTo(dst); n != 2 || err != want {
			t.Errorf("WriteTo: %d, %v; want 2, %v", n, err, want)
		}
	})
	for _, method := range []string{"POST", "PUT"} {
		f.exchange(t, method+" / HTTP/1.1\r\nHost: h\r\n"+closeField+"Content-Length: 4\r\n\r\nabcd")
	}
}
