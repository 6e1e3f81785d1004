package netconn

import (
	"testing"
	"time"
)

// fakeOutput is an output whose progress a test sets.
type fakeOutput struct {
	now    Progress
	buffer int64
}

func (o *fakeOutput) Progress() Progress { return o.now }
func (o *fakeOutput) PeerBuffer() int64  { return o.buffer }

// pulseTalk is a conversation about a peer: asked after 30 s of silence, with 10 s to answer.
type pulseTalk struct {
	*testing.T
	Pulse
	fakeOutput
	at   int64 // in seconds
	left bool  // the ping has left
}

// want checks the peer at a second, and says what must be found and when the next look is due.
func (k *pulseTalk) want(at int64, state PulseState, next int64) {
	k.Helper()
	const sec = int64(time.Second)
	k.at = at
	got, look := k.Check(&k.fakeOutput, at*sec, 30*sec, 10*sec)
	if got != state || state != PulseSilent && look != next*sec && look/sec != next {
		k.Fatalf("at %d s: state %d and look at %v, want %d and %d s", at, got, time.Duration(look), state, next)
	}
	if got == PulseAsk {
		k.left = false
		k.Asked(func() bool { return k.left })
	}
}

func (k *pulseTalk) heard(at int64) { k.Heard(at * int64(time.Second)) }

// A peer that has nothing to take is asked when it has been silent, and has its time to answer.
func TestPulseOfTheSilent(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.want(29, PulseQuiet, 30)
	k.want(30, PulseAsk, 40)
	k.want(39, PulseQuiet, 40)
	k.heard(39)
	k.want(40, PulseQuiet, 69)
	if k.Waiting() {
		t.Error("it has answered")
	}
	k.want(69, PulseAsk, 79)
	k.want(79, PulseSilent, 0)
	k.Forget()
	k.want(80, PulseAsk, 90)
}

// While a peer takes what is ahead of the ping it is alive; the time for the answer begins when that ends.
func TestPulseBehindAMessage(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = Progress{Taken: 1 << 20, Outstanding: 4 << 20, Unsent: true}
	k.want(30, PulseAsk, 32)
	for at := int64(32); at < 130; at += 2 {
		k.now.Taken += 1 << 20
		k.want(at, PulseQuiet, at+2)
	}
	k.now.Unsent, k.left = false, true
	k.want(132, PulseQuiet, 134) // the ping is with the system now, behind 4 MiB
	k.now.Taken, k.now.Outstanding = k.now.Taken+4<<20, 0
	k.want(134, PulseQuiet, 144) // and has been taken
	k.now.Taken += 1 << 20       // what follows it proves nothing
	k.want(143, PulseQuiet, 144)
	k.want(144, PulseSilent, 0)
}

// A peer that takes nothing any more has no longer than one that is idle.
func TestPulseOfTheStuck(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = Progress{Outstanding: 4 << 20, Unsent: true}
	k.want(30, PulseAsk, 32)
	k.want(32, PulseQuiet, 34)
	k.want(39, PulseQuiet, 40)
	k.want(40, PulseSilent, 0)
}

// What has been taken may lie in the peer's buffer: it has as long for that as for as many bytes before, and at most as long
// as it has been taking.
func TestPulseOfAFullBuffer(t *testing.T) {
	for _, tc := range []struct{ buffer, more int64 }{{0, 0}, {5 << 20, 10}, {100 << 20, 40}} {
		k := &pulseTalk{T: t}
		k.heard(0)
		k.buffer = tc.buffer
		k.now = Progress{Outstanding: 5 << 20, Unsent: true}
		k.want(30, PulseAsk, 32)
		k.left = true
		k.want(32, PulseQuiet, 34)
		k.now = Progress{Taken: 5 << 20}
		k.want(40, PulseQuiet, 50+tc.more)
		k.want(49+tc.more, PulseQuiet, 50+tc.more)
		k.want(50+tc.more, PulseSilent, 0)
	}
}

// A few bytes whose acknowledgement is only late make no difference.
func TestPulseBehindAFewBytes(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.buffer = 1 << 20
	k.now = Progress{Taken: 100, Outstanding: 100}
	k.want(30, PulseAsk, 32)
	k.now, k.left = Progress{Taken: 202}, true
	k.want(32, PulseQuiet, 40)
	k.now.Taken += 100
	k.want(40, PulseSilent, 0)
}

// A ping for which there is no room is sent later.
func TestPulseWithoutRoom(t *testing.T) {
	k := &pulseTalk{T: t}
	k.heard(0)
	k.now = Progress{Unsent: true}
	if k.want(30, PulseAsk, 32); k.Unposted() {
		t.Error("it has been asked")
	}
	if k.Asked(nil); !k.Unposted() {
		t.Error("it has not been asked")
	}
	k.now.Taken += 1 << 20
	k.want(32, PulseQuiet, 34)
}
