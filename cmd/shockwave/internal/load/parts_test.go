package load

import (
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// The time of the first byte is before the end of a response that comes in pieces.
func TestFirstByte(t *testing.T) {
	const pause = 300 * time.Millisecond // a machine that is busy is late, too
	for name, at := range map[string]int{"amid the head": 12, "amid the body": len(fine) - 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) {
				for n := 0; p.request(); n++ {
					if n%2 == 1 {
						p.say(fine[:at])
						time.Sleep(pause) // the client must see two pieces
						p.say(fine[at:])
					} else {
						p.say(fine)
					}
				}
			})
			mustBeginBefore(t, s.run(t, Config{Requests: 6}), pause)
		})
	}
	t.Run("amid a message", func(t *testing.T) {
		t.Parallel()
		n := atomic.Int64{}
		res := talkTo(t, Config{Message: message.Spec{Size: 20}, Requests: 6}, func(p *peer) {
			for {
				h, payload, ok := p.frame()
				if !ok {
					return
				}
				echo := bare(h.Opcode(), true, payload)
				if h.Opcode() != wsframe.Close && n.Add(1)%2 == 0 {
					p.say(echo[:5])
					time.Sleep(pause)
					echo = echo[5:]
				}
				p.say(echo)
			}
		})
		mustBeginBefore(t, res, pause)
	})
}

// mustBeginBefore wants six answers, of which every second one was whole a pause after it had begun.
func mustBeginBefore(t *testing.T, res *account.Result, pause time.Duration) {
	t.Helper()
	first, whole := res.Parts.FirstByte, res.Latency
	if first.TotalCount() != 6 || whole.TotalCount() != 6 {
		t.Fatalf("%d first bytes, %d answers", first.TotalCount(), whole.TotalCount())
	}
	between := 6 * (whole.Mean() - first.Mean())
	if between < 0.9*3*float64(pause) {
		t.Errorf("%v between the first bytes and the last ones, want %v", time.Duration(between), 3*pause)
	}
}

// The times of opening are known for every connection.
func TestParts(t *testing.T) {
	s := serveNetHTTP(t, true, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") })
	host := s.url.Host
	s.url.Host = strings.Replace(host, "127.0.0.1", "localhost", 1)
	res := s.run(t, Config{TLS: insecure, Requests: 5})
	p := res.Parts
	if p.Connect == nil || p.Handshake == nil || p.Connect.TotalCount() < 5 || p.Handshake.TotalCount() < 5 {
		t.Fatalf("parts %+v", p)
	}
	if p.Connect.Min() <= 0 || p.Handshake.Min() <= 0 || p.Upgrade != nil {
		t.Errorf("parts %+v", p)
	}
	if _, err := net.LookupHost("localhost"); err == nil && (p.Lookup == nil || p.Lookup.TotalCount() != 1) {
		t.Errorf("the host was looked up: %+v, want once", p.Lookup)
	}
	res = talkTo(t, Config{Message: message.Spec{Size: 20}, Requests: 3}, func(p *peer) { p.echo() })
	if p := res.Parts; p.Upgrade == nil || p.Upgrade.TotalCount() < 1 || p.Handshake != nil || p.Lookup != nil {
		t.Errorf("of WebSocket: parts %+v", p)
	}
}
