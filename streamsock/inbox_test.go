package streamsock

import (
	"testing"
	"testing/synctest"
)

// batchOf returns a batch of n messages of a size, or of an event.
func batchOf(n, size int) *batch {
	b := new(batch)
	if n == 0 {
		b.msgs = append(b.msgs, Message{Kind: EventDisconnected})
	}
	for range n {
		m := Message{Kind: KindBinary, Data: make([]byte, size)}
		b.msgs = append(b.msgs, m)
		b.bytes += m.cost()
	}
	return b
}

// The inbox has room up to the exact byte, for one peer, for all, and for incomplete messages.
func TestInboxBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 36 // with messageOverhead 100
		in := newInbox(1000, 300)
		var first, second, third, fourth peerInbox
		// brings reports whether a batch of n messages has to wait; it is brought in any case, when there is room.
		brings := func(a *peerInbox, n int) (waits bool) {
			go func() {
				in.add(a, batchOf(n, size), func() func() { waits = true; return func() {} })
			}()
			synctest.Wait()
			return waits
		}
		takes := func(n int) {
			t.Helper()
			dst := make([]Message, n)
			if got, err := in.take(t.Context(), dst); got != n || err != nil {
				t.Errorf("took %d of %d, %v", got, n, err)
			}
			synctest.Wait()
		}
		if brings(&first, 3) || brings(&first, 0) {
			t.Error("a batch up to the peer's limit, or an event, has to wait")
		}
		if !brings(&first, 1) {
			t.Error("a batch beyond the peer's limit does not wait")
		}
		takes(3)
		if in.held != 100 {
			t.Errorf("%d bytes are held", in.held)
		}
		if brings(&second, 5) || in.held != 600 {
			t.Error("a peer without messages cannot bring one batch of any size")
		}
		if !in.setPartial(&third, 300) || brings(&third, 1) {
			t.Error("messages up to the limit of all peers, with incomplete ones, have to wait")
		}
		if !in.setPartial(&third, 300) || in.mayComplete != nil || !in.setPartial(&third, 301) || in.mayComplete != &third {
			t.Error("the first message beyond the limit may not be completed")
		}
		if in.setPartial(&fourth, 1) {
			t.Error("a second message beyond the limit may be completed")
		}
		settled := false
		go func() { in.awaitPartialRoom(&fourth); settled = true }()
		synctest.Wait()
		if settled {
			t.Error("a waiting message was taken before there was room")
		}
		if !in.setPartial(&third, 0) || in.mayComplete != nil {
			t.Error("a complete message still counts as incomplete")
		}
		if synctest.Wait(); !settled || in.partial != 1 {
			t.Errorf("settled %v, %d bytes", settled, in.partial)
		}
		if !brings(&fourth, 3) { // 700, 1 and 300
			t.Error("a byte beyond the limit does not wait")
		}
		in.startDiscarding(&fourth)
		if synctest.Wait(); in.held != 700 {
			t.Errorf("%d bytes are held", in.held)
		}
		if brings(&fourth, 3) || brings(&fourth, 0) || in.held != 700 {
			t.Error("a peer whose messages are dropped has to wait")
		}
		in.stopDiscarding(&fourth)
		if !brings(&fourth, 3) {
			t.Error("a peer whose messages are no longer dropped does not wait")
		}
		in.close()
		if synctest.Wait(); in.add(&fourth, batchOf(0, 0), nil) {
			t.Error("a closed inbox took a message")
		}
	})
}

// Recv serves the peers in turn.
func TestTurns(t *testing.T) {
	in := newInbox(1<<30, 1<<30)
	var flood, lone peerInbox
	mark := func(b *batch, p *Peer) *batch {
		for i := range b.msgs {
			b.msgs[i].Peer = p
		}
		return b
	}
	one, two := new(Peer), new(Peer)
	in.add(&flood, mark(batchOf(2*turnMessages+1, 0), one), nil)
	in.add(&lone, mark(batchOf(1, 0), two), nil)
	in.add(&flood, mark(batchOf(1, 0), one), nil)
	dst := make([]Message, 10*turnMessages)
	var got []*Peer
	for len(got) < 2*turnMessages+3 {
		n, err := in.take(t.Context(), dst[:100])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range dst[:n] {
			got = append(got, m.Peer)
		}
	}
	for i, p := range got {
		if want := map[bool]*Peer{true: two, false: one}[i == turnMessages]; p != want {
			t.Errorf("message %d is another's", i)
		}
	}
	if in.held != 0 || in.head != nil || in.tail != nil || flood.bytes != 0 || flood.last != nil || flood.queued || lone.queued {
		t.Errorf("got %+v, %+v, %+v; want an empty inbox", in.held, flood, lone)
	}
}
