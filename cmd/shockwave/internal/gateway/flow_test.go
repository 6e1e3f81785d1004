package gateway

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// flood is what a sender that nobody slows would send; what systems hold for two connections is far less.
const (
	flood = 128 << 20
	block = 64 << 10
)

// numbered is a message that tells its number.
func numbered(i int) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(i))) + strings.Repeat("x", block-4)
}

// fill writes messages until nobody takes more for a while, and returns how many it began, and what is left of the last.
func fill(t *testing.T, nc interface {
	Write([]byte) (int, error)
	SetWriteDeadline(time.Time) error
}, frame func(i int) []byte) (began int, left []byte) {
	t.Helper()
	for began*block < flood {
		b := frame(began)
		began++
		_ = nc.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := nc.Write(b)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			_ = nc.SetWriteDeadline(time.Now().Add(patience))
			return began, b[n:]
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%d MiB were taken for somebody who takes nothing", flood>>20)
	return 0, nil
}

// A peer that does not read slows its service, nothing is queued, and nothing is lost.
func TestSlowPeer(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{})
	p, b := r.pair()
	began, left := fill(t, b, func(i int) []byte { return lenframe.Append(nil, []byte(numbered(i))) })
	go func() {
		b.bytes(string(left))
		b.say("last")
		b.finish()
	}()
	for i := range began {
		p.want(numbered(i))
	}
	p.want("last", "close 1000")
	p.end(1000, "")
	r.wantEnd("service eof 1000")
}

// A service that does not read slows its peer.
func TestSlowService(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{})
	p, b := r.pair()
	began, left := fill(t, p, func(i int) []byte {
		return append([]byte("\x82\xff\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), numbered(i)...)
	})
	go func() {
		_, _ = p.Write(left)
		p.say("last")
		p.end(1000, "")
	}()
	for i := range began {
		b.want(numbered(i))
	}
	b.want("last")
	b.wantEOF()
	b.Close()
	r.wantEnd("peer closed 1000")
}

// Memory follows the bytes that a service has sent, not the lengths that it announces.
func TestClaims(t *testing.T) {
	r := newRig(t, ways[0], Config{MaxMessage: 64 << 20})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 16 {
		p, b := r.pair()
		b.bytes("\x00\x00\x00\x01x\x04\x00\x00\x00just a little")
		p.want("x")
	}
	if grown := int64(heap()) - int64(before); grown > 32<<20 {
		t.Errorf("1 GiB that is claimed takes %d MiB", grown>>20)
	}
}

// An idle peer costs one goroutine.
func TestIdle(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("idle connections are parked on Linux")
	}
	r := newRig(t, ways[0], Config{})
	const peers = 50
	before := runtime.NumGoroutine()
	for range peers {
		p, b := r.pair()
		p.say("hello")
		b.want("hello")
		b.say("hello")
		p.want("hello")
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		n := runtime.NumGoroutine() - before
		if n <= peers+5 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines for %d peers", n, peers)
		}
	}
}
