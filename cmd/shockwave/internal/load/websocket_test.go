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

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
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
func talkTo(t *testing.T, cfg Config, talk func(p *peer)) *account.Result {
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
		want  account.Errors
	}{
		{"another byte", func(h wsframe.Header, sent []byte) string {
			sent[len(sent)-1] ^= 1
			return bare(h.Opcode(), true, sent)
		}, account.Errors{Content: 1}},
		{"shorter", func(h wsframe.Header, sent []byte) string { return bare(h.Opcode(), true, sent[1:]) }, account.Errors{Length: 1}},
		{"longer", func(h wsframe.Header, sent []byte) string { return bare(h.Opcode(), true, append(sent, 'x')) }, account.Errors{Length: 1}},
		{"another type", func(_ wsframe.Header, sent []byte) string { return bare(wsframe.Text, true, sent) }, account.Errors{Content: 1}},
		{"fragments", func(h wsframe.Header, sent []byte) string {
			return bare(h.Opcode(), false, sent[:5]) + bare(wsframe.Ping, true, []byte("?")) + bare(wsframe.Continuation, false, nil) +
				bare(wsframe.Continuation, true, sent[5:])
		}, account.Errors{}},
		{"a reserved opcode", func(wsframe.Header, []byte) string { return "\x83\x00" }, account.Errors{Protocol: 1}},
		{"compression that nobody asked for", func(wsframe.Header, []byte) string { return "\xc2\x00" }, account.Errors{Protocol: 1}},
		{"masked", func(wsframe.Header, []byte) string { return "\x82\x80\x00\x00\x00\x00" }, account.Errors{Protocol: 1}},
		{"one too many", func(h wsframe.Header, sent []byte) string {
			return bare(h.Opcode(), true, sent) + bare(h.Opcode(), true, sent)
		}, account.Errors{Protocol: 1}},
		{"closed instead", func(wsframe.Header, []byte) string { return bare(wsframe.Close, true, []byte("\x03\xe8")) }, account.Errors{Closed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := talkTo(t, Config{Message: message.Spec{Size: 20}}, func(p *peer) {
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
	res := talkTo(t, Config{Message: message.Spec{Size: 20}, Pipeline: 2}, func(p *peer) {
		if p.index == 0 {
			_, first, _ := p.frame()
			h, second, _ := p.frame()
			p.say(bare(h.Opcode(), true, second) + bare(h.Opcode(), true, first))
		}
		p.echo()
	})
	if res.Errors != (account.Errors{Content: 2}) {
		t.Errorf("errors %+v", res.Errors)
	}
}

// A ping and a close frame are answered, and the next connection takes the slot.
func TestControlFrames(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 4)
	// With a Duration, or the run may end amid the first connection's close.
	res := talkTo(t, Config{Message: message.Spec{Size: 20}, Duration: 2 * time.Second}, func(p *peer) {
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

// Echoes mean the same in pieces of any size.
func TestEchoesInPieces(t *testing.T) {
	for _, piece := range []int{1, 2, 3, 7, 301} {
		split := func(_ int64, n int) int { return min(n, piece) }
		cfg := Config{URL: &url.URL{Scheme: "ws", Host: "pipe"}, Message: message.Spec{Size: 300, Text: true}, Pipeline: 3}
		cfg.Requests = 60
		res := pipes(t, cfg, split, func(p *peer) {
			if p.upgraded("") {
				p.echo()
			}
		})
		if res.Requests != 60 || res.Errors != (account.Errors{}) {
			t.Errorf("pieces of %d: %d right messages, errors %+v", piece, res.Requests, res.Errors)
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
