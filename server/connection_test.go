package server_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// path responds with the request's path.
func path(w *server.ResponseWriter, r *server.Request) { w.WriteBody("", r.Path()) }

func TestKeepAlive(t *testing.T) {
	k := handle(t, path).talk(t)
	for range 3 {
		k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2")
		k.Want("/a")
	}
	k.Send("GET /b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: keep-alive")
	k.Want("/b")
	k.Send("GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close")
	k.Want("/c")
	k.WantEOF()
}

func TestAnEmptyLineBetweenRequests(t *testing.T) {
	k := handle(t, path).talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\n")
	k.WantUntil("/a")
	k.Send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/b")
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	k := handle(t, path).talk(t)
	var requests, answers strings.Builder
	for i := range 100 {
		n := strconv.Itoa(100 + i)
		requests.WriteString("GET /" + n + " HTTP/1.1\r\nHost: h\r\n\r\n")
		answers.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n/" + n)
	}
	k.Send(requests.String())
	var got strings.Builder
	for range 100 {
		got.WriteString(head(k) + k.WantN(4))
	}
	if got.String() != answers.String() {
		t.Errorf("got %q", got.String())
	}
}

func TestPipelinedRequestsOfEveryKind(t *testing.T) {
	k := handle(t, site).talk(t)
	k.Send("GET /text HTTP/1.1\r\nHost: h\r\n\r\n" +
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc" +
		"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n" +
		"POST /text HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n" +
		"GET /flush HTTP/1.1\r\nHost: h\r\nUpgrade: something\r\nConnection: upgrade\r\n\r\n" +
		"HEAD /text HTTP/1.1\r\nHost: h\r\n\r\n" +
		"GET /status?204 HTTP/1.1\r\nHost: h\r\n\r\n" +
		"OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	k.WantUntil("hello")
	k.WantUntil("\r\n\r\nabc")
	k.WantUntil("\r\n\r\ndef")
	k.WantUntil("hello")
	k.WantUntil("3\r\ntwo\r\n0\r\n\r\n")
	k.WantUntil("charset=utf-8\r\n\r\n")
	k.WantUntil("X-Write: http: request method or response status code does not allow body\r\n\r\n")
	k.WantUntil("no such page\n")
	k.WantEOF()
}

// Bytes after a refused CONNECT are not read as requests.
func TestARefusedCONNECTEndsTheConnection(t *testing.T) {
	asked := make(chan string, 2)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		asked <- string(r.Method())
		w.Error(405, "no tunnels here")
	})
	got := f.exchange(t, "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\nDELETE /all HTTP/1.1\r\nHost: h\r\n\r\n")
	if want := lines("HTTP/1.1 405 Method Not Allowed", "Content-Length: 16", "Connection: close",
		"Content-Type: text/plain; charset=utf-8", "X-Content-Type-Options: nosniff", "", "no tunnels here\n"); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if len(asked) != 1 {
		t.Errorf("%d requests got a response, want CONNECT alone", len(asked))
	}
}

func TestABatchIsAnsweredInOneWrite(t *testing.T) {
	counting := wiretest.Count(listen(t))
	f, _ := still(t, counting, server.Config{Handler: server.HandlerFunc(path)}) // otherwise a tick of the clock could send some early
	k := f.talk(t)
	k.Send(strings.Repeat("GET /a HTTP/1.1\r\nHost: h\r\n\r\n", 16))
	for range 16 {
		k.WantUntil("/a")
	}
	k.Close()
	f.Shutdown(t.Context()) // the write has returned, and is counted
	if n := counting.Conns()[0].Writes(); n != 1 {
		t.Errorf("16 responses were sent in %d writes, want 1", n)
	}
}

func TestFastDoesNotWaitForSlowBehindIt(t *testing.T) {
	release := make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/slow" {
			<-release
		}
		path(w, r)
	})
	k := f.talk(t)
	k.Send("GET /fast HTTP/1.1\r\nHost: h\r\n\r\nGET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/fast") // while /slow is still at work
	close(release)
	k.WantUntil("/slow")
}

func TestHalfClose(t *testing.T) {
	f := handle(t, site)
	t.Run("after a request", func(t *testing.T) {
		k := f.talk(t)
		k.Send("GET /text HTTP/1.1\r\nHost: h\r\n\r\n")
		k.HalfClose()
		k.WantUntil("hello")
		k.WantEOF()
	})
	t.Run("after a streamed request", func(t *testing.T) {
		k := f.talk(t)
		k.Send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
		k.HalfClose()
		k.WantUntil("\r\n\r\na")
		k.WantEOF()
	})
	t.Run("within a head", func(t *testing.T) {
		k := f.talk(t)
		k.Send("GET /text HTTP/1.1\r\nHo")
		k.HalfClose()
		k.WantEOF()
	})
}

// A conversation gets the same responses wherever its bytes are split.
func TestEverySplit(t *testing.T) {
	requests := "GET /text HTTP/1.1\r\nHost: h\r\n\r\n" +
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc" +
		"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n1\r\nf\r\n0\r\nX-T: 1\r\n\r\n" +
		"GET /close HTTP/1.1\r\nHost: h\r\n\r\n"
	var want string
	for cut := range len(requests) + 1 {
		split := wiretest.At(int64(cut))
		if cut == len(requests) {
			split = wiretest.EveryByte
		}
		l := wiretest.Listen(wiretest.Config{Split: split}, wiretest.Config{})
		f := startOn(t, l, server.Config{Handler: server.HandlerFunc(site)})
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := wiretest.NewTalk(t, nc)
		k.Send(requests)
		got := undated(k.Rest())
		if cut == 0 {
			want = got
		}
		if got != want || strings.Count(got, "HTTP/1.1 200 OK") != 4 {
			t.Fatalf("cut at %d:\n got %q\nwant %q", cut, got, want)
		}
		f.Close()
	}
}
