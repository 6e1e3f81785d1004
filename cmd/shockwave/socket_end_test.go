//go:build unix

package main

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
)

// halfCloses ends our half of the stream.
func (f *far) halfCloses() {
	f.t.Helper()
	if err := f.raw.(*net.TCPConn).CloseWrite(); err != nil {
		f.t.Error(err)
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
	{"FIN in a header", false, "", func(f *far) { f.say("\x00\x00"); f.halfCloses() }, `{"reason":"truncated"}`},
	{"FIN in a payload", false, "", func(f *far) { f.say("\x00\x00\x00\x05hel"); f.halfCloses() }, `{"reason":"truncated"}`},
	{"reset", false, "", (*far).resets, `{"reason":"reset"}`},
	{"the largest length", false, "", func(f *far) { f.say("\xff\xff\xff\xff") }, `{"reason":"too-large"}`},
	{"a byte too much", false, "-max-message 5", func(f *far) { f.say("\x00\x00\x00\x06") }, `{"reason":"too-large"}`},
	{"HTTP", false, "", func(f *far) { f.say("GET / HTTP/1.1\r\n\r\n") }, `{"reason":"too-large"}`},
	{"idle", false, "-idle 2s", func(f *far) {}, `{"reason":"idle"}`},

	{"close frame", true, "", func(f *far) { f.sayFrame(fin|closes, coded(1000, "bye")) }, `{"reason":"closed","code":1000,"text":"bye"}`},
	{"close frame without code", true, "", func(f *far) { f.sayFrame(fin|closes, "") }, `{"reason":"closed","code":1005,"text":""}`},
	{"own close code", true, "", func(f *far) { f.sayFrame(fin|closes, coded(4999, "")) }, `{"reason":"closed","code":4999}`},
	{"FIN without a close frame", true, "", (*far).halfCloses, `{"reason":"truncated","code":1006}`},
	{"FIN in a frame", true, "", func(f *far) { f.say("\x82\x85\x00\x00\x00\x00he"); f.halfCloses() }, `{"reason":"truncated","code":1006}`},
	{"FIN in a message", true, "", func(f *far) { f.sayFrame(binaries, "he"); f.halfCloses() }, `{"reason":"truncated","code":1006}`},
	{"reset of ws", true, "", (*far).resets, `{"reason":"reset","code":1006}`},
	{"too large", true, "-max-message 5", func(f *far) { f.sayFrame(fin|binaries, "123456") }, `{"reason":"too-large","code":1009}`},
	{"too large in pieces", true, "-max-message 5", func(f *far) { f.sayFrame(binaries, "123"); f.sayFrame(fin, "456") }, `{"reason":"too-large","code":1009}`},
	{"2^63-1 bytes", true, "", func(f *far) { f.say("\x82\xff\x7f" + strings.Repeat("\xff", 7) + "\x00\x00\x00\x00") }, `{"reason":"too-large","code":1009}`},
	{"2^64-1 bytes", true, "", func(f *far) { f.say("\x82\xff" + strings.Repeat("\xff", 8) + "\x00\x00\x00\x00") }, `{"reason":"protocol","code":1002}`},
	{"unmasked", true, "", func(f *far) { f.say("\x82\x01a") }, `{"reason":"protocol","code":1002}`},
	{"reserved bit", true, "", func(f *far) { f.sayFrame(fin|squeezed|binaries, "a") }, `{"reason":"protocol","code":1002}`},
	{"reserved opcode", true, "", func(f *far) { f.sayFrame(fin|3, "a") }, `{"reason":"protocol","code":1002}`},
	{"nothing to continue", true, "", func(f *far) { f.sayFrame(fin, "a") }, `{"reason":"protocol","code":1002}`},
	{"bad close code", true, "", func(f *far) { f.sayFrame(fin|closes, coded(1006, "")) }, `{"reason":"protocol","code":1002}`},
	{"text", true, "", func(f *far) { f.sayFrame(fin|text, "a") }, `{"reason":"text","code":1003}`},
	{"text that is none", true, "-text", func(f *far) { f.sayFrame(fin|text, "\xff") }, `{"reason":"protocol","code":1007}`},
	{"prefixed: text", true, "-prefixed", func(f *far) { f.sayFrame(fin|text, "a") }, `{"reason":"text","code":1003}`},
	{"prefixed: too large", true, "-prefixed -max-message 5", func(f *far) { f.sayFrame(fin|binaries, "\x00\x00"); f.sayFrame(fin|binaries, "\x00\x06") },
		`{"reason":"too-large","code":1009}`},
	{"prefixed: close frame in a message", true, "-prefixed", func(f *far) {
		f.sayFrame(fin|binaries, "\x00\x00\x00\x05he")
		f.sayFrame(fin|closes, coded(1000, ""))
	}, `{"reason":"truncated","code":1000}`},
	{"close frame in a message", true, "", func(f *far) { f.sayFrame(binaries, "he"); f.sayFrame(fin|closes, coded(1000, "bye")) },
		`{"reason":"closed","code":1000,"text":"bye"}`},
	{"idle in a header", true, "-idle 2s", func(f *far) { f.say("\x82") }, `{"reason":"idle","code":1001}`},
	{"idle in a payload", true, "-idle 2s", func(f *far) { f.say("\x82\x85\x00\x00\x00\x00he") }, `{"reason":"idle","code":1001}`},
	{"idle on ws", true, "-idle 2s", func(f *far) {
		if first, p := f.hearFrame(); first != fin|closes || p != coded(1001, "idle") {
			f.t.Errorf("frame %x %q", first, p)
		}
	}, `{"reason":"idle","code":1001}`},
	{"silent", true, "-heartbeat 2s", func(f *far) {
		if first, _ := f.hearFrame(); first != fin|pings {
			f.t.Errorf("a frame that begins with %x", first)
		}
	}, `{"reason":"silent"}`},
}

// TestSocketEnds: every way in which a connection ends, told once and behind the messages.
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
				s.wants(`{"event":"connected","peer":1}`)
				if !strings.Contains(way.args, "-prefixed") {
					f.sends("one", "")
					s.wants(`{"event":"message","text":"one"}`, `{"event":"message","text":""}`)
				}
				way.do(f)
				e := s.wants(`{"event":"disconnected","peer":1,"redial":false}`)
				if !like(e, parse(t, way.want)) {
					t.Errorf("%v, want %s", e, way.want)
				}
				f.nc.Close()
				s.closes()
			})
		}
	}
}

