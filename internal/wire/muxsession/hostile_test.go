package muxsession

import (
	"bytes"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

func data(b []byte, channel uint32, f muxframe.Flags, n int) []byte {
	return append(muxframe.AppendData(b, channel, f, n), make([]byte, n)...)
}

// Each frame that breaks a rule ends the session with an error that says which rule.
func TestBrokenRules(t *testing.T) {
	const fin, exempt = muxframe.Fin, muxframe.Exempt
	var flood, pings, pongs, credits, grants, late, lateEnds, lateCredits, opens, voids []byte
	lateEnds = muxframe.AppendEnd(lateEnds, 1, muxframe.Stop) // which ends both halves
	lateCredits = muxframe.AppendReset(lateCredits, 1, 0)
	for range budgetBurst + 2 {
		pings = muxframe.AppendPing(pings, muxframe.Ping, 1)
		pongs = muxframe.AppendPing(pongs, muxframe.Pong, 0)
		credits = muxframe.AppendWindow(credits, 1, 1)
		grants = muxframe.AppendGrant(grants, 2, 7, 1000)
		late = muxframe.AppendReset(late, 1, 0)
		lateEnds = muxframe.AppendEnd(lateEnds, 1, muxframe.Stop)
		lateCredits = muxframe.AppendWindow(lateCredits, 1, 64<<10)
		voids = muxframe.AppendData(voids, 1, fin|muxframe.Void, 0)
		flood = muxframe.AppendAck(flood, 0)
	}
	for range lateFrames {
		lateEnds = muxframe.AppendEnd(lateEnds, 1, muxframe.Stop)
	}
	for k := range uint32(budgetBurst + 200) {
		opens = muxframe.AppendOpen(opens, 3+2*k, text(int(k), 6), nil)
	}
	var churn []byte
	for k := range uint32(budgetBurst + 2) {
		churn = muxframe.AppendReset(muxframe.AppendOpen(churn, 3+2*k, "y", nil), 3+2*k, 0)
	}
	window := func(n int) (b []byte) { // that many bytes in messages of 1 kB
		for ; n > 0; n -= 1024 {
			b = data(b, 1, fin, 1024-muxframe.Overhead)
		}
		return b
	}
	for name, tc := range map[string]struct {
		b    []byte
		want string
	}{
		"a channel that never was":            {data(nil, 3, fin, 1), "never opened"},
		"credit of a channel that never was":  {muxframe.AppendWindow(nil, 4, 1000), "never opened"},
		"the end of a channel that never was": {muxframe.AppendEnd(nil, 3, 0), "never opened"},
		"a number of ours":                    {muxframe.AppendOpen(nil, 4, "y", nil), "OPEN with a number"},
		"a number in use":                     {muxframe.AppendOpen(nil, 1, "y", nil), "OPEN with a number"},
		"a name in use":                       {muxframe.AppendOpen(nil, 3, "x", nil), "name of a channel"},
		"more than the window":                {window(65 << 10), "more than the window"},
		"one byte more than the window":       {data(window(64<<10), 1, fin, 0), "more than the window"},
		"a message that is too large":         {bytes.Repeat(data(nil, 1, 0, 40_000), 27), "larger than the limit"},
		"past the windows without a grant":    {data(nil, 1, fin|exempt, 1), "more than the grant"},
		"behind the end":                      {data(muxframe.AppendEnd(nil, 1, 0), 1, fin, 1), "after the end"},
		"an end within a message":             {muxframe.AppendEnd(data(nil, 1, 0, 1), 1, 0), "within a message"},
		"two ends":                            {muxframe.AppendEnd(muxframe.AppendEnd(nil, 1, 0), 1, 0), "END"},
		"credit beyond measure":               {muxframe.AppendWindow(nil, 1, muxframe.MaxCredit), "a window that is too large"},
		"credit of the session beyond it":     {muxframe.AppendWindow(nil, 0, muxframe.MaxCredit), "a window that is too large"},
		"an ACK of what was not sent":         {muxframe.AppendAck(nil, 1000), "not sent"},
		"an open behind goodbye":              {muxframe.AppendOpen(muxframe.AppendGoaway(nil, 0), 3, "y", nil), "after GOAWAY"},
		"a message behind goodbye":            {data(muxframe.AppendGoaway(nil, 0), 1, fin, 1), "after"},
		"goodbye within a message":            {muxframe.AppendGoaway(data(nil, 1, 0, 1), 0), "within a message"},
		"pings":                               {pings, "flood"},
		"pongs that nothing asked for":        {pongs, "flood"},
		"credit by the byte":                  {credits, "flood"},
		"grants for nothing":                  {grants, "flood"},
		"frames for what is over":             {late, "flood"},
		"ends of what is over":                {lateEnds, "flood"},
		"credit for what is over":             {lateCredits, "flood"},
		"opens without end":                   {opens, "flood"},
		"opens that are reset":                {churn, "flood"},
		"messages taken back":                 {voids, "flood"},
		"ACKs of nothing":                     {flood, "flood"},
	} {
		p := newPair(t, nil)
		p.b.open("ours")
		p.a.open("x")
		for p.a.lend(1000, 1) {
		}
		if err := p.deliver(p.a, len(p.a.wire)); err != nil {
			t.Fatal(err)
		}
		n, most := 0, 0
		var err error
		for n < len(tc.b) && err == nil {
			var k int
			k, err = p.b.s.Receive(tc.b[n:min(n+4096, len(tc.b))], p.now)
			n += k
			most = max(most, p.b.mem.most)
			if k == 0 {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if most > 4<<20 {
			t.Errorf("%s: %d bytes of memory", name, most)
		}
	}
}

// A peer that makes this side respond and acknowledges nothing is cut off.
func TestWhatIsNotAcknowledged(t *testing.T) {
	p := newPair(t, func(c *Config) {
		c.Kept = 10_000
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Window, l.Session = 1024, 1024
		}
	})
	c := p.a.open("x")
	p.run(0)
	d := p.b.accept("x")
	p.a.s.Detach()
	var err error
	for k := 0; err == nil && k < 2_000_000; k++ {
		_, err = p.b.s.Receive(data(nil, c.number, muxframe.Fin, 300), p.now)
		for d.Ready() {
			p.b.mem.Put(p.b.s.Take(d))
		}
	}
	if err == nil || !strings.Contains(err.Error(), "not acknowledged") || p.b.s.Kept() > 2<<20 {
		t.Errorf("%v, %d kept", err, p.b.s.Kept())
	}
}

// The window bounds the memory of received messages, however small they are.
func TestEmptyMessagesAreNotFree(t *testing.T) {
	p := newPair(t, nil)
	p.a.open("x")
	p.run(0)
	n := 0
	for {
		if _, err := p.b.s.Receive(muxframe.AppendData(nil, 1, muxframe.Fin, 0), p.now); err != nil {
			break
		}
		n++
	}
	if n != 64<<10/muxframe.Overhead || p.b.mem.most > 128<<10 {
		t.Errorf("%d empty messages, %d bytes of memory", n, p.b.mem.most)
	}
}

// Messages that have only begun take no more memory than the bytes that have arrived.
func TestClaimsTakeNoMemory(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Ours.MaxMessage, c.Ours.Session, c.Ours.Window = 16<<20, 64<<20, 16<<20 })
	var b []byte
	for k := range uint32(64) {
		b = muxframe.AppendOpen(b, 1+2*k, text(int(k), 3), nil)
		b = append(muxframe.AppendData(b, 1+2*k, 0, 60_000), 'x')
		if _, err := p.b.s.Receive(b, p.now); err != nil {
			t.Fatal(err)
		}
		b = make([]byte, 59_999)
	}
	if p.b.mem.most > 64*(256<<10) {
		t.Errorf("%d bytes of memory", p.b.mem.most)
	}
}

// A peer that opens and ends channels without acknowledging anything cannot fill the memory.
func TestUnacknowledgedEnds(t *testing.T) {
	p := newPair(t, nil)
	for k := range uint32(4 * maxEnded) {
		b := muxframe.AppendEnd(muxframe.AppendOpen(nil, 1+2*k, "x", nil), 1+2*k, muxframe.Stop)
		if _, err := p.b.s.Receive(b, p.now); err != nil {
			break
		}
	}
	if n := len(p.b.s.outgoing); n > maxEnded+100 {
		t.Errorf("%d channels are kept", n)
	}
}

// A program may open many channels at once before the peer acknowledges them.
func TestManyOpens(t *testing.T) {
	const n = 5000
	p := newPair(t, func(c *Config) { c.MaxChannels, c.Kept = n, 64<<10 })
	p.cut()
	for k := range n {
		if !p.a.s.Open(&Channel{}, text(k, 6), make([]byte, muxframe.MaxMetadata), false) {
			t.Fatal(k)
		}
	}
	p.b.send(p.b.open("y"), "hello")
	p.connect()
	for p.b.lend(1<<20, p.now) {
	}
	if err := p.deliver(p.b, len(p.b.wire)); err != nil {
		t.Error(err)
	}
}
