//go:build unix

package socket

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// halfCloses ends our half of the stream.
func (f *far) halfCloses() {
	f.T.Helper()
	if err := f.raw.(*net.TCPConn).CloseWrite(); err != nil {
		f.T.Error(err)
	}
}

// resets cuts the connection.
func (f *far) resets() {
	_ = f.raw.(*net.TCPConn).SetLinger(0)
	f.raw.Close()
}

// coded is the payload of a close frame.
func coded(code uint16, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, code)) + reason
}

// ways are how a connection can end, and what is told of it.
var ways = []struct {
	name   string
	framed bool
	args   string
	do     func(f *far)
	want   string
}{
	{"FIN between messages", false, "", (*far).halfCloses, `{"reason":"eof"}`},
	{"FIN in a header", false, "", func(f *far) { f.Say("\x00\x00"); f.halfCloses() }, `{"reason":"truncated"}`},
	{"FIN in a payload", false, "", func(f *far) { f.Say("\x00\x00\x00\x05hel"); f.halfCloses() }, `{"reason":"truncated"}`},
	{"reset", false, "", (*far).resets, `{"reason":"reset"}`},
	{"the largest length", false, "", func(f *far) { f.Say("\xff\xff\xff\xff") }, `{"reason":"too-large"}`},
	{"a byte too much", false, "-max-message 5", func(f *far) { f.Say("\x00\x00\x00\x06") }, `{"reason":"too-large"}`},
	{"HTTP", false, "", func(f *far) { f.Say("GET / HTTP/1.1\r\n\r\n") }, `{"reason":"too-large"}`},
	{"idle", false, "-idle 2s", func(f *far) {}, `{"reason":"idle"}`},

	{"close frame", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Closes, coded(1000, "bye")) }, `{"reason":"closed","code":1000,"text":"bye"}`},
	{"close frame without code", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Closes, "") }, `{"reason":"closed","code":1005,"text":""}`},
	{"own close code", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Closes, coded(4999, "")) }, `{"reason":"closed","code":4999}`},
	{"FIN without a close frame", true, "", (*far).halfCloses, `{"reason":"truncated","code":1006}`},
	{"FIN in a frame", true, "", func(f *far) { f.Say("\x82\x85\x00\x00\x00\x00he"); f.halfCloses() }, `{"reason":"truncated","code":1006}`},
	{"FIN in a message", true, "", func(f *far) { f.SayFrame(clitest.Binaries, "he"); f.halfCloses() }, `{"reason":"truncated","code":1006}`},
	{"reset of ws", true, "", (*far).resets, `{"reason":"reset","code":1006}`},
	{"too large", true, "-max-message 5", func(f *far) { f.SayFrame(clitest.Fin|clitest.Binaries, "123456") }, `{"reason":"too-large","code":1009}`},
	{"too large in pieces", true, "-max-message 5", func(f *far) { f.SayFrame(clitest.Binaries, "123"); f.SayFrame(clitest.Fin, "456") }, `{"reason":"too-large","code":1009}`},
	{"2^63-1 bytes", true, "", func(f *far) { f.Say("\x82\xff\x7f" + strings.Repeat("\xff", 7) + "\x00\x00\x00\x00") }, `{"reason":"too-large","code":1009}`},
	{"2^64-1 bytes", true, "", func(f *far) { f.Say("\x82\xff" + strings.Repeat("\xff", 8) + "\x00\x00\x00\x00") }, `{"reason":"protocol","code":1002}`},
	{"unmasked", true, "", func(f *far) { f.Say("\x82\x01a") }, `{"reason":"protocol","code":1002}`},
	{"reserved bit", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Squeezed|clitest.Binaries, "a") }, `{"reason":"protocol","code":1002}`},
	{"reserved opcode", true, "", func(f *far) { f.SayFrame(clitest.Fin|3, "a") }, `{"reason":"protocol","code":1002}`},
	{"nothing to continue", true, "", func(f *far) { f.SayFrame(clitest.Fin, "a") }, `{"reason":"protocol","code":1002}`},
	{"bad close code", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Closes, coded(1006, "")) }, `{"reason":"protocol","code":1002}`},
	{"text", true, "", func(f *far) { f.SayFrame(clitest.Fin|clitest.Text, "a") }, `{"reason":"text","code":1003}`},
	{"text that is none", true, "-text", func(f *far) { f.SayFrame(clitest.Fin|clitest.Text, "\xff") }, `{"reason":"protocol","code":1007}`},
	{"prefixed: text", true, "-prefixed", func(f *far) { f.SayFrame(clitest.Fin|clitest.Text, "a") }, `{"reason":"text","code":1003}`},
	{"prefixed: too large", true, "-prefixed -max-message 5", func(f *far) {
		f.SayFrame(clitest.Fin|clitest.Binaries, "\x00\x00")
		f.SayFrame(clitest.Fin|clitest.Binaries, "\x00\x06")
	},
		`{"reason":"too-large","code":1009}`},
	{"prefixed: close frame in a message", true, "-prefixed", func(f *far) {
		f.SayFrame(clitest.Fin|clitest.Binaries, "\x00\x00\x00\x05he")
		f.SayFrame(clitest.Fin|clitest.Closes, coded(1000, ""))
	}, `{"reason":"truncated","code":1000}`},
	{"close frame in a message", true, "", func(f *far) {
		f.SayFrame(clitest.Binaries, "he")
		f.SayFrame(clitest.Fin|clitest.Closes, coded(1000, "bye"))
	},
		`{"reason":"closed","code":1000,"text":"bye"}`},
	{"idle in a header", true, "-idle 2s", func(f *far) { f.Say("\x82") }, `{"reason":"idle","code":1001}`},
	{"idle in a payload", true, "-idle 2s", func(f *far) { f.Say("\x82\x85\x00\x00\x00\x00he") }, `{"reason":"idle","code":1001}`},
	{"idle on ws", true, "-idle 2s", func(f *far) {
		if first, p := f.HearFrame(); first != clitest.Fin|clitest.Closes || p != coded(1001, "idle") {
			f.T.Errorf("frame %x %q", first, p)
		}
	}, `{"reason":"idle","code":1001}`},
	{"silent", true, "-heartbeat 2s", func(f *far) {
		if first, _ := f.HearFrame(); first != clitest.Fin|clitest.Pings {
			f.T.Errorf("a frame that begins with %x", first)
		}
	}, `{"reason":"silent"}`},
}

