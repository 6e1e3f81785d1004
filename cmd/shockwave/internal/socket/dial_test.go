//go:build unix

package socket

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// accepts accepts a connection and says what it is on.
func accepts(t *testing.T, l net.Listener) *far {
	t.Helper()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(clitest.Patience))
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	nc.SetDeadline(time.Now().Add(clitest.Patience))
	t.Cleanup(func() { nc.Close() })
	return &far{clitest.NewTalk(t, nc), "tcp", nc}
}

// apart is where TestSocketRedial listens again: on Linux no other test does, and so none is given its port meanwhile.
func apart() string {
	if runtime.GOOS == "linux" {
		return "127.0.0.2:0"
	}
	return "127.0.0.1:0"
}

// A dialled peer keeps its id, and gets the messages that were sent while it was away.
func TestSocketRedial(t *testing.T) {
	t.Parallel()
	l := clitest.Localhost(t, apart())
	addr := l.Addr().String()
	s := runSocket(t, "-json", "-connect", "tcp://"+addr, "-redial", "5ms,20ms")
	f := accepts(t, l)
	s.Wants(`{"event":"connected","peer":1,"transport":"tcp","dialled":true,"tls":false,"url":"tcp://` + addr + `","remote":"` + addr + `"}`)
	for range 2 {
		l.Close()
		f.sends("last")
		f.Conn.Close()
		s.Wants(`{"event":"message","text":"last"}`, `{"event":"disconnected","peer":1,"reason":"eof","redial":true}`)
		s.Say(`{"do":"send","peer":1,"text":"a","tag":1}`, `{"do":"broadcast","text":"b","tag":2}`, `{"do":"peers"}`)
		s.Wants(`{"event":"ok","tag":1}`, `{"event":"ok","tag":2}`)
		p := s.Wants(`{"event":"peers"}`)["peers"].([]any)[0].(clitest.Object)
		if !clitest.Like(p, clitest.Object{"peer": 1.0, "queued": 2.0, "queued_bytes": 2.0}) {
			t.Errorf("%v", p)
		}
		l = clitest.Localhost(t, addr)
		f = accepts(t, l)
		f.wantMessages("a", "b")
		s.Wants(`{"event":"reconnected","peer":1,"dialled":true}`)
	}
	s.Say(`{"do":"send","peer":1,"text":"c"}`, `{"do":"disconnect","peer":1,"tag":3}`)
	f.wantMessages("c")
	f.WantEnd()
	f.Conn.Close()
	s.WantsInAnyOrder(`{"event":"ok","tag":3}`, `{"event":"disconnected","peer":1,"reason":"local","redial":false}`)
	s.Say(`{"do":"send","peer":1,"text":"c"}`)
	s.Wants(`{"event":"error"}`)
	s.Say(`{"do":"connect","url":"tcp://`+addr+`","tag":4}`, `{"do":"send","peer":2,"text":"d"}`)
	s.WantsInAnyOrder(`{"event":"ok","tag":4}`, `{"event":"connected","peer":2}`)
	f = accepts(t, l)
	f.wantMessages("d")
	s.In.Close() // all addresses are dialled
	f.WantEnd()
	f.Conn.Close()
	s.Wants(`{"event":"disconnected","peer":2,"reason":"local"}`, `{"event":"closed","undelivered":0}`)
	s.Ends(0)
}

// The lines of stdin arrive although the connection comes later than its end.
func TestSocketPiped(t *testing.T) {
	t.Parallel()
	l := clitest.Localhost(t, "127.0.0.1:0")
	s := runSocket(t, "-connect", "tcp://"+l.Addr().String())
	const n = 20000
	go func() {
		fmt.Fprint(s.In, strings.Repeat("a line\n", n), "and its end")
		s.In.Close()
	}()
	f := accepts(t, l)
	for range n {
		f.wantMessages("a line")
	}
	f.wantMessages("and its end")
	f.WantEnd()
	f.Conn.Close()
	s.Ends(0)
}

// Ids follow the order in which peers connect, up to -max-peers.
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
			e := s.Wants(`{"event":"connected"}`)
			ids[e["remote"].(string)] = e["peer"].(float64)
		}
		for i, f := range all {
			if id := ids[f.raw.LocalAddr().String()]; id != float64(i+1) {
				t.Errorf("connection %d is peer %v", i+1, id)
			}
			f.Conn.Close()
			s.Wants(fmt.Sprintf(`{"event":"disconnected","peer":%d}`, i+1))
		}
		s.Closes()
	})
}

