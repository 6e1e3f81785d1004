package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

const expectField = "Expect: 100-continue\r\n"

func TestContinueIsSentWhenTheBodyIsRead(t *testing.T) {
	k := handle(t, collect).talk(t)
	for range 2 {
		k.Send(post(expectField+"Content-Length: 3\r\n", ""))
		k.Want("HTTP/1.1 100 Continue\r\n\r\n")
		k.Send("abc")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 10")
		k.Want("abc|<nil>|")
	}
	k.Send(post(expectField+chunkedField, ""))
	k.Want("HTTP/1.1 100 Continue\r\n\r\n")
	k.Send("1\r\na\r\n0\r\n\r\n")
	k.WantUntil("a|<nil>|")
}

func TestContinueIsNotSent(t *testing.T) {
	t.Run("when the body is not read: the connection ends", func(t *testing.T) {
		k := handle(t, func(w *server.ResponseWriter, r *server.Request) { w.WriteText("no") }).talk(t)
		k.Send(post(expectField+"Content-Length: 3\r\n", ""))
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close", "Content-Type: text/plain; charset=utf-8")
		k.Want("no")
		k.WantEOF()
	})
	t.Run("when the body is here", func(t *testing.T) {
		k := handle(t, collect).talk(t)
		k.Send(post(expectField+"Content-Length: 3\r\n", "abc"))
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 10")
		k.Want("abc|<nil>|")
	})
	t.Run("when there is none", func(t *testing.T) {
		k := handle(t, collect).talk(t)
		k.Send(post(expectField, ""))
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 7")
	})
	t.Run("to HTTP/1.0", func(t *testing.T) {
		k := handle(t, collect).talk(t)
		k.Send("POST / HTTP/1.0\r\n" + expectField + "Content-Length: 3\r\n\r\n")
		k.Send("abc")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 10", "Connection: close")
	})
	t.Run("after the response has begun", func(t *testing.T) {
		k := handle(t, func(w *server.ResponseWriter, r *server.Request) {
			w.EnableFullDuplex()
			w.Flush()
			collect(w, r)
		}).talk(t)
		k.Send(post(expectField+"Content-Length: 3\r\n", ""))
		k.WantUntil("\r\n\r\n")
		k.Send("abc")
		k.Want("a\r\nabc|<nil>|\r\n0\r\n\r\n")
	})
}

// A response that does not say that the connection closes means that the body is still read, also from a client that got
// no 100 (RFC 9110 §10.1.1). The client has half a second to begin sending it.
func TestAnExpectationWithdrawnInFullDuplex(t *testing.T) {
	answer := func(w *server.ResponseWriter, _ *server.Request) {
		w.EnableFullDuplex()
		w.WriteText("ok")
	}
	synctest.Test(t, func(t *testing.T) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		startOn(t, l, server.Config{Handler: server.HandlerFunc(answer)})
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := wiretest.NewTalk(t, nc)
		for range 2 {
			k.Send(post(expectField+"Content-Length: 3\r\n", ""))
			wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Content-Type: text/plain; charset=utf-8")
			k.Want("ok")
			time.Sleep(400 * time.Millisecond)
			k.Send("abc")
		}
		k.Send(post(expectField+"Content-Length: 3\r\n", ""))
		k.WantUntil("\r\n\r\nok")
		answered := time.Now()
		k.WantEOF()
		if d := time.Since(answered); d < 500*time.Millisecond || d > 500*time.Millisecond+2*clock.Tick {
			t.Errorf("the connection ended after %v", d)
		}
	})
}

func TestAnotherExpectationIsRefused(t *testing.T) {
	k := handle(t, collect).talk(t)
	k.Send(post("Expect: miracles\r\nContent-Length: 3\r\n", "abc"))
	if got := k.WantUntil("\r\n"); got != "HTTP/1.1 417 Expectation Failed\r\n" {
		t.Errorf("got %q", got)
	}
	k.Rest()
}

func TestInformational(t *testing.T) {
	var h shockwave.Header
	h.Add("Link", "</style.css>; rel=preload")
	h.Add("Content-Length", "5")
	h.Add("X-Bad", "a\r\nb")
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		errs := []error{w.WriteInformational(103, &h), w.WriteInformational(102, nil), w.WriteInformational(100, nil)}
		for _, err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		for _, code := range []int{99, 101, 200} {
			if w.WriteInformational(code, nil) == nil {
				t.Errorf("%d was taken for informational", code)
			}
		}
		collect(w, r)
		w.Flush()
		if err := w.WriteInformational(103, nil); err != server.ErrCommitted {
			t.Errorf("after the head: %v", err)
		}
	})
	k := f.talk(t)
	k.Send(post(expectField+"Content-Length: 3\r\n", ""))
	k.Want("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
	k.Want("HTTP/1.1 102 Processing\r\n\r\n")
	k.Want("HTTP/1.1 100 Continue\r\n\r\n")
	k.Send("abc")
	wantHead(t, k, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked") // and no second 100
	k.Close()

	old := f.talk(t)
	old.Send("GET / HTTP/1.0\r\n\r\n")
	wantHead(t, old, "HTTP/1.1 200 OK", "Connection: close")
}