// Each way in which a connection ends has its reason, reported once, after the messages.
func TestSocketEnds(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		pair := transports[:2]
		if way.framed {
			pair = transports[2:]
		}
		for _, transport := range pair {
			t.Run(way.name+" "+transport, func(t *testing.T) {
				t.Parallel()
				s, url := listens(t, transport, strings.Fields(way.args)...)
				f := dials(t, url)
				s.Wants(`{"event":"connected","peer":1}`)
				if !strings.Contains(way.args, "-prefixed") {
					f.sends("one", "")
					s.Wants(`{"event":"message","text":"one"}`, `{"event":"message","text":""}`)
				}
				way.do(f)
				e := s.Wants(`{"event":"disconnected","peer":1,"redial":false}`)
				if !clitest.Like(e, clitest.Parse(t, way.want)) {
					t.Errorf("%v, want %s", e, way.want)
				}
				f.Conn.Close()
				s.Closes()
			})
		}
	}
}

// A peer that answers pings is not silent, and the peer's own pings are answered.
func TestSocketHeartbeat(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws", "-heartbeat", "2s")
	f := dials(t, url)
	for range 2 {
		if first, p := f.HearFrame(); first != clitest.Fin|clitest.Pings {
			t.Fatalf("frame %x %q, want a ping", first, p)
		} else {
			f.SayFrame(clitest.Fin|clitest.Pongs, p)
		}
	}
	f.sends("still here")
	s.Wants(`{"event":"connected"}`, `{"event":"message","text":"still here"}`)
	f.SayFrame(clitest.Fin|clitest.Closes, "")
	s.Wants(`{"event":"disconnected","reason":"closed"}`)
	f.Conn.Close()
	s.Closes()
}

