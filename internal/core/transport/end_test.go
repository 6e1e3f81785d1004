package transport

import (
	"io"
	"net"
	"testing"
	"time"
)

// With last the peer reads the bytes and then, over TLS, the end, before the connection is closed.
func TestLastBytesAndAlert(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		b := Batch{A: []byte("last "), B: []byte("words")}
		n, err := p.c.TrySend(&b, NoDescriptor, true)
		if err != nil {
			t.Fatal("TrySend: ", err)
		}
		if left := !b.Empty() || p.c.Unsent(); left == p.raw {
			t.Errorf("left by TrySend: %v", left)
		}
		m, err := p.c.Send(&b, true) // once more: the alert is sent once
		if err != nil {
			t.Fatal("Send: ", err)
		}
		p.hear(t, "last words")
		if p.c.tls == nil {
			p.c.CloseWrite()
		}
		p.hearEnd(t)
		if wire := p.wire.count() - p.sent; wire != n+m {
			t.Errorf("Send counted %d bytes, %d were received", n+m, wire)
		}
	})
}

// The alert and the last bytes leave in one write.
func TestAlertLeavesWithTheLastBytes(t *testing.T) {
	near, wire := connect(t, variant{network: "pipe"})
	m := &meddler{Conn: near}
	c := new(Conn)
	c.Init(m, true)
	c.Secure(tlsServer, serverConfig())
	far := shakeHands(t, c.Handshake, tlsClient(wire, clientConfig()))
	defer func() {
		_ = wire.Close()
		c.Close()
	}()
	writes := 0
	m.before = func() { writes++ }
	b := Batch{A: []byte("last "), B: []byte("words")}
	if _, err := c.Send(&b, true); err != nil {
		t.Fatal(err)
	}
	if writes != 1 {
		t.Errorf("it took %d writes", writes)
	}
	if got, err := io.ReadAll(far); string(got) != "last words" || err != nil {
		t.Errorf("the peer read %q, %v", got, err)
	}
	if _, err := c.Send(&Batch{A: []byte("more")}, true); err == nil {
		t.Error("bytes were sent after the closing alert")
	}
}

// The alert follows all bytes, also if the connection was full and the writer was woken.
func TestAlertAfterTooMuch(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		all := pattern(p.tooMuch())
		b := Batch{A: all}
		if _, err := p.c.TrySend(&b, NoDescriptor, true); err != nil {
			t.Fatal(err)
		}
		p.c.WakeWriter()
		if _, err := p.c.Send(&b, true); !TimedOut(err) || !p.c.WriterWoken() {
			t.Fatalf("Send of a woken writer: %v", err)
		}
		got := p.drain()
		if _, err := p.c.Send(&b, true); err != nil {
			t.Fatal(err)
		}
		same(t, within(t, "the peer", got), all)
	})
}

// After CloseWrite the peer reads the end, and the other half can still be read.
func TestCloseWrite(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		p.send(t, "word")
		if !p.c.Halves() {
			t.Error("the halves cannot be closed")
		}
		if !p.c.CloseWrite() {
			t.Fatal("CloseWrite has failed")
		}
		p.hear(t, "word")
		p.hearEnd(t)
		p.tell(t, "the other half is open")
		p.read(t, "the other half is open")
		p.c.nc.Close()
		if p.c.CloseWrite() {
			t.Error("CloseWrite of a closed connection has succeeded")
		}
	})
}

// whole is a net.Conn whose halves cannot be closed singly.
type whole struct{ net.Conn }

// On a connection without halves CloseWrite fails, and Close closes it.
func TestNoHalves(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	c := new(Conn)
	c.Init(whole{near}, true)
	if c.Halves() || c.CloseWrite() {
		t.Error("CloseWrite succeeded without halves")
	}
	c.Reset() // has no effect
	c.Close()
	if n, err := far.Read(make([]byte, 8)); n != 0 || err != io.EOF {
		t.Errorf("the peer read %d, %v", n, err)
	}
}

