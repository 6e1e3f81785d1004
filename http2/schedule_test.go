package http2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// order lets ready streams send until none is left, 10 bytes at a time of 20 each, and returns the order.
func (tk *talk) order() string {
	var who []string
	left := map[uint32]int{}
	for range 1000 {
		s := tk.c.NextSender()
		if s == nil {
			return strings.Join(who, " ")
		}
		left[s.ID()] += 10
		who = append(who, fmt.Sprint(s.ID()))
		tk.c.AppendData(nil, s, make([]byte, 10), left[s.ID()] == 20, tk.now)
	}
	return "without end"
}

// Streams are sent by urgency, and those of one urgency in order or in turns, as RFC 9218 §10 says.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		name  string
		prios []string // of streams 1, 3, 5, …
		want  string
	}{
		{"no client's word: in turns", []string{"", "", ""}, "1 3 5 1 3 5"},
		{"in order", []string{"u=3", "u=3", ""}, "1 1 3 3 5 5"},
		{"by urgency", []string{"u=7", "u=0", "u=3"}, "3 3 5 5 1 1"},
		{"incremental in turns", []string{"i", "i", "u=2"}, "5 5 1 3 1 3"},
		{"incremental beside in order", []string{"u=3", "i", "u=3", "i"}, "1 3 1 7 5 3 5 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, backwards := range []bool{false, true} {
				tk := server(t, Config{})
				var all []*Stream
				for i, p := range c.prios {
					id := uint32(2*i + 1)
					if p == "" {
						tk.send(tk.get(id))
					} else {
						tk.send(tk.get(id, "priority: "+p))
					}
					tk.next()
					all = append(all, streamOf(tk.c, id))
				}
				if backwards && !strings.Contains(c.name, "turns") && !strings.Contains(c.name, "beside") {
					slices.Reverse(all)
				}
				for _, s := range all {
					tk.c.Ready(s, tk.now)
				}
				if got := tk.order(); got != c.want {
					t.Fatalf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

// A client that knows of priorities, even if only its settings say so, gets its responses one after another (RFC 9218
// §2.1).
func TestSettingsAreAPrioritySignal(t *testing.T) {
	for value, want := range []string{"1 3 1 3", "1 1 3 3"} {
		tk := server(t, Config{})
		tk.send(settings(settingNoLegacy, uint32(value)) + tk.get(1) + tk.get(3))
		tk.want("Settings", "Headers 1 GET https example.com / END", "Headers 3 GET https example.com / END")
		for _, id := range []uint32{1, 3} {
			tk.c.Ready(streamOf(tk.c, id), tk.now)
		}
		if got := tk.order(); got != want {
			t.Errorf("SETTINGS_NO_RFC7540_PRIORITIES %d: %s, want %s", value, got, want)
		}
	}
}

// A PRIORITY_UPDATE changes the priority of an open stream and of one that comes later; for a stream that no request can
// have it is an error (RFC 9218 §7.1).
func TestPriorityUpdate(t *testing.T) {
	tk := server(t, Config{})
	update := func(id uint32, p string) string { return frame(FramePriorityUpdate, 0, 0, u32(id)+p) }
	tk.send(update(3, "u=1, i") + tk.get(1) + tk.get(3, "priority: u=6"))
	tk.want("Headers 1 GET https example.com / END", "Headers 3 GET https example.com / priority=u=6 END")
	if p := streamOf(tk.c, 3).Priority(); p != (PriorityParams{1, true}) {
		t.Fatal(p)
	}
	for _, s := range []*Stream{streamOf(tk.c, 1), streamOf(tk.c, 3)} {
		tk.c.Ready(s, tk.now)
	}
	if tk.c.NextSender().ID() != 3 {
		t.Fatal("not by urgency")
	}
	tk.send(update(1, "u=0"))
	tk.want("Priority 1")
	if tk.c.NextSender().ID() != 1 {
		t.Fatal("not by urgency")
	}
	tk.send(update(1, "u=5;x="+strings.Repeat("a", 400)) + update(77, "u=5"))
	tk.silent()
	tk.send(update(2, "u=5"))
	tk.want("error http2: PRIORITY_UPDATE for a stream that no request can have (PROTOCOL_ERROR, RFC 9218 §7.1)")

	tk.wrote(tk.c.AppendPriorityUpdate(nil, streamOf(tk.c, 1), DefaultPriority), "GOAWAY 3 PROTOCOL_ERROR")

	tk = client(t, Config{})
	idle, err := tk.c.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	tk.wrote(tk.c.AppendPriorityUpdate(nil, idle, DefaultPriority))
	tk.c.Release(idle)
	s := tk.ask(true)
	tk.wrote(tk.c.AppendPriorityUpdate(nil, s, PriorityParams{5, true}), "PRIORITY_UPDATE 1 u=5, i")
	tk.c.Reset(s, ErrCodeCancel)
	tk.wrote(tk.c.AppendPriorityUpdate(nil, s, DefaultPriority), "RST_STREAM 1 CANCEL")
	tk.send(update(1, "u=5"))
	tk.want("error http2: PRIORITY_UPDATE from a server (PROTOCOL_ERROR, RFC 9218 §7.1)")
}

// A priority is parsed as a structured field, with the defaults for what is malformed or unknown (RFC 9218 §4).
func TestParsePriority(t *testing.T) {
	for value, want := range map[string]PriorityParams{
		"": {3, false}, "u=0": {0, false}, "u=7, i": {7, true}, "i,u=2": {2, true}, "i=?0": {3, false}, "i=?1 , u=1": {1, true},
		"u=8": {3, false}, "u=-1": {3, false}, "u=1.5": {3, false}, "u=?1": {3, false}, "i=1": {3, false}, "u": {3, false},
		"u=1, u=2": {2, false}, "u=5;a=b;c, i;d": {5, true}, "x=(a \"b)\" 1;q), u=4": {4, false}, "x=\"a\\\"b\", u=4": {4, false},
		"x=:aGk=:, u=4": {4, false}, "x=tok/en, u=4": {4, false}, "  u=4  ": {4, false}, "*=1, u=4": {4, false},
		"u=4,": {3, false}, "u=4 i": {3, false}, "U=4": {3, false}, "u=": {3, false}, "u=4, x=\"a": {3, false}, "u=1234567890123456": {3, false},
		"u=4, x=(": {3, false}, "u=4, x=?2": {3, false}, "u=4;=": {3, false}, "u=4,,i": {3, false}, "u=1.2345": {3, false}, "\x00": {3, false},
		"uu=1, ii": {3, false}, "x=1.234, u=4": {4, false}, "u=4, x=(a b": {3, false}, "u=4, x=(a,b)": {3, false},
	} {
		if got := ParsePriority(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
		if got := ParsePriority([]byte(value)); got != want {
			t.Errorf("bytes of %q: %v, want %v", value, got, want)
		}
	}
	for u := range uint8(8) {
		p := PriorityParams{u, u%2 == 0}
		if got := ParsePriority(p.Append(nil)); got != p {
			t.Errorf("%v became %v", p, got)
		}
	}
}

// The queues agree with a list that is sorted again each time.
func TestScheduleAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	tk := server(t, Config{MaxStreams: 1000, Budget: 1 << 30, StallTimeout: -1})
	tk.c.core.sched.peerSignals = true
	var all []*Stream
	for i := range uint32(60) {
		tk.send(tk.get(2*i + 1))
		tk.next()
		all = append(all, streamOf(tk.c, 2*i+1))
	}
	tk.c.core.send.left = 1 << 30
	for range 20000 {
		s := all[rnd.IntN(len(all))]
		switch rnd.IntN(5) {
		case 0:
			tk.c.Ready(s, tk.now)
		case 1:
			tk.c.Unready(s)
		case 2:
			tk.c.SetPriority(s, PriorityParams{Urgency: uint8(rnd.IntN(8))})
		case 3:
			s.send.left = int32(rnd.IntN(3))
			tk.c.core.sched.requeue(s)
		case 4:
			if next := tk.c.NextSender(); next != nil {
				tk.c.AppendData(nil, next, make([]byte, 1), false, tk.now)
			}
		}
		var want *Stream
		for _, s := range all {
			if s.turn != turnNone && s.send.left > 0 && (want == nil || s.prio.Urgency < want.prio.Urgency) {
				want = s
			}
		}
		if got := tk.c.NextSender(); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// A stream that waits for its window and makes no progress is reset; one that makes enough progress is not.
func TestStall(t *testing.T) {
	tk := server(t, Config{})
	// Streams 17 and 19, which wait for nothing, come before and after the others in the table.
	tk.send(settings(settingWindow, 5) + tk.get(1) + tk.get(3) + tk.get(17) + tk.get(19))
	tk.want("Settings", "Headers 1 GET https example.com / END", "Headers 3 GET https example.com / END",
		"Headers 17 GET https example.com / END", "Headers 19 GET https example.com / END")
	tk.c.AppendPending(nil)
	if tk.c.Deadline() != 0 {
		t.Fatal("a deadline although nothing waits")
	}
	stalled, trickles := streamOf(tk.c, 1), streamOf(tk.c, 3)
	for _, s := range []*Stream{stalled, trickles} {
		tk.c.Ready(s, tk.now)
		tk.c.AppendData(nil, s, make([]byte, 10), false, tk.now)
	}
	start := tk.now
	if tk.c.Deadline() != start+60*second {
		t.Fatal(tk.c.Deadline())
	}
	tk.now += 59 * second
	if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil {
		t.Fatal(ev, err)
	}
	// 4 KiB in a minute is enough, counting the 5 bytes before.
	tk.send(windowUpdate(3, 4091))
	tk.want("Window 3")
	tk.c.AppendData(nil, trickles, make([]byte, 5000), false, tk.now)
	tk.now = tk.c.Deadline()
	ev, err := tk.c.Tick(tk.now)
	if err != nil || ev.Kind != EventReset || ev.Stream != stalled || ev.Err != errStalled {
		t.Fatal(ev, err)
	}
	tk.says("RST_STREAM 1 CANCEL")
	if b := &tk.c.core.budget; b.Left != b.Limit-costStalled {
		t.Errorf("a stream that stalled has cost %d", b.Limit-b.Left)
	}
	if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil {
		t.Fatal(ev, err)
	}
	if tk.c.Deadline() != start+119*second {
		t.Fatal(tk.c.Deadline() - start)
	}
	// A stream that has a window waits for its owner, not for the peer.
	tk.send(windowUpdate(3, 1))
	tk.want("Window 3")
	tk.now = tk.c.Deadline()
	if ev, err := tk.c.Tick(tk.now); ev.Kind != EventNone || err != nil || tk.c.Deadline() != tk.now+60*second {
		t.Fatal(ev, err, tk.c.Deadline())
	}
	// One byte in a minute is not enough.
	tk.c.AppendData(nil, trickles, make([]byte, 10), false, tk.now)
	tk.now = tk.c.Deadline()
	if ev, _ := tk.c.Tick(tk.now); ev.Stream != trickles {
		t.Fatal(ev)
	}
	tk.c.Tick(tk.now)
	if tk.c.Deadline() != 0 {
		t.Fatal("a deadline although nothing waits")
	}
}

// A kept priority is removed when its stream opens.
func TestEarlyPriorityIsUsedOnce(t *testing.T) {
	tk := server(t, Config{})
	update := func(id uint32, value string) { tk.send(frame(FramePriorityUpdate, 0, 0, u32(id)+value)) }
	for id := uint32(3); id <= 15; id += 2 {
		update(id, "u=1")
	}
	update(1, "u=2")
	tk.send(tk.get(1))
	tk.want("Headers 1 GET https example.com / END")
	update(17, "u=4") // the eighth
	if got := streamOf(tk.c, 1).Priority().Urgency; got != 2 {
		t.Errorf("stream 1 has urgency %d", got)
	}
	for _, c := range []struct {
		id   uint32
		want uint8
	}{{3, 1}, {17, 4}} {
		tk.send(tk.get(c.id))
		tk.want(fmt.Sprintf("Headers %d GET https example.com / END", c.id))
		if got := streamOf(tk.c, c.id).Priority().Urgency; got != c.want {
			t.Errorf("stream %d has urgency %d, want %d", c.id, got, c.want)
		}
	}
}