// A peer that has ended its half gets its answers before the program ends its own.
func TestSocketHalfClose(t *testing.T) {
	onEveryTransport(t, func(t *testing.T, transport string) {
		s, url := listens(t, transport, "-echo", "-digest", "-linger", "1m")
		f := dials(t, url)
		var said []string
		for i := range 500 {
			said = append(said, strings.Repeat("x", i))
		}
		f.sends(said...)
		switch {
		case f.framed():
			f.SayFrame(clitest.Fin|clitest.Closes, coded(1000, ""))
		case transport == "tls":
			_ = f.Conn.(interface{ CloseWrite() error }).CloseWrite()
		default:
			f.halfCloses()
		}
		f.wantMessages(said...)
		if f.framed() {
			if first, p := f.HearFrame(); first != clitest.Fin|clitest.Closes || p != coded(1000, "") {
				t.Errorf("frame %x %q", first, p)
			}
		}
		f.WantEnd()
		e := s.Waits(`{"event":"message","len":3}`)
		if e["sha256"] != "cd2eb0837c9b4c962c22d2ff8b5441b7b45805887f051d39bf133b583baf6860" || e["text"] != nil {
			t.Errorf("%v", e)
		}
		s.Waits(`{"event":"disconnected"}`)
		f.Conn.Close()
		s.Closes()
	})
}

// At the first signal queued messages are sent; the second ends the program at once.
func TestSocketSignals(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp")
		f := dials(t, url)
		s.Wants(`{"event":"connected"}`)
		s.Say(`{"do":"send","peer":1,"fill":12000000,"tag":1}`)
		s.Wants(`{"event":"ok"}`)
		s.Signal(syscall.SIGTERM)
		f.wantMessages(clitest.Filled(12000000))
		f.WantEnd()
		f.Conn.Close()
		s.Wants(`{"event":"disconnected","peer":1,"reason":"local"}`, `{"event":"closed","undelivered":0}`)
		s.Ends(0)
	})
	t.Run("linger", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp", "-linger", "100ms")
		dials(t, url)
		s.Wants(`{"event":"connected"}`)
		s.Say(`{"do":"send","peer":1,"fill":16000000,"tag":1}`, `{"do":"send","peer":1,"fill":1,"tag":2}`)
		s.Wants(`{"event":"ok"}`, `{"event":"ok"}`)
		s.Signal(os.Interrupt)
		s.Wants(`{"event":"disconnected","peer":1,"reason":"local"}`, `{"event":"closed","undelivered":2}`)
		s.Ends(1)
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp", "-linger", "1h")
		dials(t, url)
		s.Wants(`{"event":"connected"}`)
		s.Say(`{"do":"send","peer":1,"fill":16000000,"tag":1}`)
		s.Wants(`{"event":"ok"}`)
		s.Signal(syscall.SIGTERM)
		for { // until it has arrived
			nc, err := net.Dial("tcp", strings.TrimPrefix(url, "tcp://"))
			if err != nil {
				break
			}
			nc.Close()
			time.Sleep(time.Millisecond)
		}
		s.Signal(os.Interrupt)
		s.Ends(1)
	})
}

// vectorPayload is a string of hexadecimal digits, or {"fill": N}.
type vectorPayload string

func (p *vectorPayload) UnmarshalJSON(b []byte) error {
	var digits string
	if err := json.Unmarshal(b, &digits); err == nil {
		raw, err := hex.DecodeString(digits)
		*p = vectorPayload(raw)
		return err
	}
	var fill struct{ Fill int }
	err := json.Unmarshal(b, &fill)
	*p = vectorPayload(clitest.Filled(fill.Fill))
	return err
}

