package transport

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// A wake ends the wait under way, or else the next one, and only that.
func TestWakeReader(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		if p.c.ReaderWoken() {
			t.Error("woken before any wake")
		}
		p.c.WakeReader()
		p.c.WakeReader() // two wakes count as one
		if n, err := p.c.Read(make([]byte, 8)); n != 0 || !TimedOut(err) {
			t.Fatalf("the wait after a wake: %d, %v", n, err)
		}
		if !p.c.ReaderWoken() || p.c.ReaderWoken() {
			t.Error("want the mark of a wake once")
		}
		if p.c.WriterWoken() {
			t.Error("the reader's wake is known as the writer's")
		}

		read := make(chan error, 1)
		go func() {
			_, err := p.c.Read(make([]byte, 8))
			read <- err
		}()
		awaitBlocked(t, "transport.(*Conn).Read")
		p.c.WakeReader()
		if err := within(t, "the wait to end", read); !TimedOut(err) {
			t.Fatalf("the wait under way: %v", err)
		}
		if !p.c.ReaderWoken() {
			t.Error("the write's end is not reported as a wake")
		}
		p.tell(t, "on we go")
		p.read(t, "on we go")
	})
}

// A read that a wake has ended in the middle of a TLS record goes on where it stopped.
func TestWakeAmidARecord(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		got := make(chan string, 1)
		go func() {
			b := make([]byte, 0, 9)
			for len(b) < 9 {
				n, err := p.c.Read(b[len(b):9])
				b = b[:len(b)+n]
				if TimedOut(err) && p.c.ReaderWoken() {
					continue
				}
				if err != nil {
					b = append(b, err.Error()...)
					break
				}
			}
			got <- string(b)
		}()
		for _, s := range []string{"one", "two", "six"} {
			record := p.seal(t, s)
			for _, part := range [][]byte{record[:3], record[3:7], record[7:]} {
				p.c.WakeReader()
				if _, err := p.wire.Write(part); err != nil {
					t.Fatal(err)
				}
				p.c.WakeReader()
			}
		}
		if s := within(t, "all three words", got); s != "onetwosix" {
			t.Errorf("read %q", s)
		}
	})
}

// Send ends when the writer is woken, and the next Send goes on where it stopped.
func TestWakeWriter(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		if p.c.WriterWoken() {
			t.Error("woken before any wake")
		}
		all := pattern(p.tooMuch())
		b := Batch{A: all[:100], B: all[100:200], More: [][]byte{all[200:300], all[300:]}}
		p.c.WakeWriter()
		if n, err := p.c.Send(&b, false); n != 0 || !TimedOut(err) {
			t.Fatalf("the Send after a wake: %d, %v", n, err)
		}
		if p.c.ReaderWoken() {
			t.Error("the writer's wake is known as the reader's")
		}
		if !p.c.WriterWoken() || p.c.WriterWoken() {
			t.Error("want the mark of a wake once")
		}
		total := 0
		for range 3 {
			sent := make(chan error, 1)
			go func() {
				n, err := p.c.Send(&b, false)
				total += n
				sent <- err
			}()
			awaitBlocked(t, "transport.(*Conn).Send")
			p.c.WakeWriter()
			if err := within(t, "Send to end", sent); !TimedOut(err) {
				t.Fatalf("the Send under way: %v", err)
			}
			if !p.c.WriterWoken() {
				t.Error("the write's end is not reported as a wake")
			}
			if b.Empty() && !p.c.Unsent() {
				t.Fatal("nothing is left")
			}
		}
		got := make(chan []byte, 1)
		_ = p.far.SetReadDeadline(time.Now().Add(patience))
		go func() {
			b := make([]byte, len(all))
			n, _ := io.ReadFull(p.far, b)
			got <- b[:n]
		}()
		n, err := p.c.Send(&b, false)
		if total += n; err != nil || !b.Empty() || p.c.Unsent() {
			t.Fatalf("the last Send: %v, %d bytes left, unsent %v", err, b.Size(), p.c.Unsent())
		}
		same(t, within(t, "the peer", got), all)
		if wire := p.wire.count() - p.sent; total != wire {
			t.Errorf("Send counted %d bytes, the peer received %d", total, wire)
		}
	})
}

// recorded is a net.Conn that notes which deadlines are set.
type recorded struct {
	net.Conn
	mu   sync.Mutex
	sets int
}

func (r *recorded) note() {
	r.mu.Lock()
	r.sets++
	r.mu.Unlock()
}

func (r *recorded) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sets
}

func (r *recorded) SetDeadline(t time.Time) error {
	r.note()
	return r.Conn.SetDeadline(t)
}

func (r *recorded) SetReadDeadline(t time.Time) error {
	r.note()
	return r.Conn.SetReadDeadline(t)
}

func (r *recorded) SetWriteDeadline(t time.Time) error {
	r.note()
	return r.Conn.SetWriteDeadline(t)
}

