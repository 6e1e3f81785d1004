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
	broadcastConns = 5000 // connections that receive a broadcast
	idleConns      = 10_000
	deflateConns   = 2000 // idle connections with compression
	idleTimes      = 12   // how long connections stay idle, in multiples of a measurement's duration: 36 s by default
)

// measureBroadcast returns the figures of one delivery of a broadcast.
func measureBroadcast(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	return ownLoad(ctx, b, s, "-kind", "broadcast", "-c", strconv.Itoa(broadcastConns))
}

// measureDeflate returns the figures of an echo that is compressed both ways.
func measureDeflate(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	values, err := ownLoad(ctx, b, s, "-kind", "deflate", "-c", "100")
	delete(values, p50.Key) // latency is not measured
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

// held describes connections that stay idle.
type held struct {
	path  string
	conns int
}

// measure returns how much memory each of them adds to a peer's process.
func (h held) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.OpenWebSockets(ctx, s, n, h.path) }
	m, err := hold.Idle(ctx, s, h.conns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	return result.Values{rss.Key: m.RSS, heap.Key: m.Heap, goroutines.Key: m.Goroutines}, nil
}

// idleTime returns how long measure takes for a peer that is measured together with five others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }

// inProcess is the name of a task without I/O.
type inProcess string

// check does the task briefly; the task itself compares the bytes.
func (task inProcess) check(s *process.Server) error {
	_, err := wsmemory.Measure(string(task), s.Name, time.Millisecond)
	return err
}

// measure does the task in a process of its own on the first core. The peer's server is idle meanwhile.
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
