package pulse

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// fakeOutput is an output whose progress a test sets.
type fakeOutput struct {
	now    transport.Progress
	buffer int64
}

func (o *fakeOutput) Progress() transport.Progress { return o.now }
func (o *fakeOutput) PeerBuffer() int64            { return o.buffer }

// pulseTalk is a conversation about a peer that is pinged after 30 s of silence and has 10 s to answer.
type pulseTalk struct {
	*testing.T
	Pulse
	fakeOutput
	at   int64 // in seconds
	left bool  // the ping has left
}

// want checks the peer at a second: the state that must be found and the time of the next look.
func (k *pulseTalk) want(at int64, state State, next int64) {
	k.Helper()
	const sec = int64(time.Second)
	k.at = at
	got, look := k.Check(&k.fakeOutput, at*sec, 30*sec, 10*sec)
	if got != state || state != Silent && look != next*sec && look/sec != next {
		k.Fatalf("at %d s: state %d and look at %v, want %d and %d s", at, got, time.Duration(look), state, next)
	}
	if got == Ask {
		k.left = false
		k.Asked(func() bool { return k.left })
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
	if k.Waiting() {
		t.Error("the peer counts as having answered")
	}
	k.want(69, Ask, 79)
	k.want(79, Silent, 0)
	k.Forget()
	k.want(80, Ask, 90)
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
	k.now.Unsent, k.left = false, true
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
		k.left = true
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
	k.now, k.left = transport.Progress{Taken: 202}, true
	k.want(32, Quiet, 40)
	k.now.Taken += 100
	k.want(40, Silent, 0)
}

// A ping for which there is no room is sent later.
func TestPulseWithoutRoom(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = transport.Progress{Unsent: true}
	if k.want(30, Ask, 32); k.Unposted() {
		t.Error("it has been asked")
	}
	if k.Asked(nil); !k.Unposted() {
		t.Error("it has not been asked")
	}
	k.now.Taken += 1 << 20
	k.want(32, Quiet, 34)
}