// A wake does not touch a connection that is closed or given away: its deadlines are the new owner's.
func TestWakesReachNobodyAfterwards(t *testing.T) {
	for name, end := range map[string]func(c *Conn){
		"Detach":   (*Conn).Detach,
		"GiveAway": func(c *Conn) { c.GiveAway(c.Below()) },
		"Close":    (*Conn).Close,
		"Drop":     func(c *Conn) { c.Drop(patience, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			near, far := connect(t, variant{network: "pipe"})
			defer far.Close()
			_, _ = far.Write([]byte("four"))
			nc := &recorded{Conn: near}
			c := new(Conn)
			c.Init(nc, true)
			c.WakeReader()
			c.WakeWriter()
			end(c)
			before := nc.count()
			for _, again := range []bool{true, false} {
				if c.ReaderWoken() != again || c.WriterWoken() != again {
					t.Error("want the marks of the earlier wakes once")
				}
			}
			c.WakeReader()
			c.WakeWriter()
			if c.ReaderWoken() || c.WriterWoken() {
				t.Error("a mark is left after a wake")
			}
			if n := nc.count() - before; n != 0 {
				t.Errorf("%d deadlines were set", n)
			}
			c.Close()
		})
	}
}

// A connection that is given away has no deadlines, whatever was in progress.
func TestDetachClearsDeadlines(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		p.c.WakeReader()
		p.c.WakeWriter()
		nc := p.c.GiveAway(p.c.Below())
		p.c.WakeReader()
		p.c.WakeWriter()
		p.tell(t, "in")
		got := make([]byte, 2)
		if _, err := io.ReadFull(nc, got); err != nil || string(got) != "in" {
			t.Errorf("read %q, %v", got, err)
		}
		if _, err := nc.Write([]byte("out")); err != nil {
			t.Error(err)
		}
		p.hear(t, "out")
		_ = nc.Close()
		p.hearEnd(t)
	})
}

// A wake between two writes of a brittle connection sets no deadline: it would end the second write, and with that the
// connection.
func TestBrittleIsNotWokenBetweenWrites(t *testing.T) {
	onSome(t, func(k variant) bool { return k.tls == foreign }, func(t *testing.T, p *pair) {
		for range 20 {
			p.c.WakeWriter()
			if p.c.WriterWoken() {
				t.Fatal("WriterWoken is true without a write")
			}
			p.c.WakeWriter()
			p.send(t, "word")
			p.hear(t, "word")
		}
	})
}

// meddler is a net.Conn that calls functions during its writes.
type meddler struct {
	net.Conn
	before, after func()
}

func (m *meddler) Write(p []byte) (int, error) {
	if m.before != nil {
		m.before()
	}
	n, err := m.Conn.Write(p)
	if m.after != nil {
		m.after()
	}
	return n, err
}

func newMeddled(t *testing.T) (c *Conn, m *meddler, far net.Conn) {
	near, wire := connect(t, variant{network: "pipe"})
	m = &meddler{Conn: near}
	tc := tlsServer(m, serverConfig())
	far = shakeHands(t, tc.Handshake, tlsClient(wire, clientConfig()))
	c = new(Conn)
	c.Init(tc, true)
	t.Cleanup(func() {
		_ = wire.Close()
		c.Close()
	})
	return c, m, far
}

// A wake that comes when the bytes are already written, but the write has not returned, is reported and does not end the
// next write.
func TestBrittleWokenTooLate(t *testing.T) {
	c, m, far := newMeddled(t)
	m.after = c.WakeWriter
	for range 3 {
		b := Batch{A: []byte("word")}
		if _, err := c.Send(&b, false); err != nil {
			t.Fatal("Send: ", err)
		}
		if !c.WriterWoken() || c.WriterWoken() {
			t.Error("want the mark of a wake once")
		}
		got := make([]byte, 4)
		if _, err := io.ReadFull(far, got); err != nil || string(got) != "word" {
			t.Errorf("the peer read %q, %v", got, err)
		}
	}
	// The mark stays until the next write.
	for range 3 {
		b := Batch{A: []byte("more")}
		if _, err := c.Send(&b, false); err != nil {
			t.Fatal("Send: ", err)
		}
	}
}

// A foreign deadline is not removed after a write.
func TestBrittleForeignDeadline(t *testing.T) {
	c, m, _ := newMeddled(t)
	m.after = func() { _ = c.NetConn().SetWriteDeadline(time.Unix(1, 0)) }
	b := Batch{A: []byte("word")}
	if _, err := c.Send(&b, false); err != nil {
		t.Fatal("Send: ", err)
	}
	m.after = nil
	b = Batch{A: []byte("word")}
	if _, err := c.Send(&b, false); !TimedOut(err) {
		t.Errorf("Send: %v; want a timeout", err)
	}
	if c.WriterWoken() {
		t.Error("a foreign deadline counted as a wake")
	}
}