// TestSocketHeartbeat: who answers is not silent, and whose pings are answered.
func TestSocketHeartbeat(t *testing.T) {
	t.Parallel()
	s, url := listens(t, "ws", "-heartbeat", "2s")
	f := dials(t, url)
	for range 2 {
		if first, p := f.hearFrame(); first != fin|pings {
			t.Fatalf("frame %x %q, want a ping", first, p)
		} else {
			f.sayFrame(fin|pongs, p)
		}
	}
	f.sends("still here")
	s.wants(`{"event":"connected"}`, `{"event":"message","text":"still here"}`)
	f.sayFrame(fin|closes, "")
	s.wants(`{"event":"disconnected","reason":"closed"}`)
	f.nc.Close()
	s.closes()
}

// TestSocketHalfClose: who has said all it wants to say is answered before the program ends its half, too.
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
			f.sayFrame(fin|closes, coded(1000, ""))
		case transport == "tls":
			_ = f.nc.(interface{ CloseWrite() error }).CloseWrite()
		default:
			f.halfCloses()
		}
		f.wantMessages(said...)
		if f.framed() {
			if first, p := f.hearFrame(); first != fin|closes || p != coded(1000, "") {
				t.Errorf("frame %x %q", first, p)
			}
		}
		f.wantEnd()
		e := s.waits(`{"event":"message","len":3}`)
		if e["sha256"] != "cd2eb0837c9b4c962c22d2ff8b5441b7b45805887f051d39bf133b583baf6860" || e["text"] != nil {
			t.Errorf("%v", e)
		}
		s.waits(`{"event":"disconnected"}`)
		f.nc.Close()
		s.closes()
	})
}