// A query is sent and reported as it was given, and does not matter for a bound path.
func TestSocketQuery(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws")
	c := runSocket(t, "-json", "-connect", url+"/a%20b?token=x&y=%2f")
	s.Wants(`{"event":"connected","path":"/a%20b?token=x&y=%2f"}`)
	c.Wants(`{"event":"connected","path":"/a%20b?token=x&y=%2f","url":"` + url + `/a%20b?token=x&y=%2f"}`)
	c.Say(`{"do":"connect","url":"` + url + `?"}`)
	s.Wants(`{"event":"connected","path":"/?"}`)
	c.Waits(`{"event":"connected","path":"/?"}`)
	l := clitest.Localhost(t, "127.0.0.1:0")
	c.Say(`{"do":"connect","url":"ws://` + l.Addr().String() + `?q"}`)
	f := accepts(t, l)
	if line, err := f.R.ReadString('\n'); line != "GET /?q HTTP/1.1\r\n" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	c.Signal(syscall.SIGKILL)
	s.Signal(syscall.SIGKILL)
}

// Queued messages that nobody takes are counted at the end.
func TestSocketUndelivered(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-connect", "tcp://"+clitest.Unused, "-linger", "50ms", "-redial", "5ms,5ms")
	s.Say(`{"do":"broadcast","text":"a"}`, `{"do":"send","peer":1,"text":"b"}`)
	s.In.Close()
	s.Wants(`{"event":"closed","undelivered":2}`)
	s.Ends(1)
}

// With -redial 0 a peer is dialled once.
func TestSocketOneTry(t *testing.T) {
	t.Parallel()
	for _, scheme := range transports {
		s := runSocket(t, "-json", "-connect", scheme+"://"+clitest.Unused, "-redial", "0")
		s.Ends(1)
		if !strings.Contains(s.Err.String(), "refused") {
			t.Errorf("standard error: %s", s.Err.String())
		}
	}
	l := clitest.Localhost(t, "127.0.0.1:0")
	s := runSocket(t, "-json", "-connect", "tcp://"+l.Addr().String(), "-redial", "0")
	f := accepts(t, l)
	s.Wants(`{"event":"connected","peer":1}`)
	f.Conn.Close()
	s.Wants(`{"event":"disconnected","peer":1,"redial":false}`)
	s.Say(`{"do":"connect","url":"tcp://` + clitest.Unused + `","tag":1}`)
	s.WantsInAnyOrder(`{"event":"ok","tag":1,"peer":2}`, `{"event":"error"}`)
	s.Closes()
}

// Two programs talk over ws and wss with all flags of a dialler.
func TestSocketPair(t *testing.T) {
	for _, flags := range []string{"", "-prefixed"} {
		onEveryTransport(t, func(t *testing.T, transport string) {
			cert, key, sum := clitest.CertificateFiles(t)
			path := ""
			if strings.HasPrefix(transport, "ws") {
				path = "/a%20b"
			}
			common := append(strings.Fields(flags), "-subprotocol", "v2,v1")
			a := runSocket(t, append(common, "-json", "-bind", transport+"://127.0.0.1:0"+path, "-require", "X-Token: a b", "-echo",
				"-cert", cert, "-key", key)...)
			e := a.Wants(`{"event":"listening"}`)
			url := e["url"].(string)
			if secure := transport == "tls" || transport == "wss"; secure && e["sha256"] != sum || !secure && e["sha256"] != nil {
				t.Errorf("%v, want the certificate %s", e, sum)
			}
			b := runSocket(t, append(common, "-json", "-connect", url, "-header", "X-Token: a b", "-ca", cert)...)
			b.Say(`{"do":"send","peer":1,"fill":300000,"tag":1}`, `{"do":"send","peer":1,"text":"","tag":2}`)
			b.Waits(`{"event":"message","peer":1,"len":300000}`)
			b.Waits(`{"event":"message","peer":1,"len":0}`)
			want := clitest.Object{"event": "connected", "transport": transport}
			if path != "" {
				want["path"], want["subprotocol"] = path, "v2"
			}
			if e := a.Next(); !clitest.Like(e, want) {
				t.Errorf("%v, want %v", e, want)
			}
			b.Signal(syscall.SIGTERM)
			b.Ends(0)
			a.Waits(`{"event":"disconnected"}`)
			a.Closes()
		})
	}
}

// Each reason for refusing a connection has its event and its status.
func TestSocketRefuses(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-bind", "ws://127.0.0.1:0/game", "-subprotocol", "b,a", "-origin", "http://good.example",
		"-require", "Authorization: Bearer x", "-max-peers", "1", "-handshake", "2s")
	url := s.Next()["url"].(string)
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
		resp := f.Upgrade(tc.path, tc.lines...)
		e := s.Next()
		want := clitest.Object{"event": "refused", "reason": tc.reason, "status": float64(tc.status), "remote": f.raw.LocalAddr().String()}
		if tc.reason == "" {
			want = clitest.Object{"event": "connected", "path": tc.path, "subprotocol": "b", "origin": "http://good.example"}
		}
		if resp.StatusCode != tc.status || !clitest.Like(e, want) {
			t.Errorf("%s %v: %s, %v, want %d, %v", tc.path, tc.lines, resp.Status, e, tc.status, want)
		}
	}
	for _, line := range []string{"", "GET /game", "GET /game HTTP/1.1\r\nHost: h\r\n\r\n", "\x00\x00\x00\x02hi\r\n\r\n"} {
		opens(t, url).Say(line)
		s.Wants(`{"event":"refused","reason":"handshake"}`)
	}
	s.Signal(syscall.SIGKILL)
}

