//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// accepts accepts a connection and says what it is on.
func accepts(t *testing.T, l net.Listener) *far {
	t.Helper()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { nc.Close() })
	return &far{&talk{t, nc, bufio.NewReader(nc)}, "tcp", nc}
}

// localhost listens on a free port, or on one that was free a moment ago.
func localhost(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// apart is where TestSocketRedial listens again: on Linux no other test does, and so none is given its port meanwhile.
func apart() string {
	if runtime.GOOS == "linux" {
		return "127.0.0.2:0"
	}
	return "127.0.0.1:0"
}

// TestSocketRedial: a dialled peer keeps its id, and what is sent while it is away.
func TestSocketRedial(t *testing.T) {
	t.Parallel()
	l := localhost(t, apart())
	addr := l.Addr().String()
	s := runSocket(t, "-json", "-connect", "tcp://"+addr, "-redial", "5ms,20ms")
	f := accepts(t, l)
	s.wants(`{"event":"connected","peer":1,"transport":"tcp","dialled":true,"tls":false,"url":"tcp://` + addr + `","remote":"` + addr + `"}`)
	for range 2 {
		l.Close()
		f.sends("last")
		f.nc.Close()
		s.wants(`{"event":"message","text":"last"}`, `{"event":"disconnected","peer":1,"reason":"eof","redial":true}`)
		s.say(`{"do":"send","peer":1,"text":"a","tag":1}`, `{"do":"broadcast","text":"b","tag":2}`, `{"do":"peers"}`)
		s.wants(`{"event":"ok","tag":1}`, `{"event":"ok","tag":2}`)
		p := s.wants(`{"event":"peers"}`)["peers"].([]any)[0].(object)
		if !like(p, object{"peer": 1.0, "queued": 2.0, "queued_bytes": 2.0}) {
			t.Errorf("%v", p)
		}
		l = localhost(t, addr)
		f = accepts(t, l)
		f.wantMessages("a", "b")
		s.wants(`{"event":"reconnected","peer":1,"dialled":true}`)
	}
	s.say(`{"do":"send","peer":1,"text":"c"}`, `{"do":"disconnect","peer":1,"tag":3}`)
	f.wantMessages("c")
	f.wantEnd()
	f.nc.Close()
	s.wantsInAnyOrder(`{"event":"ok","tag":3}`, `{"event":"disconnected","peer":1,"reason":"local","redial":false}`)
	s.say(`{"do":"send","peer":1,"text":"c"}`)
	s.wants(`{"event":"error"}`)
	s.say(`{"do":"connect","url":"tcp://`+addr+`","tag":4}`, `{"do":"send","peer":2,"text":"d"}`)
	s.wantsInAnyOrder(`{"event":"ok","tag":4}`, `{"event":"connected","peer":2}`)
	f = accepts(t, l)
	f.wantMessages("d")
	s.in.Close() // all addresses are dialled
	f.wantEnd()
	f.nc.Close()
	s.wants(`{"event":"disconnected","peer":2,"reason":"local"}`, `{"event":"closed","undelivered":0}`)
	s.ends(0)
}

// TestSocketPiped: what stdin has said before its end arrives, though the connection is still to come.
func TestSocketPiped(t *testing.T) {
	t.Parallel()
	l := localhost(t, "127.0.0.1:0")
	s := runSocket(t, "-connect", "tcp://"+l.Addr().String())
	const n = 20000
	go func() {
		fmt.Fprint(s.in, strings.Repeat("a line\n", n), "and its end")
		s.in.Close()
	}()
	f := accepts(t, l)
	for range n {
		f.wantMessages("a line")
	}
	f.wantMessages("and its end")
	f.wantEnd()
	f.nc.Close()
	s.ends(0)
}

// TestSocketOrder: ids follow the order in which peers have come, and no more are let in than may be.
func TestSocketOrder(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		if transport == "tls" {
			t.Skip("a client of TLS is through with the handshake before the server is")
		}
		s, url := listens(t, transport, "-max-peers", "30")
		ids := map[string]float64{}
		var all []*far
		for range 30 {
			all = append(all, dials(t, url))
		}
		for range all {
			e := s.wants(`{"event":"connected"}`)
			ids[e["remote"].(string)] = e["peer"].(float64)
		}
		for i, f := range all {
			if id := ids[f.raw.LocalAddr().String()]; id != float64(i+1) {
				t.Errorf("connection %d is peer %v", i+1, id)
			}
			f.nc.Close()
			s.wants(fmt.Sprintf(`{"event":"disconnected","peer":%d}`, i+1))
		}
		s.closes()
	})
}

