//go:build unix

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a program that a test talks to by lines of JSON.
type script struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	err   buffer
	ended bool
	stuck *time.Timer // kills it
}

// object is an event, or what a test wants of one.
type object = map[string]any

// runSocket runs shockwave socket.
func runSocket(t *testing.T, args ...string) *script {
	t.Helper()
	return runScript(t, append([]string{"socket"}, args...)...)
}

// runScript runs the program.
func runScript(t *testing.T, args ...string) *script {
	t.Helper()
	return startScript(t, programCommand(t, args...), 2*patience)
}

// startScript starts the program, which is killed when it goes on for longer than most.
func startScript(t *testing.T, cmd *exec.Cmd, most time.Duration) *script {
	t.Helper()
	s := &script{t: t, cmd: cmd}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr, s.out = &s.err, bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.stuck = time.AfterFunc(most, func() { s.cmd.Process.Kill() })
	t.Cleanup(func() {
		s.stuck.Stop()
		s.cmd.Process.Kill()
		if !s.ended {
			s.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("the program said:\n%s", s.err.String())
		}
	})
	return s
}

// listens runs shockwave socket -json on a free port of a transport, and returns the URL as well.
func listens(t *testing.T, transport string, args ...string) (s *script, url string) {
	t.Helper()
	s = runSocket(t, append([]string{"-json", "-bind", transport + "://127.0.0.1:0"}, args...)...)
	url, _ = s.next()["url"].(string)
	return s, url
}

// say writes lines to the program's stdin.
func (s *script) say(lines ...string) {
	s.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(s.in, l+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// next returns the next event.
func (s *script) next() object {
	s.t.Helper()
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatalf("no event: %v; standard error: %s", err, s.err.String())
	}
	e := object{}
	if err := json.Unmarshal(line, &e); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return e
}

// like reports whether an event has all members of want.
func like(e, want object) bool {
	for name, v := range want {
		if !reflect.DeepEqual(e[name], v) {
			return false
		}
	}
	return true
}

func parse(t *testing.T, text string) object {
	t.Helper()
	o := object{}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// wants wants these to be the next events: each with at least the members given.
func (s *script) wants(events ...string) (last object) {
	s.t.Helper()
	for _, want := range events {
		if last = s.next(); !like(last, parse(s.t, want)) {
			s.t.Fatalf("got %v, want %s", last, want)
		}
	}
	return last
}

// wantsInAnyOrder wants these to be the next events, whichever comes first: what a command
// starts may be told before the command is answered.
func (s *script) wantsInAnyOrder(events ...string) {
	s.t.Helper()
	left := make([]object, len(events))
	for i, want := range events {
		left[i] = parse(s.t, want)
	}
	for len(left) > 0 {
		e := s.next()
		i := slices.IndexFunc(left, func(want object) bool { return like(e, want) })
		if i < 0 {
			s.t.Fatalf("got %v, want one of %v", e, left)
		}
		left = slices.Delete(left, i, i+1)
	}
}

// waits returns the first event that is like want; those before are not looked at.
func (s *script) waits(want string) object {
	s.t.Helper()
	for w := parse(s.t, want); ; {
		if e := s.next(); like(e, w) {
			return e
		}
	}
}

// ends wants the program to end with code, and returns the events until then.
func (s *script) ends(code int) (rest []object) {
	s.t.Helper()
	out, err := io.ReadAll(s.out)
	if err != nil {
		s.t.Error(err)
	}
	s.ended = true
	s.cmd.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("the program ended with %v, want exit code %d", s.cmd.ProcessState, code)
	}
	for line := range bytes.Lines(out) {
		rest = append(rest, parse(s.t, string(line)))
	}
	return rest
}

// closes ends the program, and wants that to be in order.
func (s *script) closes() {
	s.t.Helper()
	s.say(`{"do":"close","tag":"end"}`)
	rest := s.ends(0)
	if n := len(rest); n < 2 || !like(rest[n-1], object{"event": "closed", "undelivered": 0.0}) {
		s.t.Errorf("the end is %v", rest)
	}
}

func (s *script) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// far is a peer of the program: raw bytes on one of its transports.
type far struct {
	*talk
	transport string
	raw       net.Conn // below TLS
}

var transports = []string{"tcp", "tls", "ws", "wss"}

// onEveryTransport runs a test on each.
func onEveryTransport(t *testing.T, test func(t *testing.T, transport string)) {
	for _, transport := range transports {
		if raced && transport != "tcp" && transport != "wss" {
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
	nc.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { nc.Close() })
	f.talk = &talk{t, nc, bufio.NewReader(nc)}
	return f
}

// dials dials a URL.
func dials(t *testing.T, url string) *far {
	t.Helper()
	f := opens(t, url)
	if f.framed() {
		if resp := f.upgrade("/"); resp.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(resp.Status)
		}
	} else if c, ok := f.nc.(*tls.Conn); ok {
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
	f.t.Helper()
	for _, m := range messages {
		if f.framed() {
			f.sayFrame(fin|binaries, m)
		} else {
			f.say(lengthed(m))
		}
	}
}

// receives returns the next message.
func (f *far) receives() string {
	f.t.Helper()
	if f.framed() {
		first, p := f.hearFrame()
		if first != fin|binaries {
			f.t.Fatalf("a frame that begins with %x", first)
		}
		return p
	}
	var head [4]byte
	if _, err := io.ReadFull(f.br, head[:]); err != nil {
		f.t.Fatalf("no message: %v", err)
	}
	p := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(f.br, p); err != nil {
		f.t.Fatalf("half a message: %v", err)
	}
	return string(p)
}

// wantMessages wants these messages next.
func (f *far) wantMessages(want ...string) {
	f.t.Helper()
	for _, w := range want {
		f.nc.SetDeadline(time.Now().Add(patience))
		if got := f.receives(); got != w {
			f.t.Fatalf("received %.40q of %d bytes, want %.40q of %d", got, len(got), w, len(w))
		}
	}
}

// filled returns n bytes, of which byte i is i mod 251.
func filled(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return string(b)
}

// TestSocketMessages: what is said, what is sent, and the counters.
func TestSocketMessages(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport)
		f := dials(t, url)
		e := s.wants(`{"event":"connected","peer":1,"transport":"` + transport + `","dialled":false}`)
		secure := transport == "tls" || transport == "wss"
		if e["remote"] != f.raw.LocalAddr().String() || e["tls"] != secure {
			t.Errorf("connected: %v", e)
		}
		f.sends("hi", "", "\xff\x00", "<é\"\\\n\x01>")
		s.wants(`{"event":"message","peer":1,"len":2,"text":"hi"}`, `{"len":0,"text":""}`, `{"len":2,"base64":"/wA="}`,
			`{"len":8,"text":"<é\"\\\n\u0001>"}`)
		s.say(`{"do":"send","peer":1,"text":"yo","tag":7}`, `{"do":"send","peers":[1],"base64":"/wA=","tag":{"a":[1]}}`,
			`{"do":"broadcast","fill":70000,"tag":null}`, `{"do":"send","peer":1,"text":"","tag":"last"}`)
		s.wants(`{"event":"ok","tag":7}`, `{"event":"ok","tag":{"a":[1]}}`, `{"event":"ok","tag":null}`,
			`{"event":"ok","tag":"last"}`) // behind which it is counted
		f.wantMessages("yo", "\xff\x00", filled(70000), "")
		s.say(`{"do":"peers","tag":1}`)
		s.wants(`{"event":"peers","tag":1,"peers":[{"peer":1,"transport":"`+transport+`","dialled":false,"received":4,"sent":4,`+
			`"received_bytes":12,"sent_bytes":70004,"queued":0,"queued_bytes":0,"dropped":0,"connections":1}]}`, `{"event":"ok","tag":1}`)
		s.say(`{"do":"disconnect","peer":1,"code":4001,"reason":"enough","tag":2}`)
		s.waits(`{"event":"ok","tag":2}`)
		f.wantGoodbye(4001, "enough")
		s.closes()
	})
}

