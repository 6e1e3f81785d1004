package http3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/server"
)

// A client that causes work without progress is cut off within about a thousand frames, whatever it sends.
func TestFloods(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	control := func(piece string) func(k *talk) {
		return func(k *talk) {
			u := k.uni(unhex(t, "00 0400"))
			for b := unhex(t, strings.Repeat(piece, 100)); ; {
				if _, err := u.Write(b); err != nil {
					return
				}
			}
		}
	}
	onRequest := func(head, piece string) func(k *talk) {
		return func(k *talk) {
			s := k.open(unhex(t, head), false)
			for b := unhex(t, strings.Repeat(piece, 100)); ; {
				if _, err := s.Write(b); err != nil {
					return
				}
			}
		}
	}
	requests := func(f func(s *quic.Stream)) func(k *talk) {
		return func(k *talk) {
			for range 5000 {
				s, err := k.c.OpenStreamSync(t.Context())
				if err != nil {
					return
				}
				f(s)
			}
		}
	}
	for name, flood := range map[string]func(k *talk){
		"unknown frames":           onRequest("", "2100"),
		"unknown frames, behind":   onRequest(post(""), "2100"),
		"empty DATA":               onRequest(post(""), "0000"),
		"unknown control frames":   control("2100"),
		"GOAWAY":                   control("0701 00"),
		"MAX_PUSH_ID":              control("0d01 00"),
		"PRIORITY_UPDATE":          control("800f0700 05 00 753d31 2c"),
		"PRIORITY_UPDATE, unknown": control("800f0700 04 00 753d31"),
		"requests without a head": requests(func(s *quic.Stream) {
			s.CancelWrite(0x10c)
			s.CancelRead(0x10c)
		}),
		"requests that are reset": requests(func(s *quic.Stream) {
			s.Write(unhex(t, post("")))
			s.CancelWrite(0x10c)
			s.CancelRead(0x10c)
		}),
		"responses that are stopped": requests(func(s *quic.Stream) {
			s.CancelRead(0x10c)
			s.Write(unhex(t, get))
			s.Close()
		}),
		"unidirectional streams": func(k *talk) {
			for range 5000 {
				u, err := k.c.OpenUniStreamSync(t.Context())
				if err != nil {
					return
				}
				u.Write([]byte{0x21})
				u.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := r.talk()
			go flood(k)
			if got := k.closed(); got != "close H3_EXCESSIVE_LOAD" {
				t.Errorf(`got %q, want "close H3_EXCESSIVE_LOAD"`, got)
			}
		})
	}
}

// Normal use of the same frames is not treated as a flood.
func TestHonestClients(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	k := r.talk()
	k.uni(unhex(t, "00 0400 2100 4021 02 6162"))
	for range 10 { // a page is left 10 times, with 40 fetches under way, and others go on
		for range 40 {
			s := k.open(unhex(t, post("")), false)
			s.CancelWrite(0x10c)
			s.CancelRead(0x10c)
		}
		for range 100 {
			if got := k.ask(unhex(t, "2100"+get), true); got != "200 GET 3 a.test" {
				t.Fatalf(`got %q, want "200 GET 3 a.test"`, got)
			}
		}
	}
	s := k.open(unhex(t, post("")), false) // an upload in small pieces, with empty ones between
	go func() {
		for range 3000 {
			s.Write(unhex(t, "0020"+strings.Repeat("61", 32)))
		}
		s.Close()
	}()
	if got := k.response(s); len(strings.ReplaceAll(got, " ", "")) != len("200")+3000*32 {
		t.Errorf("%.100s… of %d bytes", got, len(got))
	}
}

// A client that sends or receives too slowly is cut off after the configured time.
func TestTooSlow(t *testing.T) {
	r := start(t, server.Config{
		ReadHeaderTimeout: 300 * time.Millisecond, RateGrace: 200 * time.Millisecond, MinReadRate: 10_000, MinWriteRate: 10_000,
		IdleTimeout: 700 * time.Millisecond,
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/echo" {
				_, err := io.Copy(io.Discard, r)
				fmt.Fprint(w, err)
				return
			}
			w.Write(make([]byte, 64<<20))
		}),
	}, http3.Config{})
	k := r.talk()
	begun := time.Now()
	if got := k.response(k.open(unhex(t, "0150 00"), false)); got != "reset H3_REQUEST_INCOMPLETE" {
		t.Errorf(`half a head: got %q, want "reset H3_REQUEST_INCOMPLETE"`, got)
	}
	if got := k.response(k.open(unhex(t, post("")), false)); !strings.Contains(got, "timeout") {
		t.Errorf(`no content: got %q, want "timeout" in it`, got)
	}
	s := k.open(unhex(t, get), true)
	if err := eventually(func() bool { return r.s.Stats().Timeouts >= 3 }); err != nil {
		t.Errorf("a reader that does not read: got %v; %+v", err, r.s.Stats())
	}
	if got := k.response(s); !strings.HasPrefix(got, "reset") {
		t.Errorf(`a reader that does not read: got %q, want "reset" at its start`, got)
	}
	if d := time.Since(begun); d > 8*time.Second {
		t.Errorf("that took %v", d)
	}
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`an idle connection: got %q, want "close H3_NO_ERROR"`, got)
	}
}

