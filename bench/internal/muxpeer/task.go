package muxpeer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"
)

// The tasks.
const (
	Echo   = "echo"   // echoes one at a time: the next message is sent when the previous one is back
	OneWay = "oneway" // messages in one direction, as fast as possible
)

// Task is a task of a client.
type Task struct {
	What     string
	Size     int
	Channels int // channels of one session, used concurrently
	Duration time.Duration
}

// Account is the result of a task.
type Account struct {
	Messages int64   `json:"messages"`
	Elapsed  float64 `json:"elapsed_s"`
	Rate     float64 `json:"rate"`
	CPU      float64 `json:"cpu_us"` // the client's CPU time per message, in microseconds
	P50      float64 `json:"p50_us,omitempty"`
	P99      float64 `json:"p99_us,omitempty"`
}

// warmup returns how long a task runs before it is counted.
func warmup(d time.Duration) time.Duration { return min(d/3, 200*time.Millisecond) }

// Drive does a task on a new session and returns the result.
func Drive(name, addr string, t Task) (*Account, error) {
	s, err := Dial(name, addr)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	all := make([]Channel, t.Channels)
	order := OrderEcho
	if t.What == OneWay {
		order = OrderSink
	}
	for i := range all {
		if all[i], err = s.Open(); err != nil {
			return nil, err
		}
		defer all[i].Close()
		if err := all[i].Send([]byte(order)); err != nil {
			return nil, err
		}
	}
	if _, err := t.round(all, warmup(t.Duration)); err != nil {
		return nil, err
	}
	return t.round(all, t.Duration)
}

// round does the task on all channels for d.
func (t Task) round(all []Channel, d time.Duration) (*Account, error) {
	began, used := time.Now(), processorTime()
	until := began.Add(d)
	times := make([][]float64, len(all))
	counts := make([]int64, len(all))
	failures := make([]error, len(all))
	var group sync.WaitGroup
	for i, c := range all {
		group.Go(func() {
			if t.What == OneWay {
				counts[i], failures[i] = t.stream(c, until)
			} else {
				times[i], failures[i] = t.echo(c, until)
				counts[i] = int64(len(times[i]))
			}
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	a := &Account{Elapsed: time.Since(began).Seconds()}
	for _, n := range counts {
		a.Messages += n
	}
	a.Rate, a.CPU = float64(a.Messages)/a.Elapsed, (processorTime()-used)/float64(a.Messages)*1e6
	if taken := slices.Sorted(slices.Values(slices.Concat(times...))); len(taken) > 0 {
		a.P50, a.P99 = taken[len(taken)/2], taken[len(taken)*99/100]
	}
	return a, nil
}

// message returns n bytes.
func message(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i % 251)
	}
	return p
}

// echo sends messages one at a time and checks that each comes back unchanged. It returns the round-trip times in
// microseconds.
func (t Task) echo(c Channel, until time.Time) (times []float64, err error) {
	p, buf := message(t.Size), make([]byte, t.Size)
	for now := time.Now(); now.Before(until) || len(times) == 0; {
		if len(p) >= 8 {
			binary.BigEndian.PutUint64(p, uint64(len(times)))
		}
		if err := c.Send(p); err != nil {
			return nil, err
		}
		got, err := c.Receive(buf)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(got, p) {
			return nil, fmt.Errorf("echo %d differs from its message", len(times))
		}
		then := now
		now = time.Now()
		times = append(times, float64(now.Sub(then).Nanoseconds())/1e3)
	}
	return times, nil
}

// stream sends messages, and then waits until the server has reported that all have arrived. It returns their number.
func (t Task) stream(c Channel, until time.Time) (n int64, err error) {
	p := message(t.Size)
	for ; n == 0 || n%64 != 0 || time.Now().Before(until); n++ {
		if err := c.Send(p); err != nil {
			return n, err
		}
	}
	if err := c.Send(nil); err != nil {
		return n, err
	}
	var buf [16]byte
	got, err := c.Receive(buf[:])
	if err != nil {
		return n, err
	}
	if len(got) != 8 || binary.BigEndian.Uint64(got) != uint64(n) {
		return n, fmt.Errorf("%d messages were sent, and the server says %x", n, got)
	}
	return n, nil
}

// processorTime returns the CPU time that this process has used, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
