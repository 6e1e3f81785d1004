package h2conn_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// TestStorm lets everything happen to a connection at once: streams are read, written with small windows, reset by either
// side, interrupted and ended, deadlines pass, and then the connection ends in one of several ways. Every waiting
// goroutine must return, and nothing may be left over.
func TestStorm(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"shutdown": func(r *rig) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			_ = r.eng.Shutdown(ctx)
			_ = r.eng.Close()
		},
		"abort":       func(r *rig) { r.Link().Abort() },
		"closed":      func(r *rig) { _ = r.Talk.Conn.Close() },
		"half closed": func(r *rig) { r.HalfClose() },
		"broken":      func(r *rig) { _ = r.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) },
		"quit":        func(r *rig) { r.Link().Quit() },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				onWays(t, settings{wire: http2.Config{Budget: 1 << 20}}, func(t *testing.T, r *rig) { storm(t, r, seed, end) })
			}
		})
	}
}

func storm(t *testing.T, r *rig, seed uint64, end func(r *rig)) {
	const streams = 40
	r.window(1000)
	var reader, users, ended sync.WaitGroup
	var writing sync.Mutex
	reader.Go(func() { _, _ = io.Copy(io.Discard, r.Talk.Conn) })
	stop := make(chan struct{})
	reader.Go(func() { // time passes
		for {
			select {
			case <-stop:
				return
			default:
				r.clock.Advance(20 * time.Millisecond)
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
	for id := uint32(1); id < 2*streams; id += 2 {
		writing.Lock()
		r.request(id, id%3 == 0)
		writing.Unlock()
		users.Go(func() { peerStorm(r, &writing, id, seed) })
	}
	for range streams {
		s := wiretest.Within(t, "a stream", r.begun)
		ended.Go(func() { useInStorm(s, rand.New(rand.NewPCG(seed, uint64(s.WireLocked().ID())))) })
	}
	users.Go(func() {
		time.Sleep(time.Duration(seed) * time.Millisecond)
		writing.Lock()
		defer writing.Unlock()
		end(r)
	})
	users.Wait()
	done := make(chan struct{})
	go func() { ended.Wait(); close(done) }()
	wiretest.Within(t, "all streams to end", done)
	_ = r.Talk.Conn.Close()
	wiretest.Within(t, "Over", r.over)
	close(stop)
	reader.Wait()
}

// peerStorm does random things to a stream as the peer.
func peerStorm(r *rig, writing *sync.Mutex, id uint32, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1000+uint64(id)))
	for range rnd.IntN(8) {
		writing.Lock()
		switch rnd.IntN(6) {
		case 0:
			_ = r.Framer.WriteRSTStream(id, xhttp2.ErrCodeCancel)
		case 1, 2:
			if id%3 != 0 {
				_ = r.Framer.WriteData(id, false, make([]byte, rnd.IntN(300)))
			}
		case 3:
			_ = r.Framer.WriteWindowUpdate(id, 1+uint32(rnd.IntN(2000)))
		case 4:
			_ = r.Framer.WriteWindowUpdate(0, 1+uint32(rnd.IntN(2000)))
		case 5:
			_ = r.Framer.WritePing(false, [8]byte{1})
		}
		writing.Unlock()
	}
}

// useInStorm uses a stream as its owner: some goroutines read, write and wait, others disturb them.
func useInStorm(s *stream, rnd *rand.Rand) {
	var both sync.WaitGroup
	stop := s.OnGone(func() {}).Stop
	_ = s.SetReadDeadline(s.conn.Link().Wall().Add(2 * time.Second))
	_ = s.SetWriteDeadline(s.conn.Link().Wall().Add(time.Duration(1+rnd.IntN(3)) * time.Second))
	_ = s.respond(false)
	size, disturb, finish := rnd.IntN(4000), rnd.IntN(5), rnd.IntN(2) == 0
	both.Go(func() {
		for s.send(make([]byte, size), false) == nil && size > 0 {
		}
	})
	both.Go(func() {
		for {
			got, err := s.Fill()
			if s.Take(len(got)); err != nil {
				return
			}
		}
	})
	switch disturb {
	case 0:
		s.locked(func() { s.InterruptLocked(errors.New("interrupted")) })
	case 1:
		s.locked(func() { s.ResetLocked(http2.ErrCodeCancel) })
	case 2:
		s.locked(func() { s.FailWritesLocked(h2conn.ErrClosed) })
	case 3:
		_ = s.Flush()
	}
	both.Wait()
	if disturb%2 == 0 {
		stop()
	}
	s.conn.Lock()
	free := s.FinishLocked(finish)
	s.conn.Unlock()
	if free {
		s.conn.Link().EndWork()
	}
	s.conn.Draw()
}
