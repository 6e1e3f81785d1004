package load

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// upgraded answers the handshake.
func (p *peer) upgraded(extensions string) bool {
	req, err := http.ReadRequest(p.in)
	if err != nil {
		return false
	}
	sum := sha1.Sum([]byte(req.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	p.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + extensions +
		"Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n")
	return true
}

// frame reads a frame of the client and unmasks it.
func (p *peer) frame() (h wsframe.Header, payload []byte, ok bool) {
	n := 0
	for size := 2; n == 0; size++ {
		b, err := p.in.Peek(size)
		if err != nil {
			return h, nil, false
		}
		if h, n, err = wsframe.Parse(b); err != nil {
			return h, nil, false
		}
	}
	p.in.Discard(n)
	payload = make([]byte, h.Length)
	_, err := io.ReadFull(p.in, payload)
	mask.XOR(payload, payload, h.Key)
	if err == nil && h.Masked && !h.Opcode().IsControl() {
		p.site.note()
	}
	return h, payload, err == nil && h.Masked
}

// bare is a frame as a server sends it.
func bare(opcode wsframe.Opcode, finished bool, payload []byte) string {
	h := wsframe.Header{Kind: wsframe.Kind(opcode), Length: int64(len(payload))}
	if finished {
		h.Kind = wsframe.Final(opcode)
	}
	return string(wsframe.Append(nil, h)) + string(payload)
}

// echo sends messages back until the connection ends.
func (p *peer) echo() {
	for {
		h, payload, ok := p.frame()
		if !ok {
			return
		}
		p.say(bare(h.Opcode(), true, payload))
	}
}

// talkTo drives cfg at what talks like this once the connection is open.
func talkTo(t *testing.T, cfg Config, talk func(p *peer)) *Result {
	t.Helper()
	s := play(t, func(p *peer) {
		if p.upgraded("") {
			talk(p)
		}
	})
	s.url.Scheme = "ws"
	return s.run(t, cfg)
}

// One wrong echo is one error, and all others are right.
func TestMessagesAreHeldAgainstWhatWasSent(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(h wsframe.Header, sent []byte) string
		want  Errors
	}{
		{"another byte", func(h wsframe.Header, sent []byte) string {
			sent[len(sent)-1] ^= 1
			return bare(h.Opcode(), true, sent)
		}, Errors{Content: 1}},
		{"shorter", func(h wsframe.Header, sent []byte) string { return bare(h.Opcode(), true, sent[1:]) }, Errors{Length: 1}},
		{"longer", func(h wsframe.Header, sent []byte) string { return bare(h.Opcode(), true, append(sent, 'x')) }, Errors{Length: 1}},
		{"another type", func(_ wsframe.Header, sent []byte) string { return bare(wsframe.Text, true, sent) }, Errors{Content: 1}},
		{"fragments", func(h wsframe.Header, sent []byte) string {
			return bare(h.Opcode(), false, sent[:5]) + bare(wsframe.Ping, true, []byte("?")) + bare(wsframe.Continuation, false, nil) +
				bare(wsframe.Continuation, true, sent[5:])
		}, Errors{}},
		{"a reserved opcode", func(wsframe.Header, []byte) string { return "\x83\x00" }, Errors{Protocol: 1}},
		{"compression that nobody asked for", func(wsframe.Header, []byte) string { return "\xc2\x00" }, Errors{Protocol: 1}},
		{"masked", func(wsframe.Header, []byte) string { return "\x82\x80\x00\x00\x00\x00" }, Errors{Protocol: 1}},
		{"one too many", func(h wsframe.Header, sent []byte) string {
			return bare(h.Opcode(), true, sent) + bare(h.Opcode(), true, sent)
		}, Errors{Protocol: 1}},
		{"closed instead", func(wsframe.Header, []byte) string { return bare(wsframe.Close, true, []byte("\x03\xe8")) }, Errors{Closed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := talkTo(t, Config{Message: Message{Size: 20}}, func(p *peer) {
				if p.index == 0 {
					h, sent, _ := p.frame()
					p.say(bare(h.Opcode(), true, sent))
					h, sent, _ = p.frame()
					p.say(c.wrong(h, sent))
				}
				p.echo()
			})
			if res.Errors != c.want || res.Requests < 2 {
				t.Errorf("%d messages, errors %+v, want %+v", res.Requests, res.Errors, c.want)
			}
		})
	}
}

// Echoes in the wrong order are errors.
func TestMessagesDiffer(t *testing.T) {
	res := talkTo(t, Config{Message: Message{Size: 20}, Pipeline: 2}, func(p *peer) {
		if p.index == 0 {
			_, first, _ := p.frame()
			h, second, _ := p.frame()
			p.say(bare(h.Opcode(), true, second) + bare(h.Opcode(), true, first))
		}
		p.echo()
	})
	if res.Errors != (Errors{Content: 2}) {
		t.Errorf("errors %+v", res.Errors)
	}
}

