package transport

import (
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TrySend sends what there is room for and leaves the rest, if the connection can be asked for room. Otherwise it sends
// nothing.
func TestTrySend(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		b := Batch{A: []byte("A "), B: []byte("B "), More: [][]byte{[]byte("More "), []byte("and more")}}
		n, err := p.c.TrySend(&b, NoDescriptor, false)
		if err != nil {
			t.Fatal(err)
		}
		if !p.raw {
			if n != 0 || b.Size() != 17 {
				t.Fatalf("%d bytes sent, %d left, on a connection that cannot be asked for room", n, b.Size())
			}
			if n, err = p.c.Send(&b, false); err != nil {
				t.Fatal(err)
			}
		}
		if !b.Empty() || p.c.Unsent() {
			t.Errorf("%d bytes left, unsent %v", b.Size(), p.c.Unsent())
		}
		p.hear(t, "A B More and more")
		if p.tls == without && n != 17 || isLayer(p.variant) && n != p.wire.count()-p.sent {
			t.Errorf("%d bytes sent, %d received", n, p.wire.count()-p.sent)
		}
	})
}

// An empty batch is sent at once.
func TestNothingToSend(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		for _, b := range []Batch{{}, {More: [][]byte{nil, {}}}} {
			if n, err := p.c.TrySend(&b, NoDescriptor, false); n != 0 || err != nil {
				t.Errorf("TrySend: %d, %v", n, err)
			}
			if n, err := p.c.Send(&b, false); n != 0 || err != nil {
				t.Errorf("Send: %d, %v", n, err)
			}
		}
		p.send(t, "x")
		p.hear(t, "x")
	})
}

// TrySend to a full socket does not wait and loses nothing, and Send goes on where TrySend stopped.
func TestTrySendToAFullSocket(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, p *pair) {
		k := p.tooMuch() / 2
		all := pattern(3 * k)
		b := Batch{A: all[:k], B: all[k : k+100], More: [][]byte{all[k+100 : 2*k], all[2*k:]}}
		n, err := p.c.TrySend(&b, NoDescriptor, false)
		if n == 0 || err != nil || b.Empty() {
			t.Fatalf("TrySend: %d, %v, %d left", n, err, b.Size())
		}
		if p.tls == without && n+b.Size() != len(all) {
			t.Fatalf("%d sent, %d left, of %d", n, b.Size(), len(all))
		}
		if p.tls != without {
			if !p.c.Unsent() {
				t.Error("nothing encrypted waits")
			}
		}
		size := b.Size()
		if k, err := p.c.TrySend(&b, NoDescriptor, false); err != nil {
			t.Errorf("TrySend again: %d, %v", k, err)
		} else {
			n += k
		}
		if took := size - b.Size(); p.network == "unix" && p.tls == without && took != 0 {
			t.Errorf("a full socket took %d bytes", took)
		}
		if p.tls != without { // encrypted bytes wait for the socket, so there is a bound
			for range 3 {
				if k, err = p.c.TrySend(&b, NoDescriptor, false); err != nil {
					t.Error(err)
				}
				n += k
			}
			if held := len(p.c.tls.sending) + p.c.tls.encryptedSize(); held > 2*(maxEncrypted+Record+1<<10) {
				t.Errorf("%d bytes were encrypted for a socket that does not take them", held)
			}
		}
		got := p.drain()
		k, err = p.c.Send(&b, true)
		if n += k; err != nil || !b.Empty() || p.c.Unsent() {
			t.Fatalf("Send: %v, %d left", err, b.Size())
		}
		p.c.CloseWrite()
		same(t, within(t, "the peer", got), all)
		if wire := p.wire.count() - p.sent; wire != n {
			t.Errorf("Send counted %d bytes, %d were received", n, wire)
		}
	})
}

// A peer that reads irregularly gets every byte once and in order, if random batches are sent by TrySend and Send in turns
// while the writer is woken. Brittle connections are not woken.
func TestBytesKeepTheirOrder(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		keepOrder(t, p, uint64(len(p.name)))
	})
}

