package sockload

import (
	"errors"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
)

const (
	perSecond = 10 // messages per second on each connection
	parts     = 10 // groups of connections; the groups send in turn, evenly spaced
)

// trickle is load with a message now and then on each connection.
type trickle struct {
	all  []*wsload.Conn
	sent []uint64 // messages sent on each connection
	late int64    // messages that were sent after the next one was due
}

// Trickle sends 64 bytes ten times a second on each connection. They are not echoed. At the end it asks the server how many
// messages have arrived. The account counts messages.
func Trickle(bare bool, opt wsload.Options) (*load.Account, error) {
	t := &trickle{sent: make([]uint64, opt.Conns)}
	defer t.close()
	for i := range opt.Conns {
		c, err := wsload.Greet(opt.Addr, sockpeer.OrderSink, bare)
		if err != nil {
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		t.all = append(t.all, c)
	}
	if _, err := t.speak(opt.Warmup); err != nil {
		return nil, err
	}
	began, err := wsload.Look(opt.PID)
	if err != nil {
		return nil, err
	}
	n, err := t.speak(opt.Duration)
	if err != nil {
		return nil, err
	}
	ended, err := wsload.Look(opt.PID)
	if err != nil {
		return nil, err
	}
	a := ended.Since(&began, n)
	a.Late = t.late
	return a, t.end()
}

// speak sends messages for d and returns their number.
func (t *trickle) speak(d time.Duration) (n int64, err error) {
	const tick = time.Second / perSecond / parts
	began := time.Now()
	for k := 0; time.Since(began) < d; k++ {
		due := began.Add(time.Duration(k) * tick)
		time.Sleep(time.Until(due))
		late := time.Since(due) > time.Second/perSecond
		for i := k % parts; i < len(t.all); i += parts {
			if err := t.one(i); err != nil {
				return n, err
			}
			n++
			if late {
				t.late++
			}
		}
	}
	return n, nil
}

func (t *trickle) one(i int) error {
	var p [size]byte
	sockpeer.Fill(p[:], t.sent[i])
	t.sent[i]++
	return t.all[i].Say(p[:])
}

// end checks the server's reports on the messages that have arrived.
func (t *trickle) end() error {
	for i, c := range t.all {
		c.SetDeadline(time.Now().Add(timeout))
		err := c.Say(nil)
		var said []byte
		if err == nil {
			said, err = c.Hear()
		}
		if err == nil {
			_, err = sockpeer.ReadReport(said, t.sent[i])
		}
		if err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
	}
	if len(t.all) == 0 {
		return errors.New("no connections")
	}
	return nil
}

func (t *trickle) close() {
	for _, c := range t.all {
		c.Close()
	}
}
