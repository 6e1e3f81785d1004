package channels

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

	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// task is a task for a client of the same kind as the peer.
type task muxpeer.Task

// check runs the task briefly; the client compares every byte of an echo.
func (t task) check(s *process.Server) error {
	_, err := t.drive(context.Background(), process.Both, s, 10*time.Millisecond)
	return err
}

// measure runs the task in a process on the second core.
func (t task) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	user, system, err := process.Times(s.PID)
	if err != nil {
		return nil, err
	}
	a, err := t.drive(ctx, process.Second, s, b.Duration)
	if err != nil {
		return nil, err
	}
	user2, system2, err := process.Times(s.PID)
	if err != nil {
		return nil, err
	}
	// The server's CPU time includes the warm-up. Only the share of the counted part is reported.
	share := a.Elapsed / (a.Elapsed + min(b.Duration/3, 200*time.Millisecond).Seconds())
	v := result.Values{
		"messages": float64(a.Messages), "elapsed_s": a.Elapsed, rate.Key: a.Rate, client.Key: a.CPU,
		server.Key: (user2 + system2 - user - system) * share / float64(a.Messages) * 1e6,
	}
	if t.What == muxpeer.Echo {
		v[p50.Key], v[p99.Key] = a.P50, a.P99
	}
	return v, nil
}

// time returns how long measure takes, including the start of the processes.
func (t task) time(d time.Duration) time.Duration {
	return d + min(d/3, 200*time.Millisecond) + 200*time.Millisecond
}

func (t task) drive(ctx context.Context, cores process.Cores, s *process.Server, d time.Duration) (*muxpeer.Account, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d+time.Minute)
	defer cancel()
	cmd := process.Command(ctx, cores, self, "converse", "-peer", s.Name, "-addr", s.Addr, "-task", t.What,
		"-size", strconv.Itoa(t.Size), "-channels", strconv.Itoa(t.Channels), "-d", d.String())
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	failed := cmd.Run()
	a := new(muxpeer.Account)
	if err := errors.Join(failed, json.Unmarshal(out.Bytes(), a)); err != nil {
		return nil, fmt.Errorf("the client: %w %s", err, strings.TrimSpace(said.String()))
	}
	return a, nil
}

// sessions is the number of idle sessions.
const sessions = 10_000

// idleTimes is how long sessions stay idle, in multiples of a measurement's duration: 36 s by default.
const idleTimes = 12

// measureIdle returns how much memory each idle session adds to the server's process.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	before, err := s.Ask(peer.WordMemory)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d, err := process.Talk(process.Command(ctx, process.Second, self, "converse", "-peer", s.Name, "-addr", s.Addr, "-task", "idle",
		"-channels", strconv.Itoa(sessions)))
	defer d.Stop()
	if err != nil {
		return nil, err
	}
	if word, err := d.Hear(2 * time.Minute); err != nil || word != "held" {
		d.Stop()
		return nil, fmt.Errorf("the sessions cannot be held: %q, %w %s", word, err, d.Said())
	}
	if err := process.Sleep(ctx, idleTimes*b.Duration); err != nil {
		return nil, err
	}
	after, err := s.Ask(peer.WordMemory)
	if err != nil {
		return nil, err
	}
	return result.Values{
		rss.Key:  float64(after.RSS-before.RSS) / sessions,
		heap.Key: (float64(after.HeapInUse) - float64(before.HeapInUse)) / sessions, goroutines.Key: float64(after.Goroutines),
	}, nil
}

// idleTime returns how long measureIdle takes for a peer that is measured together with the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }
