//go:build unix

package socket

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// runSocket runs shockwave socket.
func runSocket(t *testing.T, args ...string) *clitest.Script {
	t.Helper()
	return clitest.Run(t, append([]string{"socket"}, args...)...)
}

// listens runs shockwave socket -json on a free port of a transport, and returns the URL as well.
func listens(t *testing.T, transport string, args ...string) (s *clitest.Script, url string) {
	t.Helper()
	s = runSocket(t, append([]string{"-json", "-bind", transport + "://127.0.0.1:0"}, args...)...)
	url, _ = s.Next()["url"].(string)
	return s, url
}

// far is a peer of the program: raw bytes on one of its transports.
type far struct {
	*clitest.Talk
	transport string
	raw       net.Conn // below TLS
}

var transports = []string{"tcp", "tls", "ws", "wss"}

// onEveryTransport runs a test on each.
func onEveryTransport(t *testing.T, test func(t *testing.T, transport string)) {
	for _, transport := range transports {
		if clitest.Raced && transport != "tcp" && transport != "wss" {
			continue // it would take too long
		}
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			test(t, transport)
		})
	}
}

// at returns the host and port of a URL.
func at(url string) (transport, addr string) {
	transport, addr, _ = strings.Cut(url, "://")
	addr, _, _ = strings.Cut(addr, "/")
	return transport, addr
}

// opens dials a URL as far as TLS.
func opens(t *testing.T, url string) *far {
	t.Helper()
	transport, addr := at(url)
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f := &far{transport: transport, raw: nc}
	if transport == "tls" || transport == "wss" {
		nc = tls.Client(nc, &tls.Config{InsecureSkipVerify: true})
	}
	nc.SetDeadline(time.Now().Add(clitest.Patience))
	t.Cleanup(func() { nc.Close() })
	f.Talk = clitest.NewTalk(t, nc)
	return f
}

// dials dials a URL.
func dials(t *testing.T, url string) *far {
	t.Helper()
	f := opens(t, url)
	if f.framed() {
		if resp := f.Upgrade("/"); resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(resp.Status)
		}
	} else if c, ok := f.Conn.(*tls.Conn); ok {
		if err := c.Handshake(); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *far) framed() bool { return f.transport == "ws" || f.transport == "wss" }

// lengthed is a message behind its length.
func lengthed(p string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(p)))) + p
}

// sends sends messages.
func (f *far) sends(messages ...string) {
	f.T.Helper()
	for _, m := range messages {
		if f.framed() {
			f.SayFrame(clitest.Fin|clitest.Binaries, m)
		} else {
			f.Say(lengthed(m))
		}
	}
}

// receives returns the next message.
func (f *far) receives() string {
	f.T.Helper()
	if f.framed() {
		first, p := f.HearFrame()
		if first != clitest.Fin|clitest.Binaries {
			f.T.Fatalf("a frame that begins with %x", first)
		}
		return p
	}
	var head [4]byte
	if _, err := io.ReadFull(f.R, head[:]); err != nil {
		f.T.Fatalf("no message: %v", err)
	}
	p := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(f.R, p); err != nil {
		f.T.Fatalf("half a message: %v", err)
	}
	return string(p)
}

// wantMessages wants these messages next.
func (f *far) wantMessages(want ...string) {
	f.T.Helper()
	for _, w := range want {
		f.Conn.SetDeadline(time.Now().Add(clitest.Patience))
		if got := f.receives(); got != w {
			f.T.Fatalf("received %.40q of %d bytes, want %.40q of %d", got, len(got), w, len(w))
		}
	}
}

// Messages arrive in both directions, and the counters count them.
func TestSocketMessages(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		f := dials(t, url)
		e := s.Wants(`{"event":"connected","peer":1,"transport":"` + transport + `","dialled":false}`)
		secure := transport == "tls" || transport == "wss"
		if e["remote"] != f.raw.LocalAddr().String() || e["tls"] != secure {
			t.Errorf("connected: %v", e)
		}
		f.sends("hi", "", "\xff\x00", "<é\"\\\n\x01>")
		s.Wants(`{"event":"message","peer":1,"len":2,"text":"hi"}`, `{"len":0,"text":""}`, `{"len":2,"base64":"/wA="}`,
			`{"len":8,"text":"<é\"\\\n\u0001>"}`)
		s.Say(`{"do":"send","peer":1,"text":"yo","tag":7}`, `{"do":"send","peers":[1],"base64":"/wA=","tag":{"a":[1]}}`,
			`{"do":"broadcast","fill":70000,"tag":null}`, `{"do":"send","peer":1,"text":"","tag":"last"}`)
		s.Wants(`{"event":"ok","tag":7}`, `{"event":"ok","tag":{"a":[1]}}`, `{"event":"ok","tag":null}`,
			`{"event":"ok","tag":"last"}`) // behind which it is counted
		f.wantMessages("yo", "\xff\x00", clitest.Filled(70000), "")
		s.Say(`{"do":"peers","tag":1}`)
		s.Wants(`{"event":"peers","tag":1,"peers":[{"peer":1,"transport":"`+transport+`","dialled":false,"received":4,"sent":4,`+
			`"received_bytes":12,"sent_bytes":70004,"queued":0,"queued_bytes":0,"dropped":0,"connections":1}]}`, `{"event":"ok","tag":1}`)
		s.Say(`{"do":"disconnect","peer":1,"code":4001,"reason":"enough","tag":2}`)
		s.Waits(`{"event":"ok","tag":2}`)
		f.wantGoodbye(4001, "enough")
		s.Closes()
	})
}