// Drop reads the given number of bytes, at most a buffer more, and says whether more may come.
func TestDropBound(t *testing.T) {
	near, far := connect(t, variant{network: "pipe"})
	defer far.Close()
	c := new(Conn)
	c.Init(near, true)
	defer c.Close()
	const said, most = 8000, 100
	_, _ = far.Write(make([]byte, said))
	if !c.Drop(patience, most) {
		t.Error("Drop says that nothing more comes")
	}
	left := near.(interface{ Unread() int }).Unread()
	if dropped := said - left; dropped < most || dropped > 4<<10 {
		t.Errorf("%d bytes were dropped, the bound is %d", dropped, most)
	}
	if !c.Drop(patience, left) {
		t.Error("Drop of exactly what there is says that nothing more comes")
	}
}

// Drop ends at the end of the stream.
func TestDropUntilTheEnd(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		p.tell(t, "nobody reads this")
		_ = p.far.Close()
		if p.c.Drop(patience, 0) {
			t.Error("Drop says that more may come behind the end")
		}
	})
}

// A wake does not end Drop early, and Drop lasts no longer than its patience, even if the peer sends nothing.
func TestDropIsBoundedInTime(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		began := time.Now()
		const d = 2 * time.Millisecond
		p.c.Drop(d, 0)
		if took := time.Since(began); took < d {
			t.Errorf("Drop has given up after %v, before its time", took)
		}
		p.c.Drop(d, 1)
	})
}

// A wake does not end Drop.
func TestDropIsNotDisturbed(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		done := make(chan bool, 1)
		go func() { done <- p.c.Drop(patience, 4) }()
		awaitBlocked(t, "transport.(*Conn).Drop")
		p.c.WakeReader()
		p.tell(t, "four")
		if !within(t, "Drop", done) {
			t.Error("a wake has ended Drop")
		}
	})
}

// After Reset, Close makes the peer see a reset.
func TestReset(t *testing.T) {
	onSome(t, func(k variant) bool { return isLasting(k) && k.network != "unix" }, func(t *testing.T, p *pair) {
		p.send(t, "word")
		p.hear(t, "word")
		p.c.Reset()
		p.c.Close()
		if _, err := p.wire.Read(make([]byte, 8)); !isReset(err) {
			t.Errorf("the peer read %v, want a reset", err)
		}
	})
}

// Disconnect wakes every goroutine that waits at once, and the peer sees the end. A socket's descriptor stays open until
// Close.
func TestDisconnect(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		read := make(chan error, 1)
		go func() {
			_, err := p.c.Read(make([]byte, 8))
			read <- err
		}()
		sent := make(chan error, 1)
		go func() {
			_, err := p.c.Send(&Batch{A: pattern(p.tooMuch())}, false)
			sent <- err
		}()
		awaitBlocked(t, "transport.(*Conn).Read")
		awaitBlocked(t, "transport.(*Conn).Send")
		p.c.Disconnect()
		if err := within(t, "the reader", read); err == nil || TimedOut(err) {
			t.Errorf("the reader got %v", err)
		}
		if err := within(t, "the sender", sent); err == nil || TimedOut(err) {
			t.Errorf("the sender got %v", err)
		}
		if p.raw {
			if err := p.near.(interface{ SetReadBuffer(int) error }).SetReadBuffer(16 << 10); err != nil {
				t.Errorf("the descriptor is not open any more: %v", err)
			}
		}
		_ = p.wire.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, p.wire); err != nil && !isReset(err) {
			t.Errorf("the peer read %v, want a reset or the end", err)
		}
	})
}

// Disconnect resets a TCP connection on which nothing is being sent.
func TestDisconnectResets(t *testing.T) {
	onSome(t, func(k variant) bool { return k.network == "tcp" && isLasting(k) }, func(t *testing.T, p *pair) {
		if p.raw && !disconnects {
			t.Skip("this system can only shut down")
		}
		p.c.Disconnect()
		_ = p.wire.SetReadDeadline(time.Now().Add(patience))
		if _, err := p.wire.Read(make([]byte, 8)); !isReset(err) {
			t.Errorf("the peer read %v, want a reset", err)
		}
	})
}

// Close is safe while clocks and hooks still wake the connection, once reading and sending have ended.
func TestCloseWhileOthersWake(t *testing.T) {
	onSome(t, isLasting, func(t *testing.T, p *pair) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 30 {
				p.c.WakeReader()
				p.c.WakeWriter()
			}
			p.c.Disconnect()
			if p.c.tls != nil {
				p.c.tls.conn.Close()
			}
			p.c.Detach()
		}()
		p.c.Close()
		within(t, "the others", done)
	})
}