// TestSocketQuery: a query is sent as it was given, and told with the path; it has no part in whether a path is the bound one.
func TestSocketQuery(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws")
	c := runSocket(t, "-json", "-connect", url+"/a%20b?token=x&y=%2f")
	s.wants(`{"event":"connected","path":"/a%20b?token=x&y=%2f"}`)
	c.wants(`{"event":"connected","path":"/a%20b?token=x&y=%2f","url":"` + url + `/a%20b?token=x&y=%2f"}`)
	c.say(`{"do":"connect","url":"` + url + `?"}`)
	s.wants(`{"event":"connected","path":"/?"}`)
	c.waits(`{"event":"connected","path":"/?"}`)
	l := localhost(t, "127.0.0.1:0")
	c.say(`{"do":"connect","url":"ws://` + l.Addr().String() + `?q"}`)
	f := accepts(t, l)
	if line, err := f.br.ReadString('\n'); line != "GET /?q HTTP/1.1\r\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	c.signal(syscall.SIGKILL)
	s.signal(syscall.SIGKILL)
}

// TestSocketUndelivered: nobody is there to take what was queued.
func TestSocketUndelivered(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-connect", "tcp://"+unused, "-linger", "50ms", "-redial", "5ms,5ms")
	s.say(`{"do":"broadcast","text":"a"}`, `{"do":"send","peer":1,"text":"b"}`)
	s.in.Close()
	s.wants(`{"event":"closed","undelivered":2}`)
	s.ends(1)
}

// TestSocketOneTry: with -redial 0.
func TestSocketOneTry(t *testing.T) {
	t.Parallel()
	for _, scheme := range transports {
		s := runSocket(t, "-json", "-connect", scheme+"://"+unused, "-redial", "0")
		s.ends(1)
		if !strings.Contains(s.err.String(), "refused") {
			t.Errorf("standard error: %s", s.err.String())
		}
	}
	l := localhost(t, "127.0.0.1:0")
	s := runSocket(t, "-json", "-connect", "tcp://"+l.Addr().String(), "-redial", "0")
	f := accepts(t, l)
	s.wants(`{"event":"connected","peer":1}`)
	f.nc.Close()
	s.wants(`{"event":"disconnected","peer":1,"redial":false}`)
	s.say(`{"do":"connect","url":"tcp://` + unused + `","tag":1}`)
	s.wantsInAnyOrder(`{"event":"ok","tag":1,"peer":2}`, `{"event":"error"}`)
	s.closes()
}

// TestSocketPair: two of them, with all that a dialler can say.
func TestSocketPair(t *testing.T) {
	for _, flags := range []string{"", "-prefixed"} {
		onEveryTransport(t, func(t *testing.T, transport string) {
			cert, key, sum := certificateFiles(t)
			path := ""
			if strings.HasPrefix(transport, "ws") {
				path = "/a%20b"
			}
			common := append(strings.Fields(flags), "-subprotocol", "v2,v1")
			a := runSocket(t, append(common, "-json", "-bind", transport+"://127.0.0.1:0"+path, "-require", "X-Token: a b", "-echo",
				"-cert", cert, "-key", key)...)
			e := a.wants(`{"event":"listening"}`)
			url := e["url"].(string)
			if secure := transport == "tls" || transport == "wss"; secure && e["sha256"] != sum || !secure && e["sha256"] != nil {
				t.Errorf("%v, want the certificate %s", e, sum)
			}
			b := runSocket(t, append(common, "-json", "-connect", url, "-header", "X-Token: a b", "-ca", cert)...)
			b.say(`{"do":"send","peer":1,"fill":300000,"tag":1}`, `{"do":"send","peer":1,"text":"","tag":2}`)
			b.waits(`{"event":"message","peer":1,"len":300000}`)
			b.waits(`{"event":"message","peer":1,"len":0}`)
			want := object{"event": "connected", "transport": transport}
			if path != "" {
				want["path"], want["subprotocol"] = path, "v2"
			}
			if e := a.next(); !like(e, want) {
				t.Errorf("%v, want %v", e, want)
			}
			b.signal(syscall.SIGTERM)
			b.ends(0)
			a.waits(`{"event":"disconnected"}`)
			a.closes()
		})
	}
}

