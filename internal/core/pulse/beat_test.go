package pulse

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// beats is a heartbeat with an interval of 30 s and a timeout of 10 s.
type beats struct {
	*testing.T
	Pulse
	fakeOutput
	expired bool // the write deadline has passed
	deaf    bool // nothing reads
	full    bool // there is no room for a ping
	pings   int
}

func (b *beats) WriteExpired() bool { return b.expired }
func (b *beats) Listens() bool      { return !b.deaf }

func (b *beats) Ping(p *Pulse, _ int64) {
	if b.pings++; !b.full {
		p.Asked(func() bool { return false })
	}
}

// want calls Beat at a second, and checks how many pings were sent by then and when the next call is due; 0: the peer is
// silent.
func (b *beats) want(at int64, pings int, next int64) {
	b.Helper()
	const sec = int64(time.Second)
	got, silent := b.Beat(b, b, at*sec, 30*sec, 10*sec)
	if silent != (next == 0) || got/sec != next || b.pings != pings {
		b.Fatalf("at %d s: silent %v, next at %v, %d pings; want %d s and %d", at, silent, time.Duration(got), b.pings, next, pings)
	}
}

// A silent peer gets a ping after the interval, and is found to be silent after the timeout.
func TestBeat(t *testing.T) {
	b := &beats{T: t}
	b.Heard(0)
	b.want(10, 0, 30)
	b.want(30, 1, 40)
	b.Heard(35 * int64(time.Second))
	b.want(40, 1, 65)
	b.want(65, 2, 75)
	b.want(75, 2, 0)
}

// While nothing reads, a peer gets another ping instead of being judged.
func TestBeatWithoutAReader(t *testing.T) {
	b := &beats{T: t, deaf: true}
	b.Heard(0)
	b.want(30, 1, 40)
	b.want(40, 2, 50)
	b.deaf = false
	b.want(49, 2, 50)
	b.want(50, 2, 0)
}

// A peer that cannot be sent a ping is not judged.
func TestBeatAfterTheWriteDeadline(t *testing.T) {
	b := &beats{T: t}
	b.Heard(0)
	b.want(30, 1, 40)
	b.expired = true
	b.want(40, 1, 55)
	b.expired = false
	b.want(55, 2, 65)
}

// A ping for which there was no room is sent at the next look.
func TestBeatWithoutRoom(t *testing.T) {
	b := &beats{T: t, full: true}
	b.Heard(0)
	b.now = transport.Progress{Unsent: true}
	b.want(30, 1, 32)
	b.full = false
	b.want(33, 2, 35)
	b.want(36, 2, 38)
}
