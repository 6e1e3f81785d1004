package websocket

import (
	"iter"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

// crowd opens n pairs in a Group of their own.
func crowd(t *testing.T, n int) (clients, servers []*Conn) {
	t.Helper()
	return crowdOf(t, new(Group), n)
}

// crowdOf opens n pairs in g.
func crowdOf(t *testing.T, g *Group, n int) (clients, servers []*Conn) {
	t.Helper()
	cfg := Config{Group: g}
	for range n {
		c, s := Pipe(cfg, cfg)
		clients, servers = append(clients, c), append(servers, s)
		t.Cleanup(func() {
			c.CloseNow()
			s.CloseNow()
		})
	}
	return clients, servers
}

// hearing returns the messages that each of clients receives, until each has received the last one.
func hearing(t *testing.T, clients []*Conn, what string) (who []int) {
	t.Helper()
	for i, c := range clients {
		for {
			_, p, err := c.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			if string(p) == "end" {
				break
			}
			if string(p) != what {
				t.Fatalf("client %d is told %q", i, p)
			}
			who = append(who, i)
		}
	}
	return who
}

// Broadcasts reach rooms, subsets and groups, without the connections that are excepted.
func TestBroadcastTo(t *testing.T) {
	group := new(Group)
	clients, servers := crowdOf(t, group, 5)
	var room, other Room
	for _, s := range servers[:4] {
		room.Join(s)
		room.Join(s) // once more changes nothing
		other.Join(s)
	}
	room.Leave(servers[0])
	room.Leave(servers[4])
	m, end := Prepare(TextMessage, []byte("m")), Prepare(TextMessage, []byte("end"))
	odd := func(all iter.Seq[*Conn]) iter.Seq[*Conn] {
		return func(yield func(*Conn) bool) {
			for c := range all {
				if i := slices.Index(servers, c); i%2 == 1 && !yield(c) {
					return
				}
			}
		}
	}
	for name, tc := range map[string]struct {
		send func() int
		want []int
	}{
		"a room":         {func() int { return room.Broadcast(m) }, []int{1, 2, 3}},
		"but one":        {func() int { return room.Broadcast(m, servers[2]) }, []int{1, 3}},
		"a filter":       {func() int { return Broadcast(odd(room.All()), m) }, []int{1, 3}},
		"another room":   {func() int { return other.Broadcast(m, servers[2], servers[4]) }, []int{0, 1, 3}},
		"some":           {func() int { return Broadcast(slices.Values(servers[3:]), m) }, []int{3, 4}},
		"no room":        {func() int { return (*Room)(nil).Broadcast(m) }, nil},
		"the group":      {func() int { return Broadcast(odd(group.All()), m) }, []int{1, 3}},
		"a group but":    {func() int { return group.Broadcast(m, slices.Concat(clients, servers[1:])...) }, []int{0}},
		"one that isn't": {func() int { return room.Broadcast(m, servers[4]) }, []int{1, 2, 3}},
	} {
		if n := tc.send(); n != len(tc.want) {
			t.Errorf("%s: sent to %d", name, n)
		}
		Broadcast(slices.Values(servers), end)
		if got := hearing(t, clients, "m"); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v are told", name, got)
		}
	}
	if room.Len() != 3 || !room.Has(servers[1]) || room.Has(servers[0]) || (*Room)(nil).Has(servers[0]) || (*Room)(nil).Len() != 0 {
		t.Errorf("%d members", room.Len())
	}
}

// A connection leaves its rooms before OnClose, and cannot join one when it is over.
func TestRoomsAreLeft(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		var room, other Room
		cfg := Config{}
		atClose := make(chan int, 1)
		if f.callbacks {
			cfg.OnMessage = func(*Conn, MessageType, []byte) {}
			cfg.OnClose = func(c *Conn, _ error) { atClose <- room.Len() + other.Len() }
		}
		r := f.open(t, cfg)
		if !room.Join(r.c) || !other.Join(r.c) {
			t.Fatal("Join: got false for an open connection")
		}
		r.c.CloseNow()
		if f.callbacks {
			if n := <-atClose; n != 0 {
				t.Errorf("OnClose: %d members", n)
			}
		}
		within(t, "the end", r.c.Done())
		if n := room.Broadcast(Prepare(TextMessage, nil)); n != 0 || room.Join(r.c) || room.Len() != 0 || len(room.snapshot()) != 0 {
			t.Errorf("afterwards: told %d, %d members", n, room.Len())
		}
	})
}

// Members may come, go and end while a room is ranged over.
func TestRoomWhileItChanges(t *testing.T) {
	_, servers := crowd(t, 8)
	var rooms Rooms[int]
	var room Room
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			for range 200 {
				room.Join(s)
				rooms.Join(i%2, s)
				rooms.Leave(i%2, s)
				room.Leave(s)
			}
			room.Join(s)
			rooms.Join(i%2, s)
			if i < 4 {
				s.CloseNow()
			}
		})
	}
	all.Go(func() {
		for range 200 {
			for c := range room.All() {
				c.Value()
			}
			for _, r := range rooms.All() {
				r.Len()
			}
		}
	})
	all.Wait()
	for _, s := range servers[:4] {
		within(t, "the end", s.Done())
	}
	for _, s := range servers[4:] {
		if !room.Has(s) {
			t.Error("a member is missing")
		}
		room.Leave(s)
		rooms.Leave(0, s)
		rooms.Leave(1, s)
	}
	if room.Len() != 0 || rooms.Len() != 0 || rooms.Get(0) != nil {
		t.Errorf("%d members, %d rooms are left", room.Len(), rooms.Len())
	}
}

// Rooms has a Room while it has members, and forgets it with the last.
func TestRooms(t *testing.T) {
	_, servers := crowd(t, 2)
	var rooms Rooms[string]
	if rooms.Get("tea").Broadcast(Prepare(TextMessage, nil)) != 0 || rooms.Len() != 0 {
		t.Error("a room without members has members")
	}
	rooms.Leave("tea", servers[0])
	for _, s := range servers {
		rooms.Join("tea", s)
	}
	rooms.Join("milk", servers[0])
	if rooms.Len() != 2 || rooms.Get("tea").Len() != 2 {
		t.Errorf("%d rooms", rooms.Len())
	}
	rooms.Leave("tea", servers[0])
	rooms.Leave("tea", servers[0])
	rooms.Leave("milk", servers[0])
	for key, room := range rooms.All() {
		if key != "tea" || room.Len() != 1 {
			t.Errorf("%q has %d members", key, room.Len())
		}
	}
	servers[1].CloseNow()
	within(t, "the end", servers[1].Done())
	if rooms.Join("late", servers[1]) || rooms.Len() != 0 {
		t.Errorf("%d rooms are left", rooms.Len())
	}
}

// A broadcast to a room allocates little, however many members there are, and a Conn stays within its size class.
func TestRoomBroadcastAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	var room Room
	for range 10 {
		room.Join(openEndless(t, 0, text("Hello")))
	}
	room.snapshot()
	if n := testing.AllocsPerRun(200, func() {
		for c := range room.All() {
			c.Value()
		}
	}); n > 3 {
		t.Errorf("%v allocations to range over a room", n)
	}
	if size := unsafe.Sizeof(Conn{}); size > 288 && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Errorf("a Conn has %d bytes: beyond 288 it takes 32 more", size)
	}
}