// A ping and a close frame are answered, and the next connection takes the slot.
func TestControlFrames(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 4)
	// With a Duration, or the run may end amid the first connection's close.
	res := talkTo(t, Config{Message: Message{Size: 20}, Duration: 2 * time.Second}, func(p *peer) {
		if p.index == 0 {
			defer func() { answers <- "nothing"; answers <- "nothing" }()
			p.say(bare(wsframe.Ping, true, []byte("there?")) + bare(wsframe.Pong, true, nil))
			for range 2 { // the first message, the pong
				if h, payload, _ := p.frame(); h.Opcode() == wsframe.Pong {
					answers <- string(payload)
				} else {
					p.say(bare(h.Opcode(), true, payload))
				}
			}
			p.say(bare(wsframe.Close, true, []byte("\x03\xe9bye")))
			for {
				h, payload, ok := p.frame()
				if !ok {
					return
				}
				if h.Opcode() == wsframe.Close {
					answers <- string(payload)
				}
			}
		}
		p.echo()
	})
	if pong, closed := <-answers, <-answers; pong != "there?" || closed != "\x03\xe9" {
		t.Errorf("the ping was answered with %q, the close frame with %q", pong, closed)
	}
	if res.Requests < 2 || res.Errors.Total() != res.Errors.Closed {
		t.Errorf("%d messages, errors %+v", res.Requests, res.Errors)
	}
}

// A handshake that is no WebSocket is a failed connection with a reason.
func TestHandshakes(t *testing.T) {
	accept := func(p *peer, answer string) {
		if p.request() {
			p.say(answer)
		}
	}
	for want, talk := range map[string]func(p *peer){
		"with 404, not 101":   func(p *peer) { accept(p, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") },
		"does not switch to":  func(p *peer) { accept(p, "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n") },
		"does not answer the": func(p *peer) { accept(p, "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n") },
		"no answer to the":    func(p *peer) { p.request() },
		"nobody offered":      func(p *peer) { p.upgraded("Sec-WebSocket-Extensions: x\r\n") },
	} {
		s := play(t, talk)
		s.url.Scheme = "ws"
		_, err := Run(t.Context(), Config{URL: s.url, Conns: 1, Timeout: 5 * time.Second})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that says %q: %v", want, err)
		}
	}
}

// A server must compress as it was asked to.
func TestHandshakesAboutCompression(t *testing.T) {
	for _, c := range []struct{ answer, alone, takeover string }{
		{"", "does not compress", "does not compress"},
		{"permessage-deflate", "each message by itself", ""},
		{"permessage-deflate; server_max_window_bits=12", "each message by itself", ""},
		{"permessage-deflate; client_max_window_bits=12", "nobody offered", "nobody offered"},
		{"permessage-deflate; client_no_context_takeover", "each message by itself", "does not keep"},
		{"Permessage-Deflate ; SERVER_no_context_takeover", "", "does not keep"},
		{"x-webkit-deflate-frame", "nobody offered", "nobody offered"},
	} {
		for _, m := range []message{{deflate: true}, {deflate: true, takeover: true}} {
			want := c.alone
			if m.takeover {
				want = c.takeover
			}
			err := m.checkExtensions(c.answer)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%q, takeover %v: %v, want %q", c.answer, m.takeover, err, want)
			}
		}
	}
}

// Echoes mean the same in pieces of any size.
func TestEchoReader(t *testing.T) {
	r := made(t, Config{URL: &url.URL{Scheme: "ws", Host: "h"}, Message: Message{Size: 300, Text: true}, Pipeline: 3, Conns: 1})
	defer r.close()
	m := r.req.message
	var stream []byte
	for _, p := range m.payloads[:3] {
		stream = append(stream, bare(wsframe.Text, true, p)...)
	}
	for size := 1; size <= len(stream); size++ {
		s := r.slots[0]
		s.replies.restart()
		s.flight.push(1, 1, 3)
		s.shard.now.requests = 0
		taken := 0
		for end := size; taken < len(stream); end = min(end+size, len(stream)) {
			n, err := s.replies.read(s, stream[taken:end], 2)
			if err != nil {
				t.Fatal(err)
			}
			taken += n
		}
		if s.shard.now.requests != 3 || s.flight.total != 0 {
			t.Fatalf("pieces of %d: %d right messages", size, s.shard.now.requests)
		}
	}
}

// echoInPlace is echo for messages of 20 bytes, without an allocation.
func (p *peer) echoInPlace() {
	in, out := make([]byte, 26), make([]byte, 22)
	for {
		if _, err := io.ReadFull(p.in, in); err != nil {
			return
		}
		out[0], out[1] = in[0], 20
		mask.XOR(out[2:], in[6:], binary.LittleEndian.Uint32(in[2:]))
		p.Write(out)
	}
}
