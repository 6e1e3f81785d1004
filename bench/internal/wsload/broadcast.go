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

// broadcastSize is the length of a broadcast message.
const broadcastSize = 1 << 10

// broadcastGroup are connections that all receive the messages that the first of them sends.
type broadcastGroup struct {
	all    list
	number atomic.Uint64 // of the message in flight; a message begins with its number
	absent atomic.Int64  // connections that have not received message 0
	missed atomic.Int64  // connections that have not received the message in flight
	heard  chan error    // receives nil when all connections have received a message, or the error of a connection
	text   []byte        // the part of a message after its number
}

// Broadcast makes one connection send messages that the server sends to all. The next message is sent when all connections
// have received the previous one unchanged. The account counts received messages; the latency is the time until all have
// received a message.
func Broadcast(path string, opt Options) (*load.Account, error) {
	all, err := dialAll(path, opt, false)
	if err != nil {
		return nil, err
	}
	return all.broadcast(opt)
}

// Tell is Broadcast on connections that first send order to join the broadcast. They are WebSockets, or bare.
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

// Greet connects to addr and sends the first message.
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
	a := &broadcastGroup{all: all, heard: make(chan error, opt.Conns), text: bytes.Repeat([]byte("x"), broadcastSize-8)}
	for _, c := range a.all {
		go a.listen(c)
	}
	if err := a.waitForMembers(); err != nil {
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

// count does rounds for opt.Duration and returns their account.
func (a *broadcastGroup) count(opt Options) (*load.Account, error) {
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

// waitForMembers sends message 0 repeatedly until all connections have received one. Some servers respond to a handshake before
// they add the connection to the broadcast.
func (a *broadcastGroup) waitForMembers() error {
	a.absent.Store(int64(len(a.all)))
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		if err := a.say(0); err != nil {
			return err
		}
		select {
		case err := <-a.heard:
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return fmt.Errorf("%d connections did not receive the first message", a.absent.Load())
}

func (a *broadcastGroup) say(number uint64) error {
	return a.all[0].Say(append(binary.BigEndian.AppendUint64(nil, number), a.text...))
}

// round sends a message and returns when all have received it.
func (a *broadcastGroup) round() error {
	number := a.number.Add(1)
	a.missed.Store(int64(len(a.all)))
	if err := a.say(number); err != nil {
		return err
	}
	select {
	case err := <-a.heard:
		return err
	case <-time.After(timeout):
		return fmt.Errorf("%d connections did not receive message %d", a.missed.Load(), number)
	}
}

// listen receives the messages of a connection until it fails.
func (a *broadcastGroup) listen(c *Conn) {
	left := &a.absent
	for next := uint64(0); ; next++ {
		number, err := a.next(c)
		switch {
		case err != nil:
			a.heard <- err
			return
		case number == 0 && next > 0: // message 0 was sent again
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

// next receives a message, compares it, and returns its number.
func (a *broadcastGroup) next(c *Conn) (uint64, error) {
	payload, err := c.Hear()
	if err != nil {
		return 0, err
	}
	if len(payload) != broadcastSize {
		return 0, errors.New("unexpected message")
	}
	n := binary.BigEndian.Uint64(payload)
	if n > a.number.Load() || !bytes.Equal(payload[8:], a.text) {
		return 0, fmt.Errorf("message %d is not what was sent", n)
	}
	return n, nil
}