// wantGoodbye wants the end of the stream, with a close frame where there are some, and answers it.
func (f *far) wantGoodbye(code uint16, reason string) {
	f.t.Helper()
	if f.framed() {
		want := string(binary.BigEndian.AppendUint16(nil, code)) + reason
		if first, p := f.hearFrame(); first != fin|closes || p != want {
			f.t.Errorf("frame %x %q, want a close frame with %q", first, p, want)
		}
		f.sayFrame(fin|closes, want[:2])
	}
	f.wantEnd()
	f.nc.Close()
}

// TestSocketErrors: every error with the words it begins with.
func TestSocketErrors(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "tcp")
	f := dials(t, url)
	s.wants(`{"event":"connected"}`)
	f.nc.Close()
	s.wants(`{"event":"disconnected","peer":1,"reason":"eof","redial":false}`)
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
		s.say(tc.say)
		e := s.next()
		if text, _ := e["error"].(string); e["event"] != "error" || !strings.HasPrefix(text, tc.want) {
			t.Errorf("%s: %v, want an error that begins with %q", tc.say, e, tc.want)
		}
	}
	s.say(`{"do":"dance","tag":"t"}`, `{"do":5,"tag":"u"}`, `{"do":"send","peer":"x","tag":"v"}`, `{"do":"send","text":"\ud800","tag":"w"}`,
		`{"do":"peers","a":"`+"\xff"+`","tag":"x"}`, `{"do":"peers","tag":"`+"\xff"+`"}`)
	s.wants(`{"event":"error","tag":"t"}`, `{"event":"error","tag":"u"}`, `{"event":"error","tag":"v"}`, `{"event":"error","tag":"w"}`,
		`{"event":"error","tag":"x"}`)
	if e := s.next(); e["event"] != "error" || e["tag"] != nil {
		t.Errorf("%v", e)
	}
	s.closes()
}
