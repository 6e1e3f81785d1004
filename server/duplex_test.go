package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// In full duplex one goroutine can read a long body while another writes the response.
func TestFullDuplexFromTwoGoroutines(t *testing.T) {
	const size = 300_000
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		read := make(chan int64)
		go func() {
			n, _ := io.Copy(io.Discard, struct{ io.Reader }{r})
			read <- n
		}()
		for range 100 {
			w.WriteString(strings.Repeat("x", 3000))
			w.Flush()
		}
		fmt.Fprint(w, <-read)
	})
	for range 2 {
		k := f.talk(t)
		k.Send(post(expectField+chunkedField, ""))
		go io.WriteString(k.Conn, fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("a", size)))
		k.WantUntil("HTTP/1.1 200 OK\r\n")
		k.WantUntil(fmt.Sprintf("%d\r\n0\r\n\r\n", size))
		k.Send(post("", ""))
		k.WantUntil("0\r\n0\r\n\r\n")
	}
}

// A body left unread in full duplex is read before the next request, or the connection ends.
func TestABodyLeftInFullDuplex(t *testing.T) {
	t.Parallel()
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		w.Flush()
		w.WriteString("ok")
	})
	k := f.talk(t)
	k.Send(post(chunkedField, "3\r\nabc\r\n"))
	k.WantUntil("\r\n\r\n")
	k.Send("0\r\n\r\n" + post("", ""))
	k.Want("2\r\nok\r\n0\r\n\r\n")
	k.WantUntil("2\r\nok\r\n0\r\n\r\n")
	k.Send(post("Content-Length: 1000000\r\n", "abc"))
	k.WantUntil("2\r\nok\r\n0\r\n\r\n")
	k.WantEOF()
}

// A response that begins after the handler has returned says that the connection closes, if so much of the body was left
// that it does.
func TestAnAnswerAfterFullDuplexSaysClose(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.EnableFullDuplex()
		w.WriteString("ok")
	})
	k := f.talk(t)
	k.Send(post("Content-Length: 3\r\n", "a"))
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2")
	k.Want("ok")
	k.Send("bc" + post("Content-Length: 1000000\r\n", "a"))
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")
	k.Want("ok")
	k.WantEOF()
}

// A body has no minimum rate in full duplex, and any other body has.
func TestPausesInFullDuplex(t *testing.T) {
	f := start(t, server.Config{MinReadRate: 100_000, RateGrace: 30 * time.Millisecond,
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if r.Header().Has("X-Duplex") {
				w.EnableFullDuplex()
				w.Flush()
			}
			if b, err := r.Body(); err == nil {
				w.Write(b)
			}
		})})
	for field, want := range map[string]string{"X-Duplex: 1\r\n": "3\r\nabc\r\n0\r\n\r\n", "": "HTTP/1.1 408 "} {
		k := f.talk(t)
		k.Send(post("Content-Length: 3\r\n"+field, "a"))
		if field != "" {
			time.Sleep(100 * time.Millisecond) // several periods of RateGrace, none of which may end the request
			k.Send("bc")
		}
		k.WantUntil(want)
	}
}

// A read deadline applies to its own request and not to the next.
func TestAReadDeadlineIsOfOneRequest(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/past" {
			r.Read(make([]byte, 1))
			w.SetReadDeadline(time.Now().Add(-time.Second))
		}
		collect(w, r)
	})
	k := f.talk(t)
	k.Send("POST /past HTTP/1.1\r\nHost: h\r\n" + chunkedField + "\r\n2\r\nab\r\n")
	k.WantUntil("b|read tcp ")
	k.WantUntil(": i/o timeout|")
	k.WantEOF()
	k = f.talk(t)
	// The whole of one request and the start of another arrive together.
	k.Send("POST /past HTTP/1.1\r\nHost: h\r\n" + chunkedField + "\r\n2\r\nab\r\n0\r\n\r\n" +
		"POST /next HTTP/1.1\r\nHost: h\r\n" + chunkedField + expectField + "\r\n")
	k.WantUntil("b|<nil>|")
	k.WantUntil("100 Continue\r\n\r\n")
	k.Send("1\r\nc\r\n0\r\n\r\n")
	k.WantUntil("c|<nil>|")
}

// With handlers of every kind on many connections at once, each request gets its own response.
func TestStress(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		body, err := r.Body()
		if err != nil {
			return
		}
		switch string(r.Path()) {
		case "/sleep":
			time.Sleep(time.Millisecond)
		case "/burn":
			for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
			}
		case "/stream":
			for len(body) > 0 {
				n := min(len(body), 1000)
				w.Write(body[:n])
				w.Flush()
				body = body[n:]
			}
			return
		case "/panic":
			panic(server.ErrAbort)
		}
		w.Write(body)
	})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	done := make(chan error)
	const workers, rounds = 16, 60
	for i := range workers {
		go func() {
			for n := range rounds {
				path := []string{"/sleep", "/burn", "/stream", "/plain", "/panic"}[(i+n)%5]
				if err := roundTrip(client, f.addr, path, strings.Repeat(fmt.Sprint(i, n, ","), 1+n*37)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// roundTrip posts body, with its length or chunked, and expects it back.
func roundTrip(client *http.Client, addr, path, body string) error {
	var src io.Reader = strings.NewReader(body)
	if len(body)%2 == 0 {
		src = struct{ io.Reader }{src} // the client does not know their length
	}
	res, err := client.Post("http://"+addr+path, "text/plain", src)
	if path == "/panic" {
		if err == nil {
			res.Body.Close()
			return errors.New("a handler that panicked got a response")
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || string(got) != body {
		return fmt.Errorf("%s: %d bytes came back of %d, %v", path, len(got), len(body), err)
	}
	return nil
}
