package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// gone is the error of a response whose handler has returned.
const gone = "http: response used after its handler returned"

// After a handler has returned, nothing that it was given works any more, even while the next request of the connection
// is handled.
func TestNothingWorksAfterTheHandlerReturned(t *testing.T) {
	type held struct {
		w http.ResponseWriter
		r *http.Request
	}
	var first held
	var report string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			first = held{w, r}
			return
		}
		var b strings.Builder
		rc := http.NewResponseController(first.w)
		_, err := first.w.Write([]byte("stolen"))
		fmt.Fprintln(&b, "write:", err)
		_, err = io.WriteString(first.w, "stolen")
		fmt.Fprintln(&b, "write string:", err)
		_, err = first.w.(io.ReaderFrom).ReadFrom(strings.NewReader("stolen"))
		fmt.Fprintln(&b, "read from:", err)
		first.w.WriteHeader(http.StatusTeapot)
		first.w.Header().Set("X-Stolen", "yes")
		fmt.Fprintln(&b, "flush:", rc.Flush())
		_, _, err = rc.Hijack()
		fmt.Fprintln(&b, "hijack:", err)
		fmt.Fprintln(&b, "read deadline:", rc.SetReadDeadline(time.Unix(1, 0)))
		fmt.Fprintln(&b, "write deadline:", rc.SetWriteDeadline(time.Unix(1, 0)))
		fmt.Fprintln(&b, "full duplex:", rc.EnableFullDuplex())
		_, err = first.r.Body.Read(make([]byte, 10))
		fmt.Fprintln(&b, "body:", errors.Is(err, http.ErrBodyReadAfterClose), first.r.Body.Close())
		ctx := first.r.Context()
		<-ctx.Done()
		fmt.Fprintln(&b, "context:", ctx.Err(), context.Cause(ctx))
		b2, err := io.ReadAll(r.Body)
		fmt.Fprintln(&b, "own body:", string(b2), err)
		report = b.String()
		io.WriteString(w, "second")
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	p := dial(t, addr)
	p.say("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirst" + "POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nsecond")
	if got := p.answer("POST"); got != "HTTP/1.1 200 OK\nContent-Length: 0\n\n\n" {
		t.Errorf("first response:\n%s", got)
	}
	if got := p.answer("POST"); got != "HTTP/1.1 200 OK\nContent-Length: 6\nContent-Type: text/plain; charset=utf-8\n\nsecond\n" {
		t.Errorf("second response:\n%s", got)
	}
	want := "write: " + gone + "\nwrite string: " + gone + "\nread from: " + gone + "\nflush: " + gone + "\nhijack: " + gone +
		"\nread deadline: " + gone + "\nwrite deadline: " + gone + "\nfull duplex: " + gone +
		"\nbody: true <nil>\ncontext: context canceled context canceled\nown body: second <nil>\n"
	if report != want {
		t.Errorf("got:\n%s\nwant:\n%s", report, want)
	}
}

// Goroutines that outlive their handler and go on using its request cannot change the responses to others on the
// connection.
func TestLateGoroutinesReachNobody(t *testing.T) {
	var late sync.WaitGroup
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop := make(chan bool)
		for range 2 {
			late.Go(func() {
				<-stop
				p := make([]byte, 100)
				for range 20 {
					http.NewResponseController(w).EnableFullDuplex()
					w.Write([]byte("stolen"))
					w.(http.Flusher).Flush()
					if n, _ := r.Body.Read(p); n > 0 && strings.Trim(string(p[:n]), "b") != "" {
						t.Errorf("a late read got %q", p[:n])
					}
					http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
					context.AfterFunc(r.Context(), func() {})()
				}
			})
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "4")
		io.WriteString(w, "mine")
		close(stop)
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	answered := 0
	for range 4 {
		p := dial(t, addr)
		for range 50 {
			p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nbbbbb")
			switch got := p.answer("POST"); got {
			case "HTTP/1.1 200 OK\nContent-Length: 4\nContent-Type: text/plain\n\nmine\n":
				answered++
			case "closed\n":
				// A late Write came before the handler returned: it exceeded the length, which ends the connection.
				p.Close()
				p = dial(t, addr)
			default:
				t.Fatalf("got:\n%s", got)
			}
		}
		p.Close()
	}
	late.Wait()
	if answered < 50 {
		t.Errorf("%d requests got a response", answered)
	}
}

// A response does not wait for a goroutine that still reads the body when the handler returns, and what that goroutine
// writes later is not sent.
func TestBodyReadWhenTheHandlerReturns(t *testing.T) {
	left := make(chan string, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			_, read := io.ReadAll(r.Body)
			_, again := r.Body.Read(make([]byte, 1))
			_, write := io.WriteString(w, "late")
			deadline := http.NewResponseController(w).SetReadDeadline(time.Time{})
			left <- fmt.Sprintln(read == http.ErrBodyReadAfterClose, again == http.ErrBodyReadAfterClose, write, deadline)
		}()
		for !nethttp.BodyIsBeingRead(w) {
			runtime.Gosched()
		}
		io.WriteString(w, "early")
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	for _, body := range []string{"Content-Length: 500\r\n\r\nbbbbb", "Transfer-Encoding: chunked\r\n\r\n5\r\nbbbbb\r\n"} {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\n" + body)
		if got := p.answer("POST"); !strings.HasSuffix(got, "\nearly\n") {
			t.Errorf("got:\n%s", got)
		}
		if got, want := <-left, "true true "+gone+" "+gone+"\n"; got != want {
			t.Errorf("the goroutine that was left behind got\n%swant\n%s", got, want)
		}
		if got := p.answer("POST"); got != "closed\n" {
			t.Errorf("then:\n%s", got)
		}
	}
}
