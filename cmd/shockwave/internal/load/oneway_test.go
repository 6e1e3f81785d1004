package load

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// sink reads messages behind their lengths to the end.
func sink(read *atomic.Int64) func(p *peer) {
	return func(p *peer) {
		for {
			if _, ok := p.message(); !ok {
				return
			}
			read.Add(1)
		}
	}
}

// All messages counted as sent have been read when the run is over.
func TestOneWay(t *testing.T) {
	for name, c := range map[string]struct {
		secure bool
		cfg    Config
	}{
		"one at a time":   {false, Config{Message: message.Spec{Size: 64}}},
		"many in a write": {false, Config{Message: message.Spec{Size: 64}, Pipeline: 100}},
		"empty":           {false, Config{Pipeline: 3}},
		"so many":         {false, Config{Message: message.Spec{Size: 64}, Pipeline: 7, Requests: 1000}},
		"large":           {false, Config{Message: message.Spec{Size: 1 << 20}, Requests: 20}},
		"with a rate":     {false, Config{Message: message.Spec{Size: 64}, Rate: 2000, Pipeline: 4}},
		"TLS":             {true, Config{Message: message.Spec{Size: 64}, TLS: insecure, Pipeline: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var read atomic.Int64
			s := playStream(t, c.secure, sink(&read))
			c.cfg.Conns, c.cfg.Message.OneWay = 4, true
			if c.cfg.Requests == 0 {
				c.cfg.Duration = 200 * time.Millisecond
			}
			res := s.run(t, c.cfg)
			for res.Requests == 0 && c.cfg.Duration > 0 && c.cfg.Duration < 10*time.Second { // nobody had a turn
				c.cfg.Duration *= 2
				read.Store(0)
				res = s.run(t, c.cfg)
			}
			if res.Requests == 0 || res.Requests != read.Load() || res.Errors != (account.Errors{}) || res.Unanswered != 0 || res.Parts.FirstByte != nil {
				t.Errorf("%d messages have left, %d were read, %d are in flight, errors %+v", res.Requests, read.Load(), res.Unanswered, res.Errors)
			}
			if c.cfg.Requests > 0 && res.Requests != c.cfg.Requests {
				t.Errorf("%d messages, want %d", res.Requests, c.cfg.Requests)
			}
			if w := res.OneWay; w == nil || w.Conns != 4 || w.Confirmed != 4 || w.Parting > res.Elapsed {
				t.Errorf("one way: %+v", w)
			}
			if c.cfg.Rate > 0 && float64(res.Requests) > c.cfg.Rate*res.Elapsed.Seconds()+1 {
				t.Errorf("%d messages in %v", res.Requests, res.Elapsed)
			}
		})
	}
}

// A close frame is answered after everything that was read.
func TestOneWayOverWebSocket(t *testing.T) {
	var read atomic.Int64
	res := talkTo(t, Config{Message: message.Spec{Size: 20, OneWay: true}, Pipeline: 5, Requests: 100}, func(p *peer) {
		for {
			h, payload, ok := p.frame()
			switch {
			case !ok:
				return
			case h.Opcode() == wsframe.Close:
				if string(payload) != "\x03\xe8" {
					t.Errorf("a close frame with %q", payload)
				}
				p.say(bare(wsframe.Close, true, payload))
				return
			}
			if read.Add(1)%10 == 0 {
				p.say(bare(wsframe.Ping, true, nil) + bare(h.Opcode(), true, payload)) // which nobody wants
			} else if h.Opcode() == wsframe.Pong {
				read.Add(-1)
			}
		}
	})
	if res.Requests != 100 || read.Load() != 100 || res.Errors != (account.Errors{}) || res.OneWay.Confirmed != 1 || res.BytesIn == 0 {
		t.Errorf("%d have left, %d were read, %d bytes came back, errors %+v, %+v", res.Requests, read.Load(), res.BytesIn, res.Errors, res.OneWay)
	}
}

// Echoes are read and dropped.
func TestOneWayDropsWhatComesBack(t *testing.T) {
	res := streamTo(t, Config{Message: message.Spec{Size: 10_000, OneWay: true}, Requests: 2000}, (*peer).echoStream)
	if res.Requests != 2000 || res.Errors != (account.Errors{}) || res.OneWay.Confirmed != 1 || res.BytesIn != res.BytesOut {
		t.Errorf("%d messages, %d bytes in, %d out, errors %+v", res.Requests, res.BytesIn, res.BytesOut, res.Errors)
	}
}

// A peer that ends first, resets or never ends has confirmed nothing.
func TestOneWayIsNotBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		talk func(p *peer)
		cfg  Config
		want func(e account.Errors) int64
	}{
		"ends first": {func(p *peer) { p.message() }, Config{Duration: 100 * time.Millisecond}, func(e account.Errors) int64 { return e.Closed }},
		"resets at the end": {func(p *peer) {
			for range 10 {
				p.message()
			}
			p.in.Peek(p.in.Buffered() + 1) // our end
			p.Conn.(interface{ SetLinger(int) error }).SetLinger(0)
		}, Config{Requests: 10}, func(e account.Errors) int64 { return e.Closed }},
		"never ends": {func(p *peer) {
			for {
				if _, ok := p.message(); !ok {
					break
				}
			}
			p.Conn.SetReadDeadline(time.Time{})
			for { // until it is cut off
				if _, err := p.Conn.Write(nil); err != nil {
					return
				}
				if _, err := p.Conn.Write([]byte{0}); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}, Config{Requests: 10, Timeout: 300 * time.Millisecond}, func(e account.Errors) int64 { return e.Timeout }},
		"never reads": {func(p *peer) { io.Copy(io.Discard, &never{p}) },
			Config{Duration: 20 * time.Millisecond, Timeout: 300 * time.Millisecond}, func(e account.Errors) int64 { return e.Timeout }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := playStream(t, false, c.talk)
			c.cfg.Message = message.Spec{Size: 2000, OneWay: true}
			began := time.Now()
			res := s.run(t, c.cfg)
			if n := c.want(res.Errors); n == 0 || n != res.Errors.Total() {
				t.Errorf("errors %+v", res.Errors)
			}
			// Who ends first may end the last connection just when we do, having read everything.
			if w := res.OneWay; w.Confirmed > 0 && (name != "ends first" || w.Confirmed > 1) {
				t.Errorf("one way: %+v", w)
			}
			if took := time.Since(began); name == "never ends" && took-res.Elapsed < c.cfg.Timeout {
				t.Errorf("what was waited for in vain is counted: %v of %v", res.Elapsed, took)
			}
		})
	}
}

// never is a reader that waits until its connection is cut off, and reads nothing.
type never struct{ p *peer }

func (n *never) Read([]byte) (int, error) {
	for {
		if _, err := n.p.Conn.Write([]byte{0}); err != nil {
			return 0, err
		}
		time.Sleep(time.Millisecond)
	}
}

// A message that did not leave whole is not counted.
func TestOneWayCutAmidAMessage(t *testing.T) {
	t.Parallel()
	s := playStream(t, false, func(p *peer) {
		p.in.Peek(1)
		p.Conn.(interface{ SetLinger(int) error }).SetLinger(0)
	})
	res := s.run(t, Config{Message: message.Spec{Size: 64 << 20, OneWay: true}, Requests: 1})
	if res.Requests != 0 || res.Errors != (account.Errors{Closed: 1}) || res.OneWay.Confirmed != 0 {
		t.Errorf("%d have left, errors %+v, %+v", res.Requests, res.Errors, res.OneWay)
	}
}