// A client that reads a long response slowly, but above the minimum rate, gets all of it.
func TestSlowIsEnough(t *testing.T) {
	const size = 2 << 20
	r := start(t, server.Config{RateGrace: 100 * time.Millisecond, MinWriteRate: 20_000, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.Write(make([]byte, size)) // in one piece
	})}, http3.Config{})
	_, pool := certificate()
	c, err := quic.DialAddr(t.Context(), r.addr, clientTLS(pool), &quic.Config{InitialStreamReceiveWindow: 64 << 10, MaxStreamReceiveWindow: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseWithError(0x100, "")
	s, err := c.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	s.Write(unhex(t, get))
	s.Close()
	got := 0
	for p := make([]byte, 64<<10); err == nil; time.Sleep(100 * time.Millisecond) {
		var n int
		n, err = io.ReadFull(s, p)
		got += n
	}
	if got < size || err != io.ErrUnexpectedEOF && err != io.EOF || r.s.Stats().Timeouts > 0 {
		t.Errorf("got %d bytes, %v, %+v", got, err, r.s.Stats())
	}
}

// eventually waits until f is true.
func eventually(f func() bool) error {
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return context.DeadlineExceeded
		}
	}
	return nil
}

// Beyond MaxUnvalidatedHandshakes clients must prove their addresses, and those that do are served.
func TestHandshakesThatDoNotEnd(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page), TLSHandshakeTimeout: time.Second}, http3.Config{MaxUnvalidatedHandshakes: 5})
	var all sync.WaitGroup
	var asked atomic.Bool
	for range 20 { // a client whose first flight arrives, and nothing else of it, again and again
		all.Go(func() {
			for !asked.Load() {
				r.knock()
			}
		})
	}
	if err := eventually(func() bool { return r.retries() > 0 }); err != nil {
		t.Error("no client has to prove its address")
	}
	asked.Store(true)
	all.Wait()
	if err := eventually(func() bool { return r.retries() == 0 }); err != nil {
		t.Error("clients have to prove their addresses when the handshakes are over")
	}
	if err := eventually(func() bool { return r.s.Stats().OpenConnections == 0 }); err != nil {
		t.Errorf("got %+v, want OpenConnections 0", r.s.Stats())
	}
}

// knock starts a handshake and does not complete it.
func (r *rig) knock() {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		r.Error(err)
		return
	}
	defer pc.Close()
	ctx, cancel := context.WithTimeout(r.Context(), 500*time.Millisecond)
	defer cancel()
	to, _ := net.ResolveUDPAddr("udp", r.addr)
	_, pool := certificate()
	if c, err := quic.Dial(ctx, &deaf{PacketConn: pc}, to, clientTLS(pool), nil); err == nil {
		c.CloseWithError(0, "")
		r.Error("a handshake completes although its packets get no reply")
	}
}

// retries makes a client send a request, and returns how many Retry packets it has received.
func (r *rig) retries() int64 {
	r.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	defer pc.Close()
	_, pool := certificate()
	to, _ := net.ResolveUDPAddr("udp", r.addr)
	spy := &spy{PacketConn: pc}
	tr := &quic.Transport{Conn: spy}
	defer tr.Close()
	ctx, cancel := within(r)
	defer cancel()
	c, err := tr.Dial(ctx, to, clientTLS(pool), nil)
	if err != nil {
		r.Fatal(err)
	}
	k := &talk{r, c}
	if got := k.ask(unhex(r, get), true); got != "200 GET 3 a.test" {
		r.Errorf(`got %q, want "200 GET 3 a.test"`, got)
	}
	c.CloseWithError(0x100, "")
	return spy.retries.Load()
}

// spy is a socket that counts the Retry packets that it receives (RFC 9000 §17.2.5).
type spy struct {
	net.PacketConn
	retries atomic.Int64
}

