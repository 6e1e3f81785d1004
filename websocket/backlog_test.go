package websocket

import (
	"context"
	"net"
	"runtime"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// deaf returns a connection whose peer takes nothing.
func deaf(t *testing.T, cfg Config) *Conn {
	t.Helper()
	near, far := net.Pipe()
	c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		far.Close()
		c.CloseNow()
		within(t, "the end", c.Done())
	})
	return c
}

// waiting returns how many messages wait in c's backlog, and their bytes.
func waiting(c *Conn) (messages int, bytes int64) {
	c.send.mu.Lock()
	defer c.send.mu.Unlock()
	return c.send.line.Waiting()
}

// A backlog is bounded by its messages and its bytes, and one message always has room.
func TestBacklogBytes(t *testing.T) {
	for _, tc := range []struct {
		cfg      Config
		size     int
		messages int
	}{
		{Config{}, 1000, 64},
		{Config{}, 64 << 10, 15},
		{Config{}, 512<<10 - 10, 2},
		{Config{}, 512 << 10, 1},
		{Config{}, 3 << 20, 1},
		{Config{BacklogBytes: 10_000}, 1000, 9},
		{Config{BacklogBytes: 10_000}, 20_000, 1},
		{Config{BacklogBytes: -1}, 1 << 20, 64},
		{Config{BacklogBytes: -1, Backlog: 3}, 1 << 20, 3},
		{Config{BacklogBytes: 10_000, Backlog: -1}, 50, 192},
	} {
		tc.cfg.Slow, tc.cfg.Group = DropOldest, &Group{BacklogMemory: 1 << 30}
		for _, prepared := range []bool{false, true} {
			c := deaf(t, tc.cfg)
			p := make([]byte, tc.size)
			for sent := 0; c.Dropped() == 0 && sent < 3000; sent++ {
				var err error
				if prepared {
					err = c.SendPrepared(Prepare(BinaryMessage, p))
				} else {
					err = c.Send(BinaryMessage, p)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if n, _ := waiting(c); n != tc.messages {
				t.Errorf("%d bytes, prepared %v, within %d and %d: %d messages wait, want %d",
					tc.size, prepared, tc.cfg.Backlog, tc.cfg.BacklogBytes, n, tc.messages)
			}
		}
	}
}

// A message that replaces another one takes over its room.
func TestBacklogOfKeys(t *testing.T) {
	g := new(Group)
	c := deaf(t, Config{Group: g, Slow: LatestPerKey, Backlog: 2, BacklogBytes: 10_000})
	send := func(key string, size int) {
		t.Helper()
		if err := c.SendKey(key, BinaryMessage, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n == 0; n, _ = waiting(c) {
		send("a", 7000)
	}
	for range 20 {
		send("a", 6000)
	}
	send("a", 4000)
	send("b", 5000)
	messages, bytes := waiting(c)
	if want := int64(4000 + 5000 + 2*4); messages != 2 || bytes != want || g.Stats().BacklogMemory != want {
		t.Errorf("%d messages wait, %d bytes, and %d in the group", messages, bytes, g.Stats().BacklogMemory)
	}
	if n := c.Dropped(); n != 21 {
		t.Errorf("%d were dropped, want 21", n)
	}
}

// A message too large for the place of the one with its key drops older messages and waits behind the others.
func TestBacklogOfLargerKeys(t *testing.T) {
	g := new(Group)
	c := deaf(t, Config{Group: g, Slow: LatestPerKey, Backlog: 4, BacklogBytes: 10_000})
	send := func(key string, size int) {
		t.Helper()
		if err := c.SendKey(key, BinaryMessage, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(dropped int64, sizes ...int) {
		t.Helper()
		sum := int64(0)
		for _, size := range sizes {
			sum += int64(size + 4)
		}
		messages, bytes := waiting(c)
		if messages != len(sizes) || bytes != sum || c.Dropped() != dropped {
			t.Errorf("%d messages of %d bytes wait, want %v; %d were dropped, want %d", messages, bytes, sizes, c.Dropped(), dropped)
		}
		if got := g.Stats().BacklogMemory; got != sum {
			t.Errorf("%d bytes are counted in the group, want %d", got, sum)
		}
	}
	for n := 0; n == 0; n, _ = waiting(c) {
		send("a", 2000)
	}
	send("b", 2001)
	send("c", 2002)
	send("b", 3000)
	want(1, 2000, 3000, 2002)
	send("b", 9000)
	want(4, 9000)
	send("b", 30_000)
	want(5, 30_000)
	send("a", 2000)
	want(6, 2000)
}

// Dropped counts the messages that wait when the connection ends, and SendFunc reports all that were not sent.
func TestDroppedWithTheConnection(t *testing.T) {
	c := deaf(t, Config{})
	fates := make(chan error, 1000)
	sent, waits := 0, 0
	for ; waits < 3; waits, _ = waiting(c) {
		c.SendFunc(BinaryMessage, make([]byte, 10_000), func(err error) { fates <- err })
		sent++
	}
	if sent <= waits {
		t.Fatalf("%d messages wait of %d", waits, sent)
	}
	c.CloseNow()
	within(t, "the end", c.Done())
	if n := c.Dropped(); n != int64(waits) {
		t.Errorf("%d messages were dropped, want %d", n, waits)
	}
	for range sent {
		if err := <-fates; err == nil {
			t.Error("a message was sent to a peer that reads nothing")
		}
	}
}

// The memory of a group has the documented bounds unless its fields set others.
func TestGroupMemoryBounds(t *testing.T) {
	room := func(b *budget.Budget) (n int64) {
		for n = 1 << 20; b.Room(n) && n < 1<<40; n *= 2 {
		}
		return n / 2
	}
	for _, tc := range []struct {
		group             *Group
		backlog, takeover int64
	}{
		{new(Group), 64 << 20, 256 << 20},
		{&Group{BacklogMemory: 1 << 20, TakeoverMemory: 2 << 20}, 1 << 20, 2 << 20},
		{&Group{BacklogMemory: -1, TakeoverMemory: -1}, 1 << 39, 1 << 39},
	} {
		backlog, takeover := tc.group.budgets()
		if b, c := room(backlog), room(takeover); b != tc.backlog || c != tc.takeover {
			t.Errorf("room for %d and %d bytes, want %d and %d", b, c, tc.backlog, tc.takeover)
		}
	}
}

// All backlogs of a group together are bounded, and a prepared message counts once.
func TestBacklogMemory(t *testing.T) {
	const size = 64 << 10
	g := &Group{BacklogMemory: 1 << 20}
	var all []*Conn
	for range 50 {
		all = append(all, deaf(t, Config{Group: g, Slow: DropOldest}))
	}
	for range 20 {
		g.Broadcast(Prepare(BinaryMessage, make([]byte, size)))
	}
	for _, c := range all {
		if n, _ := waiting(c); n != 15 { // of BacklogBytes
			t.Fatalf("%d messages wait", n)
		}
	}
	if n := g.Stats().BacklogMemory; n < 15*size || n > 17*size {
		t.Errorf("%d bytes for 15 prepared messages", n)
	}
	for range 20 {
		for _, c := range all {
			if err := c.Send(BinaryMessage, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := g.Stats().BacklogMemory; n > 1<<20+50*(size+16) {
		t.Errorf("got %d bytes", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.Shutdown(ctx)
	for _, c := range all {
		within(t, "the end", c.Done())
	}
	if n := g.Stats().BacklogMemory; n != 0 {
		t.Errorf("%d bytes are counted of what is gone", n)
	}
}

// Many peers that read nothing hold no more than the group's backlogs and what their connections have taken.
func TestManyDeaf(t *testing.T) {
	if bufpool.Poisoned || testing.Short() {
		t.Skip("measures memory")
	}
	const count, size = 200, 64 << 10
	g := &Group{BacklogMemory: 8 << 20}
	before := heap()
	var all []*Conn
	for range count {
		all = append(all, deaf(t, Config{Group: g, Slow: DropOldest}))
	}
	p := make([]byte, size)
	for range 70 {
		for _, c := range all {
			if err := c.Send(BinaryMessage, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	// One is under way, one behind it, and one waits in any case.
	if held := heap() - before; held > 8<<20+count*3*(size+20<<10) {
		t.Errorf("%d deaf peers hold %d KiB each", count, held/count>>10)
	}
	runtime.KeepAlive(all)
}

func heap() int {
	var m runtime.MemStats
	for range 3 { // what was leased and given back goes with the second
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// When memory is short, a message may use the room of the message that it replaces.
func TestBacklogOfKeysWithoutMemory(t *testing.T) {
	g := new(Group)
	c := deaf(t, Config{Group: g, Slow: LatestPerKey, Backlog: 10, BacklogBytes: 10_000})
	for n := 0; n == 0; n, _ = waiting(c) {
		if err := c.SendKey("first", BinaryMessage, make([]byte, 3000)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"key", "last"} {
		if err := c.SendKey(key, BinaryMessage, make([]byte, 3000)); err != nil {
			t.Fatal(err)
		}
	}
	g.backlog.SetLimit(0)
	if err := c.SendKey("key", BinaryMessage, make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	if messages, bytes := waiting(c); messages != 2 || bytes != 3004+5004 || c.Dropped() != 2 {
		t.Errorf("%d messages of %d bytes wait, %d were dropped; want two, 8008 and two", messages, bytes, c.Dropped())
	}
}
