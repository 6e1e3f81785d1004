package sockpeer

import (
	"fmt"
	"slices"
	"time"
)

// The tasks.
const (
	OneWay = "oneway" // messages in one direction, as fast as possible
	Lone   = "lone"   // echoes one at a time: the next message is sent when the previous one is back
	Batch  = "batch"  // echoes of inFlight messages at a time
)

// inFlight is the number of messages in a batch.
const inFlight = 64

// Task is a task of a client.
type Task struct {
	What     string
	Size     int
	Duration time.Duration
}

// Account is the result of a task.
type Account struct {
	Messages uint64  `json:"messages"`
	Elapsed  float64 `json:"elapsed_s"`
	Rate     float64 `json:"rate"`
	Sender   float64 `json:"sender_us"`        // the client's CPU time per message, in microseconds
	Receiver float64 `json:"receiver_us"`      // the server's CPU time per message, in microseconds
	P50      float64 `json:"p50_us,omitempty"` // round-trip time of a message, or of a whole batch
	P99      float64 `json:"p99_us,omitempty"`
	Window   *int    `json:"window,omitempty"` // streamsock.PeerStats.Window; only of ours
}

// driver does a task on a connection. It works with blocking reads and with callbacks.
type driver struct {
	Task
	send func(p []byte) error

	p         []byte
	sent, got uint64
	want      uint64 // send more when so many echoes have arrived; set before the first of them can arrive
	until     time.Time
	asked     time.Time // when the messages in flight were sent
	began     float64   // CPU time at the beginning
	ended     bool      // the empty message has been sent
	times     []float64
	result    Account
}

func newDriver(t Task, send func(p []byte) error) *driver {
	d := &driver{Task: t, send: send, p: make([]byte, t.Size)}
	Fill(d.p, 0)
	return d
}

// begin sends the order, and the messages that can be sent without waiting for an echo.
func (d *driver) begin(duration time.Duration) error {
	d.sent, d.got, d.want, d.ended, d.times = 0, 0, 0, false, d.times[:0]
	d.began, d.asked = cpu(), time.Now()
	d.until = d.asked.Add(duration)
	if d.What == OneWay {
		if err := d.send([]byte(OrderSink)); err != nil {
			return err
		}
		return d.stream()
	}
	if err := d.send([]byte(OrderEcho)); err != nil {
		return err
	}
	return d.more()
}

// stream sends messages until d.until.
func (d *driver) stream() error {
	for d.sent == 0 || d.sent%inFlight != 0 || time.Now().Before(d.until) {
		if err := d.one(); err != nil {
			return err
		}
	}
	return d.end()
}

// one sends the next message.
func (d *driver) one() error {
	stamp(d.p, d.sent)
	d.sent++
	return d.send(d.p)
}

// more sends the next message or batch.
func (d *driver) more() error {
	n := 1
	if d.What == Batch {
		n = inFlight
	}
	d.want += uint64(n)
	for range n {
		if err := d.one(); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) end() error {
	d.ended = true
	return d.send(nil)
}

// take handles a message from the server. over reports whether it was the last one.
func (d *driver) take(p []byte) (over bool, err error) {
	if d.ended {
		return true, d.sum(p)
	}
	if len(p) != d.Size || !same(p, d.got) {
		return true, fmt.Errorf("echo %d differs from its message", d.got)
	}
	if d.got++; d.got < d.want {
		return false, nil
	}
	now := time.Now()
	d.times = append(d.times, float64(now.Sub(d.asked).Nanoseconds())/1e3)
	d.asked = now
	if now.After(d.until) {
		return false, d.end()
	}
	return false, d.more()
}

// sum reads the server's report and computes the result.
func (d *driver) sum(p []byte) error {
	used := cpu() - d.began
	r, err := ReadReport(p, d.sent)
	if err != nil {
		return err
	}
	n := float64(r.Count)
	d.result = Account{Messages: r.Count, Elapsed: r.Seconds, Rate: n / r.Seconds, Sender: used / n * 1e6, Receiver: r.CPU / n * 1e6}
	if len(d.times) > 0 {
		slices.Sort(d.times)
		d.result.P50, d.result.P99 = d.times[len(d.times)/2], d.times[len(d.times)*99/100]
	}
	return nil
}

// warmup returns how long a task runs before it is counted.
func warmup(d time.Duration) time.Duration { return min(d/3, 200*time.Millisecond) }

// run does the task, after a warm-up. wait must return when take has returned over or an error.
func (d *driver) run(wait func() error) (*Account, error) {
	for _, duration := range []time.Duration{warmup(d.Duration), d.Duration} {
		if err := d.begin(duration); err != nil {
			return nil, err
		}
		if err := wait(); err != nil {
			return nil, err
		}
	}
	return &d.result, nil
}