// vectorFrames are what travels on ws.
type vectorFrames struct {
	Frames []struct {
		Opcode  byte
		Fin     bool
		Payload []vectorPayload
	}
	End clitest.Object
}

// socketVectors is docs/wire/streamsock-vectors.json.
type socketVectors struct {
	Vectors []struct {
		Name     string
		Max      int
		Messages []vectorPayload
		TCP      *struct {
			Bytes []vectorPayload
			End   clitest.Object
		}
		WS       *vectorFrames
		Prefixed []vectorFrames
	}
}

// say sends the frames.
func (w *vectorFrames) say(f *far) {
	for _, fr := range w.Frames {
		first := fr.Opcode
		if fr.Fin {
			first |= clitest.Fin
		}
		var p strings.Builder
		for _, part := range fr.Payload {
			p.WriteString(string(part))
		}
		f.SayFrame(first, p.String())
	}
}

// vectorRun are the programs that vectors are said to: one for each transport, framing and limit.
type vectorRun struct {
	t       *testing.T
	scripts map[string]*clitest.Script
	urls    map[string]string
	peers   map[string]int
}

// talk says a vector to a program, and wants the messages and the end.
func (r *vectorRun) talk(transport string, max int, flags string, messages []vectorPayload, end clitest.Object, say func(f *far)) {
	r.t.Helper()
	key := fmt.Sprint(transport, max, flags)
	if r.scripts[key] == nil {
		args := append([]string{"-max-message", fmt.Sprint(max)}, strings.Fields(flags)...)
		r.scripts[key], r.urls[key] = listens(r.t, transport, args...)
	}
	s := r.scripts[key]
	r.peers[key]++
	f := dials(r.t, r.urls[key])
	defer f.Conn.Close()
	s.Wants(fmt.Sprintf(`{"event":"connected","peer":%d}`, r.peers[key]))
	say(f)
	f.halfCloses()
	for _, m := range messages {
		if e := s.Wants(fmt.Sprintf(`{"event":"message","len":%d}`, len(m))); !bytes.Equal(payloadOf(r.t, e), []byte(m)) {
			r.t.Errorf("another payload: %.80v", e)
		}
	}
	delete(end, "length")
	delete(end, "text")
	if e := s.Wants(`{"event":"disconnected"}`); !clitest.Like(e, end) {
		r.t.Errorf("%v, want %v", e, end)
	}
}

// The vectors of docs/wire are understood.
func TestSocketVectors(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/wire/streamsock-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all socketVectors
	if err := json.Unmarshal(b, &all); err != nil || len(all.Vectors) < 35 {
		t.Fatal(err, len(all.Vectors))
	}
	r := &vectorRun{t, map[string]*clitest.Script{}, map[string]string{}, map[string]int{}}
	for _, v := range all.Vectors {
		for _, transport := range transports[:2] {
			if v.TCP != nil {
				r.talk(transport, v.Max, "", v.Messages, v.TCP.End, func(f *far) {
					for _, p := range v.TCP.Bytes {
						f.Say(string(p))
					}
				})
			}
		}
		for _, transport := range transports[2:] {
			if v.WS != nil {
				r.talk(transport, v.Max, "", v.Messages, v.WS.End, v.WS.say)
			}
			for _, w := range v.Prefixed {
				r.talk(transport, v.Max, "-prefixed", v.Messages, w.End, w.say)
			}
		}
	}
}

// payloadOf is what a message event says was received.
func payloadOf(t *testing.T, e clitest.Object) []byte {
	t.Helper()
	if s, ok := e["text"].(string); ok {
		return []byte(s)
	}
	s, ok := e["base64"].(string)
	b, err := base64.StdEncoding.DecodeString(s)
	if !ok || err != nil {
		t.Fatalf("no payload: %v, %v", e, err)
	}
	return b
}
