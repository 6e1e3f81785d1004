package nethttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func TestDate(t *testing.T) {
	const mine = "Mon, 02 Jan 2006 15:04:05 GMT"
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/none":
			w.Header()["Date"] = nil
		case "/mine":
			w.Header().Set("Date", mine)
		}
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		c := client(t)
		res, _ := get(t, c, request(t, "GET", "http://"+addr+"/", nil))
		if d, err := http.ParseTime(res.Header.Get("Date")); err != nil || time.Since(d).Abs() > time.Hour {
			t.Errorf("Date %q", res.Header.Get("Date"))
		}
		res, _ = get(t, c, request(t, "GET", "http://"+addr+"/none", nil))
		if d, ok := res.Header["Date"]; ok {
			t.Errorf("Date %q, though it was set to nil", d)
		}
		res, _ = get(t, c, request(t, "GET", "http://"+addr+"/mine", nil))
		if d := res.Header["Date"]; len(d) != 1 || d[0] != mine {
			t.Errorf("Date %q, want %q", d, mine)
		}
	})
}

func TestExpectationIsMetWhenTheBodyIsRead(t *testing.T) {
	asked := make(chan bool, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v", b, err)
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		<-asked
		if got := p.answer("POST"); got != "HTTP/1.1 100 Continue\n\n\n" {
			t.Errorf("first:\n%s", got)
		}
		p.say("hello")
		if got := p.answer("POST"); !strings.HasSuffix(got, "\nhello <nil>\n") {
			t.Errorf("then:\n%s", got)
		}
	})
}

func TestExpectationIsNotMetWithoutARead(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body.Close()
		http.Error(w, "no", http.StatusForbidden)
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n")
		if got := p.answer("POST"); !strings.HasPrefix(got, "HTTP/1.1 403 Forbidden\n(closes)\n") {
			t.Errorf("got:\n%s", got)
		}
		if got := p.answer("POST"); got != "closed\n" {
			t.Errorf("then:\n%s", got)
		}
	})
}

func TestContinueByHand(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusContinue)
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v", b, err)
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if got := p.answer("POST"); got != "HTTP/1.1 100 Continue\n\n\n" {
			t.Errorf("first:\n%s", got)
		}
		p.say("hello")
		if got := p.answer("POST"); !strings.HasSuffix(got, "\nhello <nil>\n") {
			t.Errorf("then:\n%s", got)
		}
	})
}

// In full duplex a handler can respond to each line of a body before it reads the next.
func TestFullDuplex(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		if err := rc.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			fmt.Fprintf(w, "echo %s\n", lines.Text())
			if err := rc.Flush(); err != nil {
				t.Error(err)
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n")
		res, err := http.ReadResponse(p.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(res.Body)
		for i, line := range []string{"one", "two", "three"} {
			if i > 0 {
				p.sayf("%x\r\n%s\n\r\n", len(line)+1, line)
			}
			if got, err := in.ReadString('\n'); got != "echo "+line+"\n" {
				t.Fatalf("%q %v", got, err)
			}
		}
		p.say("0\r\n\r\n")
		if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil {
			t.Errorf("%q %v", rest, err)
		}
		p.say("POST /again HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx\n")
		if got := p.answer("POST"); !strings.HasSuffix(got, "\necho x\n\n") {
			t.Errorf("the next request:\n%s", got)
		}
	})
}

// Without EnableFullDuplex the body cannot be read once the response has begun.
func TestHalfDuplex(t *testing.T) {
	result := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		_, err := r.Body.Read(make([]byte, 10))
		result <- err
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
		p.answer("POST")
		if err := <-result; !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("read: %v", err)
		}
	})
}

// A goroutine that reads the body can go on after another goroutine has begun the response.
func TestBodyStaysWithItsReader(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			io.WriteString(w, "next")
			return
		}
		first := make([]byte, 2)
		if _, err := io.ReadFull(r.Body, first); err != nil {
			t.Error(err)
		}
		rest := make(chan string)
		go func() {
			b, err := io.ReadAll(r.Body)
			rest <- fmt.Sprintf("%s %v", b, err)
		}()
		for !nethttp.BodyIsBeingRead(w) {
			runtime.Gosched()
		}
		io.WriteString(w, "begun, ")
		w.(http.Flusher).Flush()
		io.WriteString(w, string(first)+" and "+<-rest)
	})
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()}))
	p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
	if _, err := p.in.Peek(1); err != nil { // the response has begun
		t.Fatal(err)
	}
	p.say("llo")
	if got := p.answer("POST"); !strings.HasSuffix(got, "\nbegun, he and llo <nil>\n") {
		t.Errorf("got:\n%s", got)
	}
	p.say("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); !strings.HasSuffix(got, "\nnext\n") {
		t.Errorf("the next request:\n%s", got)
	}
}

func TestReadDeadline(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Error(err)
		}
		_, err := io.ReadAll(r.Body)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
		io.WriteString(w, "slow")
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
		if got := p.answer("POST"); !strings.Contains(got, "(closes)") || !strings.HasSuffix(got, "\nslow\n") {
			t.Errorf("got:\n%s", got)
		}
	})
}

// A write deadline set by another goroutine ends a Write that waits for a client which does not read.
func TestWriteDeadline(t *testing.T) {
	failed := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		set := make(chan error)
		go func() { set <- http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond)) }()
		large := make([]byte, 1<<20)
		for {
			if _, err := w.Write(large); err != nil {
				failed <- err
				break
			}
		}
		if err := <-set; err != nil {
			t.Error(err)
		}
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %v", err)
		}
	})
}

