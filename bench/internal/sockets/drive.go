package sockets

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

	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// task is a task for a client of the same kind as the peer.
type task struct {
	transport string
	what      string
	size      int
}

// check runs the task briefly; the receiver compares every byte.
func (t task) check(s *process.Server) error {
	_, err := t.drive(context.Background(), process.Both, s, 10*time.Millisecond)
	return err
}

// measure runs the task in a process on the second core.
func (t task) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	a, err := t.drive(ctx, process.Second, s, b.Duration)
	if err != nil {
		return nil, err
	}
	v := result.Values{"messages": float64(a.Messages), "elapsed_s": a.Elapsed, rate.Key: a.Rate, sender.Key: a.Sender, receiver.Key: a.Receiver}
	if t.what != sockpeer.OneWay {
		v[p50.Key], v[p99.Key] = a.P50, a.P99
	}
	return v, nil
}

// time returns how long measure takes, including the start of the processes.
func (t task) time(d time.Duration) time.Duration {
	return d + min(d/3, 200*time.Millisecond) + 200*time.Millisecond
}

func (t task) drive(ctx context.Context, cores process.Cores, s *process.Server, d time.Duration) (*sockpeer.Account, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d+time.Minute)
	defer cancel()
	cmd := process.Command(ctx, cores, self, "drive", "-peer", s.Name, "-socket", t.transport, "-addr", s.Addr,
		"-task", t.what, "-size", strconv.Itoa(t.size), "-d", d.String())
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	failed := cmd.Run()
	a := new(sockpeer.Account)
	if err := errors.Join(failed, json.Unmarshal(out.Bytes(), a)); err != nil {
		return nil, fmt.Errorf("the client: %w %s", err, strings.TrimSpace(said.String()))
	}
	return a, nil
}