// certificateFiles writes a certificate and its key to files.
func certificateFiles(t *testing.T) (cert, key, sum string) {
	t.Helper()
	c, err := server.DevelopmentCertificate()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = t.TempDir()+"/cert.pem", t.TempDir()+"/key.pem"
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, certSum(&tls.Config{Certificates: []tls.Certificate{c}})
}

// TestSocketRefuses: who does not become a peer, and what it is told.
func TestSocketRefuses(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-bind", "ws://127.0.0.1:0/game", "-subprotocol", "b,a", "-origin", "http://good.example",
		"-require", "Authorization: Bearer x", "-max-peers", "1", "-handshake", "2s")
	url := s.next()["url"].(string)
	const token, proto, origin = "Authorization: Bearer x", "Sec-WebSocket-Protocol: z, a, b", "Origin: http://good.example"
	for _, tc := range []struct {
		path   string
		lines  []string
		status int
		reason string
	}{
		{"/", []string{token, proto, origin}, 404, "path"},
		{"/game/", []string{token, proto, origin}, 404, "path"},
		{"/game", []string{token, proto, "Origin: http://evil.example"}, 403, "origin"},
		{"/game", []string{token, origin}, 400, "subprotocol"},
		{"/game", []string{token, origin, "Sec-WebSocket-Protocol: z"}, 400, "subprotocol"},
		{"/game", []string{proto, origin}, 401, "unauthorized"},
		{"/game", []string{proto, origin, "Authorization: Bearer y"}, 401, "unauthorized"},
		{"/game?x=1", []string{token, proto, origin}, 101, ""},
		{"/game", []string{token, proto, origin}, 503, "max-peers"},
	} {
		f := opens(t, url)
		resp := f.upgrade(tc.path, tc.lines...)
		e := s.next()
		want := object{"event": "refused", "reason": tc.reason, "status": float64(tc.status), "remote": f.raw.LocalAddr().String()}
		if tc.reason == "" {
			want = object{"event": "connected", "path": tc.path, "subprotocol": "b", "origin": "http://good.example"}
		}
		if resp.StatusCode != tc.status || !like(e, want) {
			t.Errorf("%s %v: %s, %v, want %d, %v", tc.path, tc.lines, resp.Status, e, tc.status, want)
		}
	}
	for _, line := range []string{"", "GET /game", "GET /game HTTP/1.1\r\nHost: h\r\n\r\n", "\x00\x00\x00\x02hi\r\n\r\n"} {
		opens(t, url).say(line)
		s.wants(`{"event":"refused","reason":"handshake"}`)
	}
	s.signal(syscall.SIGKILL)
}

// TestSocketRefusesTLS: no handshake, a late one, one peer too many.
func TestSocketRefusesTLS(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tls", "-max-peers", "1", "-handshake", "2s")
	raw := strings.Replace(url, "tls:", "tcp:", 1)
	opens(t, raw)
	s.wants(`{"event":"refused","reason":"handshake"}`)
	opens(t, raw).say("GET / HTTP/1.1\r\n\r\n")
	s.wants(`{"event":"refused","reason":"handshake"}`)
	f := dials(t, url)
	s.wants(`{"event":"connected","peer":1}`)
	opens(t, url).wantEnd()
	s.wants(`{"event":"refused","reason":"max-peers"}`)
	f.nc.Close()
	s.wants(`{"event":"disconnected"}`)
	f = dials(t, url)
	s.wants(`{"event":"connected","peer":2}`)
	f.nc.Close()
	s.wants(`{"event":"disconnected"}`)
	s.closes()
}

