package wsload

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
)

// announced is the length of a message that is broadcast.
const announced = 1 << 10

// audience are connections that all hear what one of them says.
type audience struct {
	all    list
	number atomic.Uint64 // of the message that is on its way; it stands at its beginning
	absent atomic.Int64  // how many have not heard number 0, the roll call
	missed atomic.Int64  // how many have not heard the message that is on its way
	heard  chan error    // nil when the last one has
	text   []byte        // of a message behind its number
}

// Broadcast has one connection send a message to all, again and again, each time when every one has received it as it
// was sent. What is counted are messages received; the latency is that of a round.
func Broadcast(path string, opt Options) (*load.Account, error) {
	all, err := dialAll(path, opt, false)
	if err != nil {
		return nil, err
	}
	return all.broadcast(opt)
}

// Tell is Broadcast on connections that have said first that they want to hear: order. They are WebSockets, or bare.
func Tell(order string, bare bool, opt Options) (*load.Account, error) {
	var all list
	for i := range opt.Conns {
		c, err := Greet(opt.Addr, order, bare)
		if err != nil {
			all.close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		all = append(all, c)
	}
	return all.broadcast(opt)
}

// Greet connects to addr and says the first message.
func Greet(addr, first string, bare bool) (c *Conn, err error) {
	if bare {
		c, err = DialBare(addr)
	} else {
		c, err = Dial(addr, "/", false)
	}
	if err == nil {
		err = c.Say([]byte(first))
	}
	return c, err
}

func (all list) broadcast(opt Options) (*load.Account, error) {
	defer all.close()
	a := &audience{all: all, heard: make(chan error, opt.Conns), text: bytes.Repeat([]byte("x"), announced-8)}
	for _, c := range a.all {
		go a.listen(c)
	}
	if err := a.callRoll(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(opt.Warmup); ; {
		if err := a.round(); err != nil {
			return nil, err
		}
		if time.Now().After(end) {
			break
		}
	}
	return a.count(opt)
}

// count counts rounds for the duration, and whole ones.
func (a *audience) count(opt Options) (*load.Account, error) {
	began, err := Look(opt.PID)
	if err != nil {
		return nil, err
	}
	var rounds []float64
	for time.Since(began.at) < opt.Duration || len(rounds) == 0 {
		start := time.Now()
		if err := a.round(); err != nil {
			return nil, err
		}
		rounds = append(rounds, float64(time.Since(start).Microseconds()))
	}
	ended, err := Look(opt.PID)
	if err != nil {
		return nil, err
	}
	account := ended.Since(&began, int64(len(rounds)*len(a.all)))
	slices.Sort(rounds)
	account.Latency.P50 = rounds[len(rounds)/2]
	account.Latency.P99 = rounds[len(rounds)*99/100]
	return account, nil
}

// callRoll sends number 0 until everybody has heard it: some servers answer a handshake before who is there is on their
// list.
func (a *audience) callRoll() error {
	a.absent.Store(int64(len(a.all)))
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if err := a.say(0); err != nil {
			return err
		}
		select {
		case err := <-a.heard:
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return fmt.Errorf("%d connections did not answer the roll call", a.absent.Load())
}

func (a *audience) say(number uint64) error {
	return a.all[0].Say(append(binary.BigEndian.AppendUint64(nil, number), a.text...))
}

// round sends a message and returns when all have received it.
func (a *audience) round() error {
	number := a.number.Add(1)
	a.missed.Store(int64(len(a.all)))
	if err := a.say(number); err != nil {
		return err
	}
	select {
	case err := <-a.heard:
		return err
	case <-time.After(patience):
		return fmt.Errorf("%d connections did not receive message %d", a.missed.Load(), number)
	}
}

// listen receives what a connection hears until it fails.
func (a *audience) listen(c *Conn) {
	left := &a.absent
	for next := uint64(0); ; next++ {
		number, err := a.next(c)
		switch {
		case err != nil:
			a.heard <- err
			return
		case number == 0 && next > 0: // the roll was called again
			next--
			continue
		case number != next:
			a.heard <- fmt.Errorf("message %d is here, and %d should be", number, next)
			return
		}
		if left.Add(-1) == 0 {
			a.heard <- nil
		}
		left = &a.missed
	}
}

// next returns the number of the next message.
func (a *audience) next(c *Conn) (uint64, error) {
	payload, err := c.Hear()
	if err != nil {
		return 0, err
	}
	if len(payload) != announced {
		return 0, errors.New("a message that nobody sent")
	}
	n := binary.BigEndian.Uint64(payload)
	if n > a.number.Load() || !bytes.Equal(payload[8:], a.text) {
		return 0, fmt.Errorf("message %d is not what was sent", n)
	}
	return n, nil
}
