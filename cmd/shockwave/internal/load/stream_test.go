package load

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// message reads a message behind its length.
func (p *peer) message() (payload []byte, ok bool) {
	var head [lenframe.HeaderSize]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return nil, false
	}
	payload = make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(p.in, payload)
	if err == nil {
		p.site.note()
	}
	return payload, err == nil
}

// framed is a message behind its length.
func framed(payload []byte) string { return string(lenframe.Append(nil, payload)) }

// echoStream sends messages back until the connection ends.
func (p *peer) echoStream() {
	for {
		payload, ok := p.message()
		if !ok {
			return
		}
		p.say(framed(payload))
	}
}

// streamTo drives cfg at what talks like this.
func streamTo(t *testing.T, cfg Config, talk func(p *peer)) *account.Result {
	t.Helper()
	s := play(t, talk)
	s.url.Scheme = "tcp"
	return s.run(t, cfg)
}

// One wrong echo is one error, and all others are right.
func TestStreamsAreHeldAgainstWhatWasSent(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(sent []byte) string
		want  account.Errors
	}{
		{"another byte", func(sent []byte) string {
			sent[len(sent)-1] ^= 1
			return framed(sent)
		}, account.Errors{Content: 1}},
		{"shorter", func(sent []byte) string { return framed(sent[1:]) }, account.Errors{Length: 1}},
		{"longer", func(sent []byte) string { return framed(append(sent, 'x')) }, account.Errors{Length: 1}},
		{"empty", func([]byte) string { return framed(nil) }, account.Errors{Length: 1}},
		{"another language", func([]byte) string { return "HTTP/1.1 400 Bad Request\r\n\r\n" }, account.Errors{Protocol: 1}},
		{"a length beyond all", func([]byte) string { return "\xff\xff\xff\xff" }, account.Errors{Protocol: 1}},
		{"one too many", func(sent []byte) string { return framed(sent) + framed(sent) }, account.Errors{Protocol: 1}},
		{"one byte too many", func(sent []byte) string { return framed(sent) + framed(nil) }, account.Errors{Protocol: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := streamTo(t, Config{Message: message.Spec{Size: 20}}, func(p *peer) {
				if p.index == 0 {
					sent, _ := p.message()
					p.say(framed(sent))
					sent, _ = p.message()
					p.say(c.wrong(sent))
				}
				p.echoStream()
			})
			if res.Errors != c.want || res.Requests < 2 {
				t.Errorf("%d messages, errors %+v, want %+v", res.Requests, res.Errors, c.want)
			}
		})
	}
}

// Messages in flight at the end of a connection are counted; between two messages there are none.
func TestStreamsThatEnd(t *testing.T) {
	for last, want := range map[string]account.Errors{"": {Closed: 1}, "\x00\x00": {Closed: 1}, "\x00\x00\x00\x14part": {Closed: 1}} {
		res := streamTo(t, Config{Message: message.Spec{Size: 20}}, func(p *peer) {
			if p.index > 0 {
				p.echoStream()
				return
			}
			p.message()
			p.say(last)
		})
		if res.Errors != want || res.Requests < 2 {
			t.Errorf("%q: %d messages, errors %+v, want %+v", last, res.Requests, res.Errors, want)
		}
	}
}

// Echoes in the wrong order are errors.
func TestStreamMessagesDiffer(t *testing.T) {
	res := streamTo(t, Config{Message: message.Spec{Size: 20}, Pipeline: 2}, func(p *peer) {
		if p.index == 0 {
			first, _ := p.message()
			second, _ := p.message()
			p.say(framed(second) + framed(first))
		}
		p.echoStream()
	})
	if res.Errors != (account.Errors{Content: 2}) {
		t.Errorf("errors %+v", res.Errors)
	}
}

