package transport

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/sys"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// onPeers runs test on the variants of TLS that fit, with a peer whose records are written by hand.
func onPeers(t *testing.T, fits func(variant) bool, test func(t *testing.T, c *Conn, p *wiretest.TLSPeer)) {
	for _, v := range variants {
		if isLayer(v) && (fits == nil || fits(v)) {
			t.Run(v.name, func(t *testing.T) {
				if v.raw && !sys.Available {
					t.Skip("no raw sockets on this system")
				}
				c, p := newTLSPeer(t, v)
				test(t, c, p)
			})
		}
	}
}

// arrive passes received bytes to c, as a serve loop does.
func arrive(c *Conn, b []byte) {
	for len(b) > 0 {
		n := copy(c.Ciphertext(), b)
		c.Arrived(nil, n)
		b = b[n:]
	}
}

// wantDecrypted expects Decrypt to give s and then to have nothing.
func wantDecrypted(t *testing.T, c *Conn, s string) {
	t.Helper()
	if got := decrypted(t, c); got != s {
		t.Fatalf("decrypted %q, want %q", got, s)
	}
}

func decrypted(t *testing.T, c *Conn) string {
	t.Helper()
	var all []byte
	for {
		p := make([]byte, 64)
		n, err := c.Decrypt(p)
		all = append(all, p[:n]...)
		if WouldBlock(err) {
			return string(all)
		}
		if err != nil {
			t.Fatalf("Decrypt: %v after %q", err, all)
		}
	}
}

// Decrypt never waits, and what it makes of parts is the whole.
func TestDecryptByteByByte(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		wantDecrypted(t, c, "")
		for _, s := range []string{"one", "and two"} {
			record := p.Record(wiretest.DataRecord, s)
			for i := range record {
				wantDecrypted(t, c, "")
				arrive(c, record[i:i+1])
				if !c.Buffered() {
					t.Fatal("a byte has arrived, and Buffered is false")
				}
			}
			wantDecrypted(t, c, s)
			if c.Buffered() {
				t.Error("Buffered is true, but nothing is left")
			}
		}
		arrive(c, bytes.Join([][]byte{p.Record(wiretest.DataRecord, "three, "), p.Record(wiretest.DataRecord, "four, "), p.Record(wiretest.DataRecord, "five")}, nil))
		wantDecrypted(t, c, "three, four, five")
		arrive(c, p.Record(wiretest.AlertRecord, "\x01\x00"))
		if n, err := c.Decrypt(make([]byte, 8)); n != 0 || err != io.EOF {
			t.Errorf("at the closing alert: %d, %v", n, err)
		}
	})
}

// The error of a read that needs more bytes is a temporary timeout, so that crypto/tls does not keep it.
func TestWouldBlock(t *testing.T) {
	if !WouldBlock(wouldBlock{}) || WouldBlock(nil) || WouldBlock(io.EOF) {
		t.Error("WouldBlock does not know its own")
	}
	var ne interface {
		Timeout() bool
		Temporary() bool
	}
	if err := error(wouldBlock{}); !errors.As(err, &ne) || !ne.Timeout() || !ne.Temporary() || err.Error() == "" {
		t.Error("crypto/tls would make the error permanent")
	}
}

// Data that has arrived, and data that the tls.Conn has read ahead, comes before the data that Read waits for.
func TestDecryptThenRead(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		one, two, three := p.Record(wiretest.DataRecord, "first"), p.Record(wiretest.DataRecord, "second"), p.Record(wiretest.DataRecord, "third")
		arrive(c, append(one, two[:10]...))
		b := make([]byte, 3)
		if n, err := c.Decrypt(b); string(b[:n]) != "fir" || err != nil {
			t.Fatalf("%q, %v", b[:n], err)
		}
		p.Write(two[10:], three)
		var got []byte
		c.Received(0)
		wire := 0
		for len(got) < len("stsecondthird") {
			b := make([]byte, 64)
			n, err := c.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b[:n]...)
			wire += c.Received(n)
		}
		if string(got) != "stsecondthird" {
			t.Errorf("read %q", got)
		}
		if want := len(two) - 10 + len(three); wire != want {
			t.Errorf("Received returned %d, %d bytes were received", wire, want)
		}
		// And Decrypt again: a receiver may use both in turn.
		arrive(c, p.Record(wiretest.DataRecord, "fourth"))
		wantDecrypted(t, c, "fourth")
	})
}