// A wake during a write of a brittle connection ends it, and no later write succeeds.
func TestBrittleWokenInTime(t *testing.T) {
	c, m, _ := newMeddled(t)
	m.before = c.WakeWriter
	b := Batch{A: []byte("word")}
	if _, err := c.Send(&b, false); !TimedOut(err) {
		t.Fatalf("Send: %v; want a timeout", err)
	}
	if !c.WriterWoken() {
		t.Error("the write's end is not reported as a wake")
	}
	m.before = nil
	if _, err := c.Send(&b, false); err == nil {
		t.Error("a write after a cut record succeeded")
	}
}

// It is known how much of a large write has been sent.
func TestBrittleSendsPieces(t *testing.T) {
	onSome(t, func(k variant) bool { return k.tls == foreign && k.split == nil }, func(t *testing.T, p *pair) {
		all := pattern(3*brittlePiece + 17)
		got := make(chan []byte, 1)
		go func() {
			b := make([]byte, len(all))
			n, _ := io.ReadFull(p.far, b)
			got <- b[:n]
		}()
		b := Batch{A: all[:10], B: all[10:]}
		if n, err := p.c.Send(&b, false); n != len(all) || err != nil {
			t.Errorf("Send: %d of %d, %v", n, len(all), err)
		}
		same(t, within(t, "the peer", got), all)
	})
}

// stingy is a net.Conn that takes less than it is given, which io.Writer forbids.
type stingy struct {
	net.Conn
	err error
}

func (s stingy) Write(p []byte) (int, error) { return len(p) / 2, s.err }

// A net.Conn that takes less than it was given fails the Send, and the rest stays in the batch.
func TestShortWrite(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	defer near.Close()
	odd := errors.New("odd")
	for _, tc := range []struct{ says, want error }{{nil, io.ErrShortWrite}, {odd, odd}} {
		c := new(Conn)
		c.Init(stingy{near, tc.says}, false)
		b := Batch{A: []byte("four"), B: []byte("more")}
		if n, err := c.Send(&b, false); n != 2 || err != tc.want || b.Size() != 6 {
			t.Errorf("%d, %v, %d left; want 2, %v, 6 left", n, err, b.Size(), tc.want)
		}
	}
}

// Many goroutines may wake a connection while others read, write and end it.
func TestWakesFromEverywhere(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		var wakers sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			wakers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						p.c.WakeReader()
						if p.tls != foreign {
							p.c.WakeWriter()
						}
						_, _ = p.c.Outstanding(), p.c.WindowStep()
						time.Sleep(20 * time.Microsecond) // leaves a moment in which another goroutine can run
					}
				}
			})
		}
		const words = 50
		var ends sync.WaitGroup
		ends.Go(func() { // the peer sends back what it gets
			buf := make([]byte, 512)
			for {
				n, err := p.far.Read(buf)
				if err != nil {
					return
				}
				_, _ = p.far.Write(buf[:n])
			}
		})
		ends.Go(func() {
			for range words {
				for b := (Batch{A: []byte("wo"), B: []byte("rd")}); !b.Empty() || p.c.Unsent(); {
					if _, err := p.c.Send(&b, false); err != nil && (!TimedOut(err) || !p.c.WriterWoken()) {
						t.Error("Send: ", err)
						return
					}
				}
			}
		})
		got := make([]byte, 0, 4*words)
		for len(got) < cap(got) {
			n, err := p.c.Read(got[len(got):cap(got)])
			got = got[:len(got)+n]
			if err != nil && (!TimedOut(err) || !p.c.ReaderWoken()) {
				t.Error("Read: ", err)
				break
			}
		}
		for i := 0; i+4 <= len(got); i += 4 {
			if string(got[i:i+4]) != "word" {
				t.Fatalf("at %d: %q", i, got[i:i+4])
			}
		}
		_ = p.wire.Close()
		ends.Wait()
		p.c.Detach() // with wakes at the same time
		p.c.Close()
		close(stop)
		wakers.Wait()
	})
}

// deaf is a connection whose deadlines do nothing. Its type cannot be compared.
type deaf struct {
	net.Conn
	_ []byte
}

func (deaf) SetReadDeadline(time.Time) error { return net.ErrClosed }

// It is known before a wait whether a wake reaches the reader, and a wake is not lost.
func TestWakes(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		if !p.c.Wakes() {
			t.Error("Wakes is false")
		}
		p.c.WakeReader()
		if _, err := p.c.Read(make([]byte, 8)); !p.c.Wakes() || !TimedOut(err) {
			t.Errorf("the wait after a wake: %v", err)
		}
		if _, err := p.c.Read(make([]byte, 8)); !TimedOut(err) || !p.c.ReaderWoken() {
			t.Errorf("the next read does not know of the wake: %v", err)
		}
		p.tell(t, "on we go")
		p.read(t, "on we go")
	})
	near, far := net.Pipe()
	defer far.Close()
	var c Conn
	c.Init(deaf{Conn: near}, true)
	if c.Wakes() {
		t.Error("Wakes is true for a connection without deadlines")
	}
	c.Reset()
	c.Close()
	if !c.Wakes() {
		t.Error("Wakes is false for a closed connection")
	}
}