func (s *spy) ReadFrom(p []byte) (int, net.Addr, error) {
	n, from, err := s.PacketConn.ReadFrom(p)
	if n > 0 && p[0]&0xf0 == 0xf0 {
		s.retries.Add(1)
	}
	return n, from, err
}

// deaf is a socket that receives nothing.
type deaf struct{ net.PacketConn }

func (d *deaf) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		if _, _, err := d.PacketConn.ReadFrom(p); err != nil {
			return 0, nil, err
		}
	}
}

// Shutdown completes running requests, and their responses arrive before the connections end.
func TestShutdown(t *testing.T) {
	enter, leave := make(chan bool, 10), make(chan bool)
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/now" {
			return
		}
		enter <- true
		<-leave
		w.Write(body)
	})}, http3.Config{})
	idle, busy := r.client(), r.client()
	r.get(idle, "/now")
	got := make(chan string, 3)
	for range cap(got) {
		go func() {
			resp, err := busy.Get("https://" + r.addr + "/")
			if err != nil {
				got <- err.Error()
				return
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			if err != nil || !bytes.Equal(b, body) {
				got <- fmt.Sprintf("%d bytes, %v", len(b), err)
				return
			}
			got <- "all"
		}()
		<-enter
	}
	down := make(chan error, 1)
	go func() {
		ctx, cancel := within(t)
		defer cancel()
		down <- r.s.Shutdown(ctx)
	}()
	if err := eventually(func() bool { return r.s.Stats().OpenConnections == 1 }); err != nil {
		t.Error("the idle connection has not ended")
	}
	close(leave)
	for range cap(got) {
		if g := <-got; g != "all" {
			t.Errorf(`a response: got %q, want "all"`, g)
		}
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if n := r.s.Stats(); n.OpenConnections != 0 {
		t.Errorf("got %+v, want OpenConnections 0", n)
	}
	if _, err := (&http.Client{Transport: idle.Transport, Timeout: time.Second}).Get("https://" + r.addr + "/now"); err == nil {
		t.Error("a request after the end got a response, want none")
	}
}

// After a handler sets Connection: close the connection takes no more requests.
func TestConnectionClose(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "last")
	})}, http3.Config{})
	c := r.client()
	for range 3 {
		if got := r.get(c, "/"); got != "last" {
			t.Errorf(`got %q, want "last"`, got)
		}
	}
	k := r.talk()
	if got := k.ask(unhex(t, get), true); got != "200 last" {
		t.Errorf(`got %q, want "200 last"`, got)
	}
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`got %q, want "close H3_NO_ERROR"`, got)
	}
}

// Requests that a client has sent before it learned that the connection takes no more get their responses, even if others end
// meanwhile; later ones are refused, so that the client can send them elsewhere.
func TestRequestsOnTheirWay(t *testing.T) {
	enter, leave := make(chan bool), make(chan bool)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/last":
			w.Header().Set("Connection", "close")
		case "/slow":
			enter <- true
			<-leave
		}
		fmt.Fprintf(w, "%s", r.Path())
	})}, http3.Config{})
	k := r.talk()
	head := func(path string) []byte {
		return unhex(t, "[:method GET|:scheme https|:authority a.test|:path "+path+"]")
	}
	slow := k.open(head("/slow"), true)
	<-enter
	if got := k.ask(head("/last"), true); got != "200 /last" {
		t.Errorf(`got %q, want "200 /last"`, got)
	}
	if got := k.ask(head("/x"), true); got != "200 /x" {
		t.Errorf(`on its way: got %q, want "200 /x"`, got)
	}
	if err := eventually(func() bool { return k.ask(head("/y"), true) == "reset H3_REQUEST_REJECTED" }); err != nil {
		t.Error("later requests are not refused")
	}
	leave <- true
	if got := k.response(slow); got != "200 /slow" {
		t.Errorf(`one that runs: got %q, want "200 /slow"`, got)
	}
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`got %q, want "close H3_NO_ERROR"`, got)
	}
}

// Shutdown also waits for handlers whose connection has ended.
func TestHandlersThatOutliveTheirConnection(t *testing.T) {
	enter, leave := make(chan bool), make(chan bool)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {
		enter <- true
		<-leave
	})}, http3.Config{})
	k := r.talk()
	k.open(unhex(t, get), true)
	<-enter
	k.c.CloseWithError(0x100, "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := r.s.Shutdown(ctx); err != context.DeadlineExceeded {
		t.Errorf("while the handler runs: got %v, want %v", err, context.DeadlineExceeded)
	}
	close(leave)
	if err := r.s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