// Messages over tcp and tls come back, in all sizes, pipelines and rates.
func TestStreams(t *testing.T) {
	for name, c := range map[string]struct {
		secure bool
		cfg    Config
	}{
		"one at a time":    {false, Config{Message: message.Spec{Size: 64}}},
		"empty":            {false, Config{}},
		"pipelined":        {false, Config{Message: message.Spec{Size: 64}, Pipeline: 16}},
		"large":            {false, Config{Message: message.Spec{Size: 300_000}}},
		"large, pipelined": {false, Config{Message: message.Spec{Size: 300_000}, Pipeline: 4}},
		"with a rate":      {false, Config{Message: message.Spec{Size: 64}, Rate: 500, Pipeline: 4}},
		"TLS":              {true, Config{Message: message.Spec{Size: 64}, TLS: insecure, Pipeline: 4}},
		"large over TLS":   {true, Config{Message: message.Spec{Size: 300_000}, TLS: insecure}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := playStream(t, c.secure, (*peer).echoStream)
			c.cfg.Conns = 4
			res := s.run(t, c.cfg)
			if res.Requests == 0 || res.Errors != (account.Errors{}) {
				t.Errorf("%d messages, errors %+v", res.Requests, res.Errors)
			}
			if least := res.Requests * int64(c.cfg.Message.Size); res.BytesIn < least/2 || res.BytesOut < least/2 {
				t.Errorf("%d bytes in, %d out for %d messages", res.BytesIn, res.BytesOut, res.Requests)
			}
		})
	}
}

// playStream is play for messages behind their lengths, over TLS if secure.
func playStream(t *testing.T, secure bool, talk func(p *peer)) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "tcp", Host: l.Addr().String()}
	if secure {
		cert := httptest.NewUnstartedServer(nil)
		cert.StartTLS()
		t.Cleanup(cert.Close)
		l = tls.NewListener(l, &tls.Config{Certificates: cert.TLS.Certificates})
		u.Scheme = "tls"
	}
	s := playOn(t, l, talk)
	s.url = u
	return s
}

// A stream in WebSocket frames may be cut anywhere, and text is an error.
func TestPrefixed(t *testing.T) {
	binary := func(b string) string { return bare(wsframe.Binary, true, []byte(b)) }
	for _, c := range []struct {
		name string
		say  func(sent string) string // sent is behind its length
		want account.Errors
	}{
		{"one frame", binary, account.Errors{}},
		{"every byte a message", func(sent string) (all string) {
			for i := range sent {
				all += binary(sent[i : i+1])
			}
			return all
		}, account.Errors{}},
		{"fragments and a ping", func(sent string) string {
			return bare(wsframe.Binary, false, []byte(sent[:2])) + bare(wsframe.Ping, true, nil) +
				bare(wsframe.Continuation, true, []byte(sent[2:])) + binary("")
		}, account.Errors{}},
		{"text", func(sent string) string { return bare(wsframe.Text, true, []byte(sent)) }, account.Errors{Protocol: 1}},
		{"without a length", func(sent string) string { return binary(sent[lenframe.HeaderSize:]) }, account.Errors{Protocol: 1}},
		{"another byte", func(sent string) string { return binary(sent[:len(sent)-1] + "?") }, account.Errors{Content: 1}},
		{"twice", func(sent string) string { return binary(sent + sent) }, account.Errors{Protocol: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := talkTo(t, Config{Message: message.Spec{Size: 20, Prefixed: true}}, func(p *peer) {
				for i := 0; ; i++ {
					h, sent, ok := p.frame()
					switch {
					case !ok:
						return
					case h.Opcode().IsControl():
						continue
					}
					if payload, n, err := lenframe.Parse(sent, 0); n != len(sent) || len(payload) != 20 || err != nil {
						t.Errorf("a frame with %q: %v", sent, err)
					}
					if p.index == 0 && i == 1 {
						p.say(c.say(string(sent)))
					} else {
						p.say(binary(string(sent)))
					}
				}
			})
			if res.Errors != c.want || res.Requests < 2 {
				t.Errorf("%d messages, errors %+v, want %+v", res.Requests, res.Errors, c.want)
			}
		})
	}
}

// Echoes on a stream mean the same in pieces of any size.
func TestStreamInPieces(t *testing.T) {
	for _, piece := range []int{1, 2, 3, 7, 301} {
		split := func(_ int64, n int) int { return min(n, piece) }
		for _, size := range []int{30, 16 << 10} { // echoes of the second are not known as a whole
			cfg := Config{URL: &url.URL{Scheme: "tcp", Host: "pipe:1"}, Message: message.Spec{Size: size}, Pipeline: 3, Requests: 12}
			res := pipes(t, cfg, split, func(p *peer) { io.Copy(p.Conn, p.in) })
			if res.Requests != 12 || res.Errors != (account.Errors{}) {
				t.Errorf("pieces of %d: %d right messages of %d bytes, errors %+v", piece, res.Requests, size, res.Errors)
			}
		}
	}
}