// TestSocketAddresses: addresses come and go while the program runs; peers stay.
func TestSocketAddresses(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-bind", "ws://127.0.0.1:0/p", "-bind", "tls://127.0.0.1:0", "-bind", "tcp://127.0.0.1:0")
	s.wants(`{"event":"listening"}`)
	url := [3]string{}
	if e := s.wants(`{"event":"listening"}`); len(e["sha256"].(string)) != 64 || !strings.HasPrefix(e["url"].(string), "tls:") {
		t.Errorf("%v", e)
	}
	url[0] = s.wants(`{"event":"listening"}`)["url"].(string)
	f := dials(t, url[0])
	s.wants(`{"event":"connected","peer":1}`)
	s.say(`{"do":"unbind","url":"`+url[0]+`","tag":1}`, `{"do":"unbind","url":"`+url[0]+`","tag":2}`, `{"do":"bind","url":"ws://127.0.0.1:0","tag":3}`)
	s.wants(`{"event":"ok","tag":1}`, `{"event":"error","tag":2}`)
	url[1] = s.wants(`{"event":"listening"}`)["url"].(string)
	s.wants(`{"event":"ok","tag":3}`)
	if nc, err := net.Dial("tcp", strings.TrimPrefix(url[0], "tcp://")); err == nil {
		t.Error("it goes on listening")
		nc.Close()
	}
	f.sends("still here")
	s.wants(`{"event":"message","peer":1,"text":"still here"}`)
	g := opens(t, url[1])
	if resp := g.upgrade("/any/path"); resp.StatusCode != http.StatusSwitchingProtocols {
		t.Error(resp.Status)
	}
	s.wants(`{"event":"connected","peer":2,"path":"/any/path"}`)
	for _, f := range []*far{f, g} {
		f.nc.Close()
		s.wants(`{"event":"disconnected"}`)
	}
	s.closes()
}

// TestSocketIDs: ids are handed out in turn and round again, and none while it lives.
func TestSocketIDs(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp", "-last-id", "3")
	var peers [4]*far
	connects := func(id int) {
		t.Helper()
		peers[id] = dials(t, url)
		s.wants(fmt.Sprintf(`{"event":"connected","peer":%d}`, id))
	}
	leaves := func(id int) {
		t.Helper()
		peers[id].nc.Close()
		s.wants(fmt.Sprintf(`{"event":"disconnected","peer":%d}`, id))
		is := func(p any) bool { return p.(object)["peer"] == float64(id) }
		for gone := false; !gone; { // its id is free a moment after its end is told
			s.say(`{"do":"peers"}`)
			left, _ := s.wants(`{"event":"peers"}`)["peers"].([]any)
			gone = !slices.ContainsFunc(left, is)
		}
	}
	connects(1)
	s.say(`{"do":"send","peer":2,"text":""}`)
	s.wants(`{"event":"error","error":"no such peer: 2"}`)
	connects(2)
	leaves(2)
	connects(3)
	connects(2)
	dials(t, url).wantEnd()
	s.wants(`{"event":"refused","reason":"no-id"}`)
	leaves(1)
	leaves(3)
	s.say(`{"do":"send","peer":3,"text":""}`)
	s.wants(`{"event":"error","error":"gone: 3"}`)
	connects(3)
	connects(1)
	for id := 1; id <= 3; id++ {
		leaves(id)
	}
	s.closes()
}

// TestSocketAcceptRate: more than so many in a second wait.
func TestSocketAcceptRate(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp", "-accept-rate", "20")
	began := time.Now()
	for range 5 {
		defer dials(t, url).nc.Close()
	}
	for range 5 {
		s.wants(`{"event":"connected"}`)
	}
	if d := time.Since(began); d < 200*time.Millisecond {
		t.Errorf("5 connections in %v", d)
	}
	s.signal(syscall.SIGKILL)
}
