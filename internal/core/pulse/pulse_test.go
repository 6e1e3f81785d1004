package pulse

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// fakeOutput is an output whose progress a test sets.
type fakeOutput struct {
	now     transport.Progress
	buffer  int64
	expired bool // the write deadline has passed
	full    bool // there is no room
	pings   int  // how many were accepted
	queued  *bufpool.Shared
}

func (o *fakeOutput) Progress() transport.Progress { return o.now }
func (o *fakeOutput) PeerBuffer() int64            { return o.buffer }
func (o *fakeOutput) Unsent() bool                 { return o.now.Unsent }
func (o *fakeOutput) WriteExpired() bool           { return o.expired }

func (o *fakeOutput) Post(output.Unit, []byte) (ok bool, err error) {
	if !o.full {
		o.pings++
	}
	return !o.full, nil
}

func (o *fakeOutput) PostShared(u output.Unit, p *bufpool.Shared) (ok bool, err error) {
	if ok, err = o.Post(u, p.Bytes()); ok {
		o.queued = p.Retain()
	}
	return ok, err
}

// leave has the ping leave that was posted.
func (o *fakeOutput) leave() {
	o.queued.MarkSent()
	o.queued.Release()
}

// pulseTalk is a conversation about a peer that is asked after 30 s of silence, with 10 s to answer.
type pulseTalk struct {
	*testing.T
	Pulse
	fakeOutput
	deaf  bool    // nothing reads
	draws *uint32 // not nil: output is drawn, and the ping with it
}

// want looks at the peer at a second, and says what must be found and when the next look is due.
func (k *pulseTalk) want(at int64, state State, next int64) {
	k.Helper()
	const sec = int64(time.Second)
	got, look := k.Beat(&k.fakeOutput, at*sec, !k.deaf, 30*sec, 10*sec)
	if got != state || look/sec != next {
		k.Fatalf("at %d s: state %d and look at %v, want %d and %d s", at, got, time.Duration(look), state, next)
	}
	switch {
	case got == Ask && k.draws != nil:
		k.Asked(&k.fakeOutput, k.draws)
	case got == Ask:
		k.Pulse.Post(&k.fakeOutput, output.Part, []byte("ping"))
	}
}

func (k *pulseTalk) heard(at int64) { k.Heard(at * int64(time.Second)) }

// A peer without output to take gets a ping when it has been silent, and has its time to answer.
func TestPulseOfTheSilent(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.want(29, Quiet, 30)
	k.want(30, Ask, 40)
	k.want(39, Quiet, 40)
	k.heard(39)
	k.want(40, Quiet, 69)
	k.want(69, Ask, 79)
	k.want(79, Silent, 0)
	if k.pings != 2 {
		t.Errorf("%d pings", k.pings)
	}
}

// While a peer takes the output ahead of the ping it counts as alive; the time for the answer begins when that ends.
func TestPulseBehindAMessage(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = transport.Progress{Taken: 1 << 20, Outstanding: 4 << 20, Unsent: true}
	k.want(30, Ask, 32)
	for at := int64(32); at < 130; at += 2 {
		k.now.Taken += 1 << 20
		k.want(at, Quiet, at+2)
	}
	k.now.Unsent = false
	k.leave()
	k.want(132, Quiet, 134) // the ping is with the system now, behind 4 MiB
	k.now.Taken, k.now.Outstanding = k.now.Taken+4<<20, 0
	k.want(134, Quiet, 144) // and has been taken
	k.now.Taken += 1 << 20  // what follows it proves nothing
	k.want(143, Quiet, 144)
	k.want(144, Silent, 0)
}

// A peer that takes nothing more has no more time than an idle one.
func TestPulseOfTheStuck(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = transport.Progress{Outstanding: 4 << 20, Unsent: true}
	k.want(30, Ask, 32)
	k.want(32, Quiet, 34)
	k.want(39, Quiet, 40)
	k.want(40, Silent, 0)
}