// The buffer for encrypted bytes is kept only while it holds bytes or a receive is about to start.
func TestCiphertextIsLeased(t *testing.T) {
	c, p := newTLSPeer(t, variant{network: "pipe", tls: server})
	if b := c.CiphertextHeld(); b != nil {
		t.Fatalf("a buffer of %d bytes is leased without need", len(b))
	}
	if b := c.Ciphertext(); len(b) < Record {
		t.Fatalf("room for %d bytes, less than a record", len(b))
	}
	if c.CiphertextHeld() == nil {
		t.Error("the buffer is not held")
	}
	lease := c.tls.in
	c.TrimInput()
	if c.tls.in != nil {
		t.Error("an empty buffer was not given back")
	}
	wantGivenBack(t, lease)

	record := p.Record(wiretest.DataRecord, "word")
	fresh := bufpool.Get(Record)
	fresh = fresh[:cap(fresh)]
	c.Arrived(fresh, copy(fresh, record[:9]))
	if held := c.CiphertextHeld(); len(held) != len(fresh)-9 || &held[0] != &fresh[9] {
		t.Fatal("the buffer that was received into is not the one that is held")
	}
	c.TrimInput()
	c.Trim()
	if !c.Buffered() {
		t.Fatal("a buffer with something in it was given back")
	}
	copy(c.CiphertextHeld(), record[9:])
	c.Arrived(nil, len(record)-9)
	wantDecrypted(t, c, "word")
	if c.tls.in != nil {
		t.Error("a buffer that has been read was not given back")
	}
	wantGivenBack(t, fresh)

	// After what was read there is room again, from the beginning on.
	arrive(c, record[:1])
	c.tls.r = c.tls.w
	if b := c.Ciphertext(); len(b) != cap(fresh) {
		t.Errorf("room for %d of %d bytes", len(b), cap(fresh))
	}
	c.TrimInput()
	c.TrimInput()
	if c.Buffered() {
		t.Error("nothing is held, and Buffered is true")
	}
}

// wantGivenBack fails unless b is in the pool again.
func wantGivenBack(t testing.TB, b []byte) {
	t.Helper()
	if bufpool.Poisoned {
		if b = b[:cap(b)]; bytes.Count(b, b[:1]) != len(b) || b[0] == 0 {
			t.Error("a lease was not given back")
		}
		return
	}
	// The pool keeps the last one for each thread, and this goroutine may change threads.
	var taken [][]byte
	defer func() {
		for _, b := range taken {
			bufpool.Put(b)
		}
	}()
	for range 200 {
		got := bufpool.Get(cap(b))
		if &got[:1][0] == &b[:1][0] {
			bufpool.Put(got)
			return
		}
		taken = append(taken, got)
	}
	t.Error("a lease was not given back")
}

// A record that cannot be decrypted is an error, and the alert is sent next.
func TestTLSTellsWhatIsWrong(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		record := p.Record(wiretest.DataRecord, "word")
		record[10] ^= 1
		arrive(c, record)
		if n, err := c.Decrypt(make([]byte, 8)); n != 0 || err == nil || WouldBlock(err) {
			t.Errorf("Decrypt: %d, %v", n, err)
		}
		if !c.TLSWrote() || !c.Unsent() {
			t.Error("TLS is not known to have spoken")
		}
		if _, err := c.Send(&Batch{A: []byte("word")}, true); err == nil {
			t.Error("Send succeeds")
		}
		p.Want("alert 2 20") // bad_record_mac
	})
}

// Close returns the buffers for input and output to the pool.
func TestCloseGivesBack(t *testing.T) {
	c, p := newTLSPeer(t, variant{network: "pipe", tls: server})
	l := c.tls
	arrive(c, p.UpdateKeys(true))
	wantDecrypted(t, c, "")
	c.WakeWriter()
	if _, err := c.Send(&Batch{}, false); !TimedOut(err) {
		t.Fatal(err)
	}
	arrive(c, append(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "half")[:10]...))
	wantDecrypted(t, c, "")
	arrive(c, make([]byte, 10))
	in, leaving, out := l.in, l.sending, l.out
	if in == nil || leaving == nil || out == nil {
		t.Fatalf("not everything is leased: %v %v %v", in != nil, leaving != nil, out != nil)
	}
	c.Close()
	c.DropInput()
	c.DropOutput()
	if l.in != nil || l.sending != nil || l.out != nil {
		t.Error("something is held")
	}
	for _, b := range [][]byte{in, leaving, out} {
		wantGivenBack(t, b)
	}
}

// A buffer returns to the pool when it has been sent.
func TestSendGivesBack(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		l := p.c.tls
		p.c.WakeWriter()
		b := Batch{A: []byte("word")}
		if _, err := p.c.Send(&b, false); !TimedOut(err) || !p.c.WriterWoken() {
			t.Fatal(err)
		}
		lease := l.sending
		if lease == nil {
			t.Fatal("nothing is leased")
		}
		p.send(t, "")
		if l.sending != nil || l.out != nil {
			t.Error("something is held")
		}
		wantGivenBack(t, lease)
		p.hear(t, "word")
	})
}
