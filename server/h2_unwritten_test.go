package server_test

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// byteLimit is the WriteByteTimeout of these tests.
const byteLimit = 30 * time.Second

// unwritten is a server with WriteByteTimeout as its only limit, whose responses are larger than a connection holds.
// ended gets the result of each.
func unwritten() (cfg server.Config, ended chan error) {
	ended = make(chan error, 10)
	return server.Config{
		MinWriteRate: -1, IdleTimeout: 10 * time.Hour, HTTP2: server.HTTP2Config{WriteByteTimeout: byteLimit},
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if string(r.Path()) == "/little" {
				return
			}
			_, err := w.Write(make([]byte, 32<<20))
			ended <- err
		}),
	}, ended
}

// widely begins a conversation with a client whose windows do not limit the server.
func widely(t *testing.T, nc net.Conn) *h2Talk {
	k := h2On(t, nc, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	k.Framer.WriteWindowUpdate(0, 1<<30)
	k.WantIdle()
	nc.SetDeadline(time.Time{})
	return k
}

// WriteByteTimeout begins with the data and again with each byte that is sent, and ends the connection. It does not apply
// to a client for which no data waits, or to HTTP/1.1.
func TestWriteByteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Buffer: 4 << 10})
		cfg, ended := unwritten()
		startOn(t, l, cfg)
		dial := func() net.Conn {
			nc, err := l.Dial()
			if err != nil {
				t.Fatal(err)
			}
			return nc
		}
		old := dial()
		io.WriteString(old, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		k := widely(t, dial())
		k.Timeout = 100 * time.Hour
		time.Sleep(time.Hour)
		k.get(1, "/little")
		k.Want("HEADERS 1 200 content-length=0 END")
		k.get(3, "/")
		for range 5 {
			time.Sleep(byteLimit - time.Second)
			if _, err := io.ReadFull(k.Conn, make([]byte, 2<<10)); err != nil || len(ended) > 0 {
				t.Fatalf("it has ended although bytes were taken: %v", err)
			}
		}
		synctest.Wait()
		last := time.Now()
		err := <-ended
		if took := time.Since(last); took < byteLimit-clock.Tick || took > 2*byteLimit {
			t.Errorf("it was given up after %v", took)
		}
		if err == nil {
			t.Error("Write did not fail")
		}
		for err = nil; err == nil; {
			_, err = k.Conn.Read(make([]byte, 4<<10))
		}
		time.Sleep(time.Hour)
		if len(ended) > 0 {
			t.Errorf("HTTP/1.1 was ended, too: %v", <-ended)
		}
		old.Close()
		<-ended
	})
}

// A client that takes nothing is cut off on both loops, without TLS and with it.
func TestWriteByteTimeoutOnSockets(t *testing.T) {
	t.Parallel()
	cert, pool := devCert(t)
	for name, loop := range loops {
		cfg, ended := unwritten()
		cfg.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
		t.Run(name, func(t *testing.T) {
			f, clk := still(t, listen(t), loop(cfg))
			nc, err := net.Dial("tcp", f.addr)
			if err != nil {
				t.Fatal(err)
			}
			endsUnwritten(t, f, clk, nc, ended)
		})
		t.Run(name+" tls", func(t *testing.T) {
			l, clk := listen(t), clock.NewManual()
			f := &fixture{Server: server.NewServerOn(clk, loop(cfg)), t: t, addr: l.Addr().String()}
			f.run(func() error { return f.ServeTLS(l, "", "") })
			nc, err := tls.Dial("tcp", f.addr, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"}})
			if err != nil {
				t.Fatal(err)
			}
			endsUnwritten(t, f, clk, nc, ended)
		})
	}
}

// endsUnwritten requests more than the connection holds, and advances the clock until the connection ends.
func endsUnwritten(t *testing.T, f *fixture, clk *clock.Clock, nc net.Conn, ended chan error) {
	k := widely(t, nc)
	began := clk.Now()
	k.get(1, "/")
	asTimePasses(clk, time.Second, func() { time.Sleep(time.Millisecond) }, func() {
		if err := <-ended; err == nil {
			t.Error("Write did not fail")
		}
	})
	if d := time.Duration(clk.Now() - began); d < byteLimit {
		t.Errorf("it was given up after %v", d)
	}
	k.Timeout = 10 * time.Second
	k.WantGone()
	if n := f.Stats().Timeouts; n != 1 {
		t.Errorf("%d timeouts were counted", n)
	}
}