// What the peer has taken may lie in its buffer: it has as much time for that as it needed for as many bytes before, and
// at most as long as it has been taking.
func TestPulseOfAFullBuffer(t *testing.T) {
	for _, tc := range []struct{ buffer, more int64 }{{0, 0}, {5 << 20, 10}, {100 << 20, 40}} {
		k := &pulseTalk{T: t}
		k.heard(0)
		k.buffer = tc.buffer
		k.now = transport.Progress{Outstanding: 5 << 20, Unsent: true}
		k.want(30, Ask, 32)
		k.leave()
		k.want(32, Quiet, 34)
		k.now = transport.Progress{Taken: 5 << 20}
		k.want(40, Quiet, 50+tc.more)
		k.want(49+tc.more, Quiet, 50+tc.more)
		k.want(50+tc.more, Silent, 0)
	}
}

// A few bytes whose acknowledgement is late make no difference.
func TestPulseBehindAFewBytes(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.buffer = 1 << 20
	k.now = transport.Progress{Taken: 100, Outstanding: 100}
	k.want(30, Ask, 32)
	k.now = transport.Progress{Taken: 202}
	k.leave()
	k.want(32, Quiet, 40)
	k.now.Taken += 100
	k.want(40, Silent, 0)
}

// A ping that is drawn has left when output is drawn again, or when it was drawn and nothing is unsent; until then the peer has
// nothing to answer.
func TestPulseOfADrawnPing(t *testing.T) {
	for _, again := range []bool{false, true} {
		k := &pulseTalk{T: t, draws: new(uint32)}
		k.heard(0)
		k.now = transport.Progress{Outstanding: 1 << 20, Unsent: true}
		k.want(30, Ask, 32)
		k.now = transport.Progress{Taken: 1 << 20}
		k.want(32, Quiet, 34) // what was ahead has been taken, and the ping is not drawn yet
		k.now = transport.Progress{Taken: 2 << 20, Unsent: true}
		*k.draws++
		k.want(34, Quiet, 36) // it is drawn, and may be unsent
		k.now.Unsent = again
		if again {
			*k.draws++
		}
		k.want(36, Quiet, 44)
		k.now.Taken += 1 << 20 // what follows the ping proves nothing
		k.want(43, Quiet, 44)
		k.want(44, Silent, 0)
	}
}

// A ping for which there is no room is sent at the next look.
func TestPulseWithoutRoom(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.full, k.now = true, transport.Progress{Unsent: true}
	k.want(30, Ask, 32)
	k.want(32, Ask, 34)
	k.full = false
	k.want(34, Ask, 36)
	k.want(36, Quiet, 38)
	if k.pings != 1 {
		t.Errorf("%d pings", k.pings)
	}
}

// While nothing reads, a peer is asked again instead of being given up.
func TestPulseWithoutAReader(t *testing.T) {
	k := &pulseTalk{T: t, deaf: true}
	k.heard(0)
	k.want(30, Ask, 40)
	k.want(40, Ask, 50)
	k.deaf = false
	k.want(49, Quiet, 50)
	k.want(50, Silent, 0)
}

// A peer that cannot be asked, because the write deadline has passed, is not given up.
func TestPulseAfterTheWriteDeadline(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.want(30, Ask, 40)
	k.expired = true
	k.want(40, Quiet, 55)
	k.want(55, Quiet, 70)
	k.expired = false
	k.want(60, Ask, 70)
}

// A heartbeat of a peer that has nothing to take costs no memory.
func TestPulseAllocates(t *testing.T) {
	k, at, draws := &pulseTalk{T: t}, int64(1), new(uint32)
	if n := testing.AllocsPerRun(100, func() {
		k.Heard(at)
		at += int64(time.Minute)
		if state, _ := k.Beat(&k.fakeOutput, at, true, int64(time.Minute), int64(time.Minute)); state != Ask {
			t.Error(state)
		}
		k.Asked(&k.fakeOutput, draws)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
