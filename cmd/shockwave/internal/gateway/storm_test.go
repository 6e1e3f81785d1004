package gateway

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// storm is a service that echoes, ends connections as it likes, and is restarted now and then.
type storm struct {
	addr    string
	running sync.WaitGroup

	mu    sync.Mutex
	l     net.Listener
	conns map[net.Conn]struct{}
}

func (s *storm) start(t *testing.T) {
	l, err := net.Listen("tcp", s.addr)
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
		l, err = net.Listen("tcp", s.addr) // one that dials it may be given its port for a moment
	}
	if err != nil {
		t.Error(err)
		return
	}
	s.mu.Lock()
	s.l, s.addr, s.conns = l, l.Addr().String(), map[net.Conn]struct{}{}
	s.mu.Unlock()
	s.running.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			if s.l != l {
				nc.Close()
			}
			s.conns[nc] = struct{}{}
			s.mu.Unlock()
			s.running.Go(func() { s.echo(nc) })
		}
	})
}

// stop breaks everything.
func (s *storm) stop() {
	s.mu.Lock()
	s.l.Close()
	s.l = nil
	for nc := range s.conns {
		if rand.IntN(2) == 0 {
			reset(nc)
		}
		nc.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

func (s *storm) echo(nc net.Conn) {
	defer nc.Close()
	left := rand.IntN(200) // messages, until it has enough
	head := make([]byte, lenframe.HeaderSize)
	for ; ; left-- {
		if _, err := io.ReadFull(nc, head); err != nil {
			return
		}
		msg := append([]byte(nil), head...)
		msg = append(msg, make([]byte, binary.BigEndian.Uint32(head))...)
		if _, err := io.ReadFull(nc, msg[len(head):]); err != nil {
			return
		}
		cut := len(msg)
		if left == 0 {
			cut = rand.IntN(len(msg) + 1)
		}
		if _, err := nc.Write(msg[:cut]); err != nil {
			return
		}
		if left == 0 {
			if rand.IntN(3) == 0 {
				reset(nc)
			}
			return
		}
	}
}

// stormMessage is the message of that number, which tells it.
func stormMessage(seed uint32, i int) []byte {
	size := 8 + int(seed+uint32(i)*2654435761)%1500
	if i%16 == 15 {
		size += 100_000
	}
	b := make([]byte, size)
	binary.BigEndian.PutUint32(b, seed)
	binary.BigEndian.PutUint32(b[4:], uint32(i))
	for j := 8; j < size; j++ {
		b[j] = byte(j * (i + 1))
	}
	return b
}

// one is the life of a peer: what it hears is what it has said, in order and whole, as far as it comes.
func one(t *testing.T, url string, seed uint32, upgraded *atomic.Int64) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, websocket.Config{TLSConfig: &tls.Config{InsecureSkipVerify: true}, CloseTimeout: patience})
	if err != nil {
		t.Error(err)
		return
	}
	upgraded.Add(1)
	heard := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			_, b, err := c.ReadMessage()
			if err != nil {
				heard <- err
				return
			}
			if string(b) != string(stormMessage(seed, i)) {
				t.Errorf("message %d of %d bytes is another", i, len(b))
			}
		}
	}()
	for i := range rand.IntN(100) {
		if c.WriteMessage(websocket.BinaryMessage, stormMessage(seed, i)) != nil {
			break
		}
	}
	switch rand.IntN(4) {
	case 0:
		_ = c.CloseNow()
	case 1:
		_ = c.CloseWrite(websocket.CloseNormal, "")
	case 2:
		_ = c.Close(websocket.CloseNormal, "")
	default:
		time.AfterFunc(time.Duration(rand.IntN(50))*time.Millisecond, func() { _ = c.Close(4000, "") })
	}
	select {
	case <-heard:
	case <-time.After(2 * patience):
		t.Error("a peer has not ended")
		_ = c.CloseNow()
		<-heard
	}
}

// Many peers may come, talk and go while the service breaks and returns: all messages are right, every end is reported
// once, and nothing is left.
func TestStorm(t *testing.T) {
	for _, w := range []way{ways[0], ways[1]} {
		t.Run(w.name, func(t *testing.T) {
			t.Run("first", func(t *testing.T) { stormOf(t, w, 1, 1) }) // what is made once is there now
			before := descriptors()
			t.Run("peers", func(t *testing.T) { stormOf(t, w, 24, 6) })
			for end := time.Now().Add(patience); descriptors() > before; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%d descriptors, there were %d", descriptors(), before)
				}
			}
		})
	}
}

func stormOf(t *testing.T, w way, at, lives int) {
	s := &storm{addr: "127.0.0.1:0"}
	s.start(t)
	var told atomic.Int64
	r := &rig{t: t, way: w}
	route, err := ParseRoute("/=tcp://" + s.addr)
	if err != nil {
		t.Fatal(err)
	}
	r.g = New(Config{
		Routes: []Route{route}, MaxMessage: 1 << 20, Dial: time.Second, Stall: patience, HalfClose: 100 * time.Millisecond, Linger: 2 * time.Second,
		OnEnd: func(e Report) {
			if told.Add(1); e.End.Reason == "" || e.Status != 101 {
				t.Errorf("told %+v", e)
			}
		},
	})
	r.serve()
	var upgraded atomic.Int64
	var peers sync.WaitGroup
	for i := range at {
		peers.Go(func() {
			for j := range lives {
				one(t, r.url+"/", uint32(i*100+j), &upgraded)
			}
		})
	}
	over := make(chan struct{})
	var restarts sync.WaitGroup
	restarts.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
				s.stop()
				s.start(t)
			}
		}
	})
	peers.Wait()
	close(over)
	restarts.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if cut := r.g.Shutdown(ctx); cut != 0 {
		t.Errorf("%d were cut off", cut)
	}
	s.stop()
	if told.Load() != upgraded.Load() {
		t.Errorf("%d peers have ended, %d have come", told.Load(), upgraded.Load())
	}
	if len(r.g.peers) != 0 || r.g.reserved != 0 {
		t.Errorf("%d peers and %d places are left", len(r.g.peers), r.g.reserved)
	}
}

// descriptors returns how many are open, 0 where that cannot be known.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	return len(entries)
}