func TestHijack(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/answered" {
			w.Header().Set("Upgrade", "lines")
			w.Header().Set("Connection", "Upgrade")
			w.WriteHeader(http.StatusSwitchingProtocols)
		}
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		if _, err := w.Write([]byte("x")); !errors.Is(err, http.ErrHijacked) {
			t.Errorf("write: %v", err)
		}
		if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrHijacked) {
			t.Errorf("second hijack: %v", err)
		}
		if r.URL.Path != "/answered" {
			rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: lines\r\nConnection: Upgrade\r\n\r\n")
		}
		rw.Flush()
		for {
			line, err := rw.ReadString('\n')
			if err != nil {
				return
			}
			rw.WriteString("echo " + line)
			rw.Flush()
		}
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		for _, path := range []string{"/", "/answered"} {
			for _, fields := range []string{"", "Connection: Upgrade\r\nUpgrade: lines\r\n"} {
				p := dial(t, addr)
				// The first line is read ahead with the head.
				p.sayf("GET %s HTTP/1.1\r\nHost: a\r\n%s\r\nahead\n", path, fields)
				res, err := http.ReadResponse(p.in, nil)
				if err != nil || res.StatusCode != 101 || res.Header.Get("Upgrade") != "lines" {
					t.Fatal(res, err)
				}
				p.say("later\n")
				for _, want := range []string{"echo ahead\n", "echo later\n"} {
					if got, err := p.in.ReadString('\n'); got != want {
						t.Errorf("%s: %q %v, want %q", path, got, err, want)
					}
				}
				p.Close()
			}
		}
	})
}

// Hijack returns the *net.TCPConn itself for an upgrade, for a CONNECT, and if there is a ConnContext.
func TestHijackedType(t *testing.T) {
	kind := make(chan string, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		nc.Close()
		kind <- fmt.Sprintf("%T", nc)
	})
	ask := func(t *testing.T, addr, say string) {
		p := dial(t, addr)
		p.say(say)
		if got := <-kind; got != "*net.TCPConn" {
			t.Errorf("%.20q hijacks a %s", say, got)
		}
	}
	onBoth(t, h, func(t *testing.T, addr string) {
		ask(t, addr, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		ask(t, addr, "CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n")
	})
	configure := func() *http.Server {
		return &http.Server{Handler: h, ConnContext: func(ctx context.Context, nc net.Conn) context.Context { return ctx }}
	}
	withBoth(t, configure, func(t *testing.T, addr string) { ask(t, addr, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") })
}

func TestConnect(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "b:80" || r.URL.Host != "b:80" || r.URL.Path != "" {
			t.Errorf("host %q, URL %q", r.Host, r.URL)
		}
		w.WriteHeader(http.StatusOK)
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		line, _ := rw.ReadString('\n')
		rw.WriteString("echo " + line)
		rw.Flush()
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("CONNECT b:80 HTTP/1.1\r\nHost: b:80\r\n\r\n")
		res, err := http.ReadResponse(p.in, &http.Request{Method: "CONNECT"})
		if err != nil || res.StatusCode != 200 {
			t.Fatal(res, err)
		}
		p.say("hello\n")
		if got, err := p.in.ReadString('\n'); got != "echo hello\n" {
			t.Errorf("%q %v", got, err)
		}
	})
}

func TestHijackedConnectionOutlivesTheHandler(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(patience))
			line, err := rw.ReadString('\n')
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(nc, "echo %s", line)
		}()
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		p.say("hello\n")
		if got, err := io.ReadAll(p.in); string(got) != "echo hello\n" || err != nil {
			t.Errorf("%q %v", got, err)
		}
	})
}

func TestCopyingToTheResponse(t *testing.T) {
	name := t.TempDir() + "/file"
	text := strings.Repeat("0123456789", 20_000)
	if err := os.WriteFile(name, []byte("<html>"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		var src io.Reader = f
		switch r.URL.Path {
		case "/declared":
			w.Header().Set("Content-Length", "200006")
		case "/part":
			src = io.LimitReader(f, 10)
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/reader":
			src = struct{ io.Reader }{f}
		case "/begun":
			w.Header().Set("Content-Type", "a/b")
			w.Header().Set("Content-Length", "200009")
			io.WriteString(w, "abc")
		}
		n, err := io.Copy(w, src)
		if r.URL.Path == "/none" != errors.Is(err, http.ErrBodyNotAllowed) {
			t.Errorf("%s: %d %v", r.URL.Path, n, err)
		}
	})
	page := "<html>" + text
	onBoth(t, h, func(t *testing.T, addr string) {
		c := client(t)
		for path, want := range map[string]string{
			"/": page, "/declared": page, "/part": page[:10], "/none": "", "/reader": page, "/begun": "abc" + page,
		} {
			res, got := get(t, c, request(t, "GET", "http://"+addr+path, nil))
			if got != want {
				t.Errorf("%s: %d bytes, want %d", path, len(got), len(want))
			}
			kind := map[string]string{"/none": "", "/begun": "a/b"}
			wantKind, special := kind[path]
			if !special {
				wantKind = "text/html; charset=utf-8"
			}
			if got := res.Header.Get("Content-Type"); got != wantKind {
				t.Errorf("%s: %q, want %q", path, got, wantKind)
			}
		}
	})
}
