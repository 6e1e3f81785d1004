package websocket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wsmemory"
)

const (
	audience     = 5000 // connections that a broadcast goes to
	idleConns    = 10_000
	deflateConns = 2000
	idleTimes    = 12 // measurements' durations that connections stay idle: 36 s by default
)

// measureBroadcast returns the figures of a delivery.
func measureBroadcast(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	return ownLoad(ctx, b, s, "-kind", "broadcast", "-c", strconv.Itoa(audience))
}

// measureDeflate returns the figures of an echo that is compressed both ways.
func measureDeflate(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	values, err := ownLoad(ctx, b, s, "-kind", "deflate", "-c", "100")
	delete(values, p50.Key) // not looked at
	delete(values, p99.Key)
	return values, err
}

func ownLoad(ctx context.Context, b *suite.Bench, s *process.Server, args ...string) (result.Values, error) {
	args = append(args, "-warmup", warmup(b.Duration).String(), "-d", b.Duration.String())
	a, err := load.RunOwn(ctx, s, warmup(b.Duration)+b.Duration, args...)
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// held are connections that stay idle.
type held struct {
	path  string
	conns int
}

// measure returns by how much a peer's memory grows for each of them.
func (h held) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.OpenWebSockets(ctx, s, n, h.path) }
	m, err := hold.Idle(ctx, s, h.conns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	return result.Values{rss.Key: m.RSS, heap.Key: m.Heap, goroutines.Key: m.Goroutines}, nil
}

// idleTime is how long that takes for a peer that is measured beside five others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }

// inProcess is a task without I/O.
type inProcess string

// check does it briefly: a task compares the bytes itself.
func (task inProcess) check(s *process.Server) error {
	_, err := wsmemory.Measure(string(task), s.Name, time.Millisecond)
	return err
}

// measure does it in a process of its own on the first core. The peer's server has nothing to do meanwhile.
func (task inProcess) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, b.Duration+time.Minute)
	defer cancel()
	cmd := process.Command(ctx, process.First, self, "memory", "-task", string(task), "-peer", s.Name, "-d", b.Duration.String())
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	failed := cmd.Run()
	var values result.Values
	if err := errors.Join(failed, json.Unmarshal(out.Bytes(), &values)); err != nil {
		return nil, fmt.Errorf("%s: %w %s", task, err, strings.TrimSpace(said.String()))
	}
	return values, nil
}