// TestSocketSignals: the first signal has what is queued leave, the second ends the program at once.
func TestSocketSignals(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp")
		f := dials(t, url)
		s.wants(`{"event":"connected"}`)
		s.say(`{"do":"send","peer":1,"fill":12000000,"tag":1}`)
		s.wants(`{"event":"ok"}`)
		s.signal(syscall.SIGTERM)
		f.wantMessages(filled(12000000))
		f.wantEnd()
		f.nc.Close()
		s.wants(`{"event":"disconnected","peer":1,"reason":"local"}`, `{"event":"closed","undelivered":0}`)
		s.ends(0)
	})
	t.Run("linger", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp", "-linger", "100ms")
		dials(t, url)
		s.wants(`{"event":"connected"}`)
		s.say(`{"do":"send","peer":1,"fill":16000000,"tag":1}`, `{"do":"send","peer":1,"fill":1,"tag":2}`)
		s.wants(`{"event":"ok"}`, `{"event":"ok"}`)
		s.signal(os.Interrupt)
		s.wants(`{"event":"disconnected","peer":1,"reason":"local"}`, `{"event":"closed","undelivered":2}`)
		s.ends(1)
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		s, url := listens(t, "tcp", "-linger", "1h")
		dials(t, url)
		s.wants(`{"event":"connected"}`)
		s.say(`{"do":"send","peer":1,"fill":16000000,"tag":1}`)
		s.wants(`{"event":"ok"}`)
		s.signal(syscall.SIGTERM)
		for { // until it has arrived
			nc, err := net.Dial("tcp", strings.TrimPrefix(url, "tcp://"))
			if err != nil {
				break
			}
			nc.Close()
			time.Sleep(time.Millisecond)
		}
		s.signal(os.Interrupt)
		s.ends(1)
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
	*p = vectorPayload(filled(fill.Fill))
	return err
}

// vectorFrames are what travels on ws.
type vectorFrames struct {
	Frames []struct {
		Opcode  byte
		Fin     bool
		Payload []vectorPayload
	}
	End object
}

// socketVectors is docs/wire/streamsock-vectors.json.
type socketVectors struct {
	Vectors []struct {
		Name     string
		Max      int
		Messages []vectorPayload
		TCP      *struct {
			Bytes []vectorPayload
			End   object
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
			first |= fin
		}
		var p strings.Builder
		for _, part := range fr.Payload {
			p.WriteString(string(part))
		}
		f.sayFrame(first, p.String())
	}
}

// vectorRun are the programs that vectors are said to: one for each transport, framing and limit.
type vectorRun struct {
	t       *testing.T
	scripts map[string]*script
	urls    map[string]string
	peers   map[string]int
}

// talk says a vector to a program, and wants the messages and the end.
func (r *vectorRun) talk(transport string, max int, flags string, messages []vectorPayload, end object, say func(f *far)) {
	r.t.Helper()
	key := fmt.Sprint(transport, max, flags)
	if r.scripts[key] == nil {
		args := append([]string{"-max-message", fmt.Sprint(max)}, strings.Fields(flags)...)
		r.scripts[key], r.urls[key] = listens(r.t, transport, args...)
	}
	s := r.scripts[key]
	r.peers[key]++
	f := dials(r.t, r.urls[key])
	defer f.nc.Close()
	s.wants(fmt.Sprintf(`{"event":"connected","peer":%d}`, r.peers[key]))
	say(f)
	f.halfCloses()
	for _, m := range messages {
		if e := s.wants(fmt.Sprintf(`{"event":"message","len":%d}`, len(m))); !bytes.Equal(payloadOf(r.t, e), []byte(m)) {
			r.t.Errorf("another payload: %.80v", e)
		}
	}
	delete(end, "length")
	delete(end, "text")
	if e := s.wants(`{"event":"disconnected"}`); !like(e, end) {
		r.t.Errorf("%v, want %v", e, end)
	}
}

// TestSocketVectors: the vectors of docs/wire, as anybody would send them.
func TestSocketVectors(t *testing.T) {
	b, err := os.ReadFile("../../docs/wire/streamsock-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all socketVectors
	if err := json.Unmarshal(b, &all); err != nil || len(all.Vectors) < 35 {
		t.Fatal(err, len(all.Vectors))
	}
	r := &vectorRun{t, map[string]*script{}, map[string]string{}, map[string]int{}}
	for _, v := range all.Vectors {
		for _, transport := range transports[:2] {
			if v.TCP != nil {
				r.talk(transport, v.Max, "", v.Messages, v.TCP.End, func(f *far) {
					for _, p := range v.TCP.Bytes {
						f.say(string(p))
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
func payloadOf(t *testing.T, e object) []byte {
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