// wantGoodbye wants the end of the stream, with a close frame where there are some, and answers it.
func (f *far) wantGoodbye(code uint16, reason string) {
	f.T.Helper()
	if f.framed() {
		want := string(binary.BigEndian.AppendUint16(nil, code)) + reason
		if first, p := f.HearFrame(); first != clitest.Fin|clitest.Closes || p != want {
			f.T.Errorf("frame %x %q, want a close frame with %q", first, p, want)
		}
		f.SayFrame(clitest.Fin|clitest.Closes, want[:2])
	}
	f.WantEnd()
	f.Conn.Close()
}

// Each error event begins with its documented words.
func TestSocketErrors(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp")
	f := dials(t, url)
	s.Wants(`{"event":"connected"}`)
	f.Conn.Close()
	s.Wants(`{"event":"disconnected","peer":1,"reason":"eof","redial":false}`)
	for _, tc := range []struct{ say, want string }{
		{`{"do":"send","peer":7,"text":""}`, "no such peer"},
		{`{"do":"send","peer":0,"text":""}`, "no such peer"},
		{`{"do":"send","peer":-1,"text":""}`, "no such peer"},
		{`{"do":"send","peer":99999999999,"text":""}`, "no such peer"},
		{`{"do":"send","peer":1,"text":""}`, "gone"},
		{`{"do":"send","peers":[1],"text":""}`, "gone"},
		{`{"do":"disconnect","peer":1}`, "gone"},
		{`{"do":"disconnect","peer":2}`, "no such peer"},
		{`{"do":"disconnect","peer":1,"code":99999}`, "bad command"},
		{`{"do":"disconnect"}`, "bad command"},
		{`{"do":"send","peer":1}`, "bad command"},
		{`{"do":"send","text":""}`, "bad command"},
		{`{"do":"send","peer":1,"peers":[1],"text":""}`, "bad command"},
		{`{"do":"send","peer":1,"text":"a","fill":1}`, "bad command"},
		{`{"do":"send","peer":1,"fill":-1}`, "bad command"},
		{`{"do":"send","peer":1,"fill":4294967296}`, "message too large"},
		{`{"do":"send","peer":1,"base64":"/w"}`, "bad command"},
		{`{"do":"send","peer":1,"text":"a","kind":"text"}`, "bad command"},
		{`{"do":"send","peer":1,"text":"a","kind":"image"}`, "bad command"},
		{`{"do":"send","peer":1,"text":"\ud800"}`, "bad command"},
		{`{"do":"send","peer":1,"text":"` + "\xff" + `"}`, "bad command"},
		{`{"do":"unbind","url":"tcp://127.0.0.1:1"}`, "no such address"},
		{`{"do":"unbind"}`, "bad command"},
		{`{"do":"bind","url":"http://127.0.0.1:1"}`, "bad command"},
		{`{"do":"bind","url":"` + url + `"}`, "bad command"},
		{`{"do":"connect","url":"tcp://127.0.0.1"}`, "bad command"},
		{`{"do":"send","peer":"1","text":""}`, "bad command"},
		{`{"do":"send","peer":"x","text":""}`, "bad command"},
		{`{"do":"send","peer":1.5,"text":""}`, "bad command"},
		{`{"do":"send","peer":null,"text":""}`, "bad command"},
		{`{"do":"send","peer":true,"text":""}`, "bad command"},
		{`{"do":"send","peer":1e400,"text":""}`, "no such peer: 1e400"},
		{`{"do":"send","peer":4294967297,"text":""}`, "no such peer: 4294967297"},
		{`{"do":"send","peers":1,"text":""}`, "bad command"},
		{`{"do":"send","peers":[7,null],"text":""}`, "bad command"},
		{`{"do":"send","peers":["1"],"text":""}`, "bad command"},
		{`{"do":"disconnect","peer":"1"}`, "bad command"},
		{`{"do":"send","peer":1,"base64":"Y\nQ=="}`, "bad command"},
		{`{"do":"bind","url":"ws://127.0.0.1:0/?x"}`, "bad command"},
		{`{"do":"dance"}`, "bad command"},
		{`{}`, "bad command"},
		{`{"do":"send"`, "bad command"},
		{`{"do":"peers"} {}`, "bad command"},
		{`null`, "bad command"},
		{`[]`, "bad command"},
		{``, "bad command"},
	} {
		s.Say(tc.say)
		e := s.Next()
		if text, _ := e["error"].(string); e["event"] != "error" || !strings.HasPrefix(text, tc.want) {
			t.Errorf("%s: %v, want an error that begins with %q", tc.say, e, tc.want)
		}
	}
	s.Say(`{"do":"dance","tag":"t"}`, `{"do":5,"tag":"u"}`, `{"do":"send","peer":"x","tag":"v"}`, `{"do":"send","text":"\ud800","tag":"w"}`,
		`{"do":"peers","a":"`+"\xff"+`","tag":"x"}`, `{"do":"peers","tag":"`+"\xff"+`"}`)
	s.Wants(`{"event":"error","tag":"t"}`, `{"event":"error","tag":"u"}`, `{"event":"error","tag":"v"}`, `{"event":"error","tag":"w"}`,
		`{"event":"error","tag":"x"}`)
	if e := s.Next(); e["event"] != "error" || e["tag"] != nil {
		t.Errorf("%v", e)
	}
	s.Closes()
}
