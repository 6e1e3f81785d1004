//go:build !race

package load

import (
	"bytes"
	"io"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/http2"
)

// A request allocates nothing, in either loop.
func TestNoAllocations(t *testing.T) {
	for name, cfg := range map[string]Config{
		"one at a time": {},
		"pipelined":     {Pipeline: 16},
		"with a rate":   {Rate: 20_000},
		"several URLs":  {More: make([]*url.URL, 3), Same: true, Pipeline: 2},
		"WebSocket":     {Message: message.Spec{Size: 20}, Pipeline: 16},
		"HTTP/2":        {HTTP2: true, Pipeline: 50},
		"tcp":           {Message: message.Spec{Size: 30}, Pipeline: 16},
		"one way":       {Message: message.Spec{Size: 30, OneWay: true}, Pipeline: 16},
	} {
		s := play(t, func(p *peer) {
			if cfg.Message.Size == 30 {
				io.Copy(p.Conn, struct{ io.Reader }{p.Conn})
				return
			}
			if cfg.Message.Size > 0 && p.upgraded("") {
				p.echoInPlace()
				return
			}
			if cfg.HTTP2 {
				talkH2(http2.Config{}, func(p *h2Peer) { p.answer() })(p)
				return
			}
			in := make([]byte, 4<<10)
			answers := bytes.Repeat([]byte(fine), 100)
			for {
				n, err := p.Read(in)
				if err != nil {
					return
				}
				p.Write(answers[:len(fine)*bytes.Count(in[:n], []byte("\r\n\r\n"))])
			}
		})
		switch cfg.Message.Size {
		case 20:
			s.url.Scheme = "ws"
		case 30:
			s.url.Scheme = "tcp"
		}
		for i := range cfg.More {
			cfg.More[i] = s.url
		}
		var before, after runtime.MemStats
		cfg.Conns, cfg.Warmup, cfg.Duration = 4, 50*time.Millisecond, 100*time.Millisecond
		cfg.Began = func() { runtime.ReadMemStats(&before) }
		cfg.Ended = func() { runtime.ReadMemStats(&after) }
		res := s.run(t, cfg)
		for res.Requests < 1000 && cfg.Duration < 10*time.Second { // on a busy machine
			cfg.Duration *= 2
			res = s.run(t, cfg)
		}
		// A few allocations belong to the run, its seconds and timers.
		if n := after.Mallocs - before.Mallocs; res.Requests < 100 || n > 100+uint64(res.Requests/200) {
			t.Errorf("%s: %d allocations for %d requests", name, n, res.Requests)
		} else {
			t.Logf("%s: %d allocations for %d requests", name, n, res.Requests)
		}
	}
}