// A failed or late TLS handshake is refused, and one peer too many.
func TestSocketRefusesTLS(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tls", "-max-peers", "1", "-handshake", "2s")
	raw := strings.Replace(url, "tls:", "tcp:", 1)
	opens(t, raw)
	s.Wants(`{"event":"refused","reason":"handshake"}`)
	opens(t, raw).Say("GET / HTTP/1.1\r\n\r\n")
	s.Wants(`{"event":"refused","reason":"handshake"}`)
	f := dials(t, url)
	s.Wants(`{"event":"connected","peer":1}`)
	opens(t, url).WantEnd()
	s.Wants(`{"event":"refused","reason":"max-peers"}`)
	f.Conn.Close()
	s.Wants(`{"event":"disconnected"}`)
	f = dials(t, url)
	s.Wants(`{"event":"connected","peer":2}`)
	f.Conn.Close()
	s.Wants(`{"event":"disconnected"}`)
	s.Closes()
}

// Addresses can be bound and unbound at any time, and connected peers stay.
func TestSocketAddresses(t *testing.T) {
	t.Parallel()
	s := runSocket(t, "-json", "-bind", "ws://127.0.0.1:0/p", "-bind", "tls://127.0.0.1:0", "-bind", "tcp://127.0.0.1:0")
	s.Wants(`{"event":"listening"}`)
	url := [3]string{}
	if e := s.Wants(`{"event":"listening"}`); len(e["sha256"].(string)) != 64 || !strings.HasPrefix(e["url"].(string), "tls:") {
		t.Errorf("%v", e)
	}
	url[0] = s.Wants(`{"event":"listening"}`)["url"].(string)
	f := dials(t, url[0])
	s.Wants(`{"event":"connected","peer":1}`)
	s.Say(`{"do":"unbind","url":"`+url[0]+`","tag":1}`, `{"do":"unbind","url":"`+url[0]+`","tag":2}`, `{"do":"bind","url":"ws://127.0.0.1:0","tag":3}`)
	s.Wants(`{"event":"ok","tag":1}`, `{"event":"error","tag":2}`)
	url[1] = s.Wants(`{"event":"listening"}`)["url"].(string)
	s.Wants(`{"event":"ok","tag":3}`)
	if nc, err := net.Dial("tcp", strings.TrimPrefix(url[0], "tcp://")); err == nil {
		t.Error("it goes on listening")
		nc.Close()
	}
	f.sends("still here")
	s.Wants(`{"event":"message","peer":1,"text":"still here"}`)
	g := opens(t, url[1])
	if resp := g.Upgrade("/any/path"); resp.StatusCode != http.StatusSwitchingProtocols {
		t.Error(resp.Status)
	}
	s.Wants(`{"event":"connected","peer":2,"path":"/any/path"}`)
	for _, f := range []*far{f, g} {
		f.Conn.Close()
		s.Wants(`{"event":"disconnected"}`)
	}
	s.Closes()
}

// Ids go up to -last-id and begin again, and no id is given twice at a time.
func TestSocketIDs(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp", "-last-id", "3")
	var peers [4]*far
	connects := func(id int) {
		t.Helper()
		peers[id] = dials(t, url)
		s.Wants(fmt.Sprintf(`{"event":"connected","peer":%d}`, id))
	}
	leaves := func(id int) {
		t.Helper()
		peers[id].Conn.Close()
		s.Wants(fmt.Sprintf(`{"event":"disconnected","peer":%d}`, id))
		is := func(p any) bool { return p.(clitest.Object)["peer"] == float64(id) }
		for gone := false; !gone; { // its id is free a moment after its end is told
			s.Say(`{"do":"peers"}`)
			left, _ := s.Wants(`{"event":"peers"}`)["peers"].([]any)
			gone = !slices.ContainsFunc(left, is)
		}
	}
	connects(1)
	s.Say(`{"do":"send","peer":2,"text":""}`)
	s.Wants(`{"event":"error","error":"no such peer: 2"}`)
	connects(2)
	leaves(2)
	connects(3)
	connects(2)
	dials(t, url).WantEnd()
	s.Wants(`{"event":"refused","reason":"no-id"}`)
	leaves(1)
	leaves(3)
	s.Say(`{"do":"send","peer":3,"text":""}`)
	s.Wants(`{"event":"error","error":"gone: 3"}`)
	connects(3)
	connects(1)
	for id := 1; id <= 3; id++ {
		leaves(id)
	}
	s.Closes()
}

// Connections beyond -accept-rate wait.
func TestSocketAcceptRate(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp", "-accept-rate", "20")
	began := time.Now()
	for range 5 {
		defer dials(t, url).Conn.Close()
	}
	for range 5 {
		s.Wants(`{"event":"connected"}`)
	}
	if d := time.Since(began); d < 200*time.Millisecond {
		t.Errorf("5 connections in %v", d)
	}
	s.Signal(syscall.SIGKILL)
}
