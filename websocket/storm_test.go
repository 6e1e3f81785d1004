package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// All ways to send and to end may be used at once: no writer hangs, no connection stays, and messages arrive whole
// and in order.
func TestStormOfWriters(t *testing.T) {
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	for round := range rounds {
		s := newStorm(t, round)
		for i := range 4 {
			s.begin(faces[(i+round)%2])
		}
		s.users.Go(s.broadcast)
		s.rest()
	}
}

// storm is a group and the goroutines that use its connections.
type storm struct {
	t     *testing.T
	rand  *rand.Rand
	group *Group
	users sync.WaitGroup
}

func newStorm(t *testing.T, seed int) *storm {
	g := new(Group)
	cfg := g.config()
	cfg.IdlePark = time.Millisecond
	g.engine = netconn.New(cfg)
	return &storm{t: t, rand: rand.New(rand.NewPCG(uint64(seed), 1)), group: g}
}

// begin starts a connection with its writers, its peer and the goroutine that ends it.
func (s *storm) begin(f face) {
	cfg := Config{Group: s.group, Slow: Slow(s.rand.IntN(4)), Backlog: 1 + s.rand.IntN(8), CloseTimeout: 50 * time.Millisecond}
	if f.callbacks {
		cfg.OnMessage = func(c *Conn, typ MessageType, p []byte) { c.Send(typ, p) }
	}
	near, far := f.pair(s.t)
	near.(*net.TCPConn).SetWriteBuffer(8 << 10)
	c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if !f.callbacks {
		s.users.Go(func() {
			for {
				if _, _, err := c.ReadMessage(); err != nil {
					return
				}
			}
		})
	}
	left := make(chan struct{})
	s.users.Go(func() { s.peer(far, left) })
	for w := range 4 {
		size := 1 + s.rand.IntN(20<<10)
		s.users.Go(func() { s.write(c, w, size) })
	}
	ends, pause := s.rand.IntN(5), time.Duration(s.rand.IntN(40))*time.Millisecond
	s.users.Go(func() {
		time.Sleep(pause) // a storm blows for a while
		switch ends {
		case 0:
			c.Close(CloseNormal, "")
		case 1:
			c.CloseNow()
		case 2:
			c.SetWriteDeadline(time.Now().Add(time.Millisecond))
		case 3:
			far.Close()
		} // else Shutdown is what ends it
		select {
		case <-c.Done():
		case <-time.After(patience):
			s.t.Error("a connection has not ended")
		}
		close(left)
	})
}

// broadcast sends to all of the group for a while.
func (s *storm) broadcast() {
	for n := range 40 {
		s.group.Broadcast(Prepare(TextMessage, []byte(fmt.Sprintf("%d %08d %s", 9, n, letters(3000)))))
		time.Sleep(time.Millisecond)
	}
}

// write sends in every way, until that fails, or was refused for a while because there was no room.
func (s *storm) write(c *Conn, w, size int) {
	r := &rig{t: s.t, c: c}
	ways := append(r.ways(s.group)[:5], func(string) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := c.Ping(ctx); err != nil && err != ctx.Err() {
			return err
		}
		return nil
	}, func(p string) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := c.WriteMessageContext(ctx, TextMessage, []byte(p)); err != nil && err != ctx.Err() {
			return err
		}
		return nil
	})
	ways[3] = func(p string) error { // slowly, so that the connection is idle in the middle of the message
		w, err := c.NextWriter(TextMessage)
		if err != nil {
			return err
		}
		io.WriteString(w, p[:len(p)/2])
		time.Sleep(12 * time.Millisecond)
		_, err = io.WriteString(w, p[len(p)/2:])
		return errors.Join(err, w.Close())
	}
	for n := w; ; n++ {
		if ways[n%len(ways)](fmt.Sprintf("%d %08d %s", w, n, letters(size))) != nil {
			return
		}
		if n%16 == 15 {
			time.Sleep(2 * time.Millisecond) // long enough to be parked
		}
	}
}

// peer reads for a while, rests, and reads again, until the connection is over. Every message that it reads must be whole.
func (s *storm) peer(far net.Conn, left chan struct{}) {
	defer far.Close()
	c, err := Config{Group: new(Group), ReadLimit: -1}.settings().open(&opened{role: wsframe.Client, nc: far}, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer c.CloseNow()
	last := map[int]int{}
	for n := 0; ; n++ {
		_, p, err := c.ReadMessage()
		if err != nil {
			return
		}
		var w, k int
		if _, err := fmt.Sscanf(string(p), "%d %d", &w, &k); err != nil || k < last[w] {
			s.t.Errorf("message %d of writer %d came behind %d (%v)", k, w, last[w], err)
			return
		}
		last[w] = k
		if n%64 == 63 {
			select {
			case <-left:
				io.Copy(io.Discard, far)
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}

// rest shuts the group down and waits for all goroutines.
func (s *storm) rest() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s.group.Shutdown(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.users.Wait()
	}()
	within(s.t, "everybody to be told", done)
	if n := s.group.Len(); n != 0 {
		s.t.Errorf("%d connections are left", n)
	}
	if err := s.group.Shutdown(soon(s.t)); err != nil {
		s.t.Errorf("Shutdown: %v", err)
	}
}
