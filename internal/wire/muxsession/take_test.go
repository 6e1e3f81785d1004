package muxsession

import (
	"bytes"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// reader returns a channel, both sides of it, and a buffer in which the listener can wait for a message.
func reader(t *testing.T) (p *pair, c, d *Channel, buf []byte) {
	p = newPair(t, nil)
	c = p.a.open("x")
	p.run(0)
	return p, c, p.b.accept("x"), make([]byte, minReaderBuf)
}

// half delivers so many bytes of a message of 4 KiB.
func (p *pair) half(c *Channel, most int) {
	p.a.send(c, text(1, minReaderBuf))
	p.a.lend(1<<20, p.now)
	if err := p.deliver(p.a, most); err != nil {
		p.t.Fatal(err)
	}
}

// A message is received directly into the buffer of the reader that waits for it.
func TestIntoTheReadersBuffer(t *testing.T) {
	p, c, d, buf := reader(t)
	p.b.s.OfferBuffer(d, buf)
	p.half(c, 2000)
	p.run(0)
	if !d.Ready() || string(buf) != text(1, minReaderBuf) || p.b.mem.held != 0 {
		t.Fatalf("it is not in the buffer: %.20q, %d bytes are held", buf, p.b.mem.held)
	}
	p.b.s.WithdrawBuffer(d, buf, true)
	if n := p.b.s.TakeInto(d, buf); n != minReaderBuf || string(buf) != text(1, minReaderBuf) {
		t.Errorf("%d bytes, %.20q", n, buf)
	}
}

// The buffer of a reader that has given up is not written to, and no byte is lost.
func TestReaderThatGivesUp(t *testing.T) {
	for _, when := range []int{0, 2000, minReaderBuf + 4} { // before anything has come, in the middle, behind the end
		p, c, d, buf := reader(t)
		p.b.s.OfferBuffer(d, buf)
		p.half(c, when)
		p.b.s.WithdrawBuffer(d, buf, false)
		for i := range buf {
			buf[i] = 0xaa
		}
		p.run(0)
		if !bytes.Equal(buf, bytes.Repeat([]byte{0xaa}, len(buf))) {
			t.Errorf("at %d: the buffer is used after its reader has given up", when)
		}
		p.b.want(d, "all of it", text(1, minReaderBuf))
	}
}

// A reader's buffer is not used if the message has begun elsewhere or does not fit.
func TestWantIsNotPossible(t *testing.T) {
	for name, before := range map[string]func(p *pair, c, d *Channel, buf []byte) []byte{
		"a part has come": func(p *pair, c, d *Channel, buf []byte) []byte {
			p.half(c, 2000)
			return buf
		},
		"one waits": func(p *pair, c, d *Channel, buf []byte) []byte {
			p.a.send(c, "waits")
			p.run(0)
			return buf
		},
		"nobody takes anything": func(p *pair, c, d *Channel, buf []byte) []byte {
			p.b.s.End(d, Stopped)
			return buf
		},
		"it is short": func(p *pair, c, d *Channel, buf []byte) []byte { return buf[:minReaderBuf-1] },
		"somebody else waits": func(p *pair, c, d *Channel, buf []byte) []byte {
			p.b.s.OfferBuffer(d, make([]byte, minReaderBuf))
			return buf
		},
	} {
		p, c, d, buf := reader(t)
		buf = before(p, c, d, buf)
		p.b.s.OfferBuffer(d, buf)
		if in := &d.in; cap(in.readerBuf) > 0 && &in.readerBuf[0] == &buf[0] {
			t.Errorf("%s: the buffer was used", name)
		}
	}
}

// Withdrawing a buffer does not affect the message in another reader's buffer.
func TestReaderOfAnotherMessage(t *testing.T) {
	p, c, d, buf := reader(t)
	other := make([]byte, len(buf))
	p.b.s.OfferBuffer(d, buf)
	p.half(c, 2000)
	p.b.s.WithdrawBuffer(d, other, false)
	p.run(0)
	if string(buf) != text(1, minReaderBuf) {
		t.Error("the message has gone elsewhere")
	}
	p.b.s.WithdrawBuffer(d, other, false)
	if p.b.mem.held != 0 {
		t.Error("the message was copied")
	}
	p.b.s.WithdrawBuffer(d, buf, false)
	p.b.want(d, "copied now", text(1, minReaderBuf))
}

// MaxMessage returns the peer's limit, or the largest int if there is none.
func TestMaxMessage(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Theirs.MaxMessage = 0 })
	if n := p.a.s.MaxMessage(); n < muxframe.MaxCredit {
		t.Errorf("no limit is %d", n)
	}
	if n := newPair(t, nil).a.s.MaxMessage(); n != 1<<20 {
		t.Errorf("a limit of 1 MiB is %d", n)
	}
}

// An incomplete message gets a GRANT when a whole message of another channel takes the rest of the window.
func TestGrantBehindASmallMessage(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 16<<10, 16<<10
		}
	})
	c, other := p.a.open("x"), p.a.open("y")
	p.a.send(c, text(0, 9000))
	p.run(0)
	d := p.b.accept("x")
	p.b.mem.Put(p.b.s.Take(d))
	p.run(0)
	// A large message of y has begun: as much has come that the window has room for another piece.
	first := data(nil, other.number, 0, 16<<10-2*muxframe.Overhead-minPiece(16<<10)-100)
	if _, err := p.b.s.Receive(first, p.now); err != nil {
		t.Fatal(err)
	}
	if p.b.s.granted != 0 {
		t.Fatal("there is a GRANT before the window is full")
	}
	if _, err := p.b.s.Receive(data(nil, c.number, muxframe.Fin, 1000), p.now); err != nil {
		t.Fatal(err)
	}
	if w := p.b.s.window; p.b.s.granted == 0 {
		t.Errorf("there is no GRANT, and the rest of the message waits for that of the other channel: %+v", w)
	}
}