func keepOrder(t *testing.T, p *pair, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	stream := pattern(3 * p.tooMuch() / 2)
	if p.split != nil {
		stream = stream[:min(len(stream), 64<<10)]
	}
	got := make(chan []byte, 1)
	go func() { got <- readAtWhim(p, rand.New(rand.NewPCG(seed, 8)), len(stream)) }()
	var waker sync.WaitGroup
	stop := make(chan struct{})
	if isLasting(p.variant) {
		waker.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 9))
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rng.IntN(300)) * time.Microsecond):
					p.c.WakeWriter()
				}
			}
		})
	}
	total := 0
	for at := 0; at < len(stream); {
		most := []int{30, 3000, 100_000, 2 * separateFrom}[rng.IntN(4)]
		from := at
		b := randomBatch(rng, stream, &at, rng.IntN(5), most)
		if b.Size() != at-from {
			t.Fatalf("seed %d: Size is %d, want %d", seed, b.Size(), at-from)
		}
		for rounds := 0; !b.Empty() || p.c.Unsent(); rounds++ {
			var n int
			var err error
			if rng.IntN(2) == 0 {
				n, err = p.c.TrySend(&b, NoDescriptor, false)
				if err != nil {
					t.Fatalf("seed %d: TrySend: %v", seed, err)
				}
			} else {
				n, err = p.c.Send(&b, false)
				if err != nil && (!TimedOut(err) || !p.c.WriterWoken()) {
					t.Fatalf("seed %d: Send: %v", seed, err)
				}
				if err == nil && (!b.Empty() || p.c.Unsent()) {
					t.Fatalf("seed %d: Send has left %d bytes without an error", seed, b.Size())
				}
			}
			total += n
		}
	}
	close(stop)
	waker.Wait()
	same(t, within(t, "the peer", got), stream)
	if wire := p.wire.count() - p.sent; p.tls != foreign && total != wire {
		t.Errorf("seed %d: Send counted %d bytes, %d were received", seed, total, wire)
	}
}

// readAtWhim reads size bytes, sometimes a few and sometimes many at a time.
func readAtWhim(p *pair, rng *rand.Rand, size int) []byte {
	_ = p.far.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, 0, size)
	for len(got) < size {
		most := min(size-len(got), 1+rng.IntN([]int{1000, 20_000, 100_000}[rng.IntN(3)]))
		n, err := p.far.Read(got[len(got) : len(got)+most])
		got = got[:len(got)+n]
		if err != nil {
			break
		}
	}
	return got
}

// Send to a peer that has gone returns an error, and what is left stays in the batch.
func TestSendAfterTheEnd(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		reset(p.wire)
		b := Batch{A: pattern(p.tooMuch()), B: []byte("rest")}
		_, err := p.c.Send(&b, false)
		if err == nil || TimedOut(err) {
			t.Fatalf("Send to a peer that has gone: %v", err)
		}
		if p.tls == without && b.Empty() {
			t.Error("everything was taken")
		}
		if _, err := p.c.Send(&b, false); err == nil && !b.Empty() {
			t.Error("Send has left something without an error")
		}
		if p.raw {
			b = Batch{A: []byte("again")}
			if _, err := p.c.TrySend(&b, NoDescriptor, false); err == nil {
				t.Error("TrySend to a peer that has gone succeeds")
			}
		}
		if _, err := p.c.Read(make([]byte, 8)); err == nil {
			t.Error("Read from a peer that has gone succeeds")
		}
	})
}

// reset makes the peer end the connection abruptly, where it can.
func reset(wire *countedConn) {
	if l, ok := wire.Conn.(interface{ SetLinger(int) error }); ok {
		_ = l.SetLinger(0)
	}
	_ = wire.Close()
}

// Reading and sending do not disturb each other.
func TestWholeStreamBothWays(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		all := pattern(p.tooMuch() / 4)
		got := make(chan []byte, 1)
		go func() {
			b := make([]byte, len(all))
			n, _ := io.ReadFull(p.far, b)
			got <- b[:n]
		}()
		wrote := make(chan error, 1)
		go func() {
			_, err := p.far.Write(all)
			wrote <- err
		}()
		sent := make(chan error, 1)
		go func() {
			b := Batch{A: all}
			_, err := p.c.Send(&b, false)
			sent <- err
		}()
		back := make([]byte, len(all))
		if _, err := io.ReadFull(reader{p.c}, back); err != nil {
			t.Error("Read: ", err)
		}
		same(t, back, all)
		if err := within(t, "Send", sent); err != nil {
			t.Error("Send: ", err)
		}
		if err := within(t, "the peer's write", wrote); err != nil {
			t.Error(err)
		}
		same(t, within(t, "the peer", got), all)
	})
}
