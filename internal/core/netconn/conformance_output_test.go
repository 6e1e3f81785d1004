package netconn_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// share returns a Shared of that many bytes, whose content says which one it is.
func share(i, size int) *bufpool.Shared {
	b := append(bufpool.Get(size + 20)[:0], fmt.Sprintf("%d:", i)...)
	b = append(b, bytes.Repeat([]byte{byte('a' + i%26)}, size)...)
	return bufpool.Share(append(b, '\n'))
}

// A slice that many connections share arrives in order among ordinary output where it was accepted. It is released when it
// has been sent or its connection has ended.
func TestPostShared(t *testing.T) {
	const peers, units = 9, 60
	onPulled(t, func(t *testing.T, k kind) {
		var conns []*netconn.Pulled
		var want [peers]bytes.Buffer
		var got [peers][]byte
		var reading sync.WaitGroup
		read := func(i int, far net.Conn) {
			reading.Go(func() { got[i], _ = io.ReadAll(far) })
		}
		e := netconn.New(netconn.Config{Loop: k.loop, MinWriteRate: -1, LingerTimeout: -1})
		t.Cleanup(func() { _ = e.Close() })
		for i := range peers {
			near, far := connection(t, k)
			c, err := e.Pull(near, nil, nobody{})
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, c)
			t.Cleanup(func() { _ = far.Close() })
			if i%3 != 0 { // the others do not read
				read(i, far)
			}
		}
		var all []*bufpool.Shared
		for n := range units {
			s := share(n, n*200%30_000)
			all = append(all, s)
			for i, c := range conns {
				ok, err := c.PostShared(netconn.Whole, s)
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					want[i].Write(s.Bytes())
				}
				if n%2 == i%2 {
					p := fmt.Appendf(nil, "copy %d\n", n)
					if ok, err := c.Post(netconn.Whole, p); err != nil {
						t.Fatal(err)
					} else if ok {
						want[i].Write(p)
					}
				}
			}
		}
		var over sync.WaitGroup
		for i, c := range conns {
			switch i % 3 {
			case 0: // never reads: the connection is aborted with what it holds
				c.Abort()
				over.Go(func() { c.Finish(netconn.ErrAbort) })
			default:
				over.Go(func() { c.Finish(netconn.ErrDone) })
			}
		}
		over.Wait()
		reading.Wait()
		for i := range peers {
			if i%3 != 0 && !bytes.Equal(got[i], want[i].Bytes()) {
				t.Errorf("peer %d got %d bytes, %d were accepted", i, len(got[i]), want[i].Len())
			}
		}
		for n, s := range all {
			// An Abort does not wait for a goroutine that is sending.
			eventually(t, fmt.Sprintf("slice %d to have no holder at the end", n), s.Sole)
			s.Release()
		}
	})
}

// A shared slice can be posted to connections that the engine serves, from any goroutine. It arrives in order and is
// released.
func TestPostSharedConn(t *testing.T) {
	const units = 200
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{IdlePark: time.Microsecond, MinWriteRate: -1}, nil)
		talk := r.dial()
		w := within(t, "the connection", made)
		want := new(bytes.Buffer)
		var all []*bufpool.Shared
		for n := range units {
			s := share(n, n*40)
			all = append(all, s)
			if ok, err := w.conn.PostShared(netconn.Whole, s); err != nil {
				t.Fatal(err)
			} else if ok {
				want.Write(s.Bytes())
			}
		}
		talk.Want(want.String())
		eventually(t, "the slice to have no holder", func() bool {
			for _, s := range all {
				if !s.Sole() {
					return false
				}
			}
			return true
		})
	})
}

// fill posts units until neither the queue nor the socket has room, and returns how many were accepted.
func fill(t *testing.T, c *netconn.Link, unit []byte) (taken int) {
	t.Helper()
	eventually(t, "the queue to be full, and the socket", func() bool {
		ok, err := c.Post(netconn.Whole, unit)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			taken++
		}
		return !ok && netconn.WriterWaits(c)
	})
	return taken
}

// A writer that found no room is told, once per OnRoom, when a peer that had stopped reading begins to read. Then there is
// room.
func TestOnRoom(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{MinWriteRate: -1}, "")
		roomAgain(t, c, talk, false) // the kernel takes more a little later, even if the peer does not read
	})
	t.Run("pipe", func(t *testing.T) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		e := netconn.New(brief(netconn.Config{MinWriteRate: -1}))
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(near, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		roomAgain(t, c, wiretest.NewTalk(t, far), true)
	})
}

// roomAgain fills c, makes its peer read, and repeats this. exact says that the transport takes nothing while the peer
// does not read.
func roomAgain(t *testing.T, c *netconn.Pulled, talk *wiretest.Talk, exact bool) {
	unit := bytes.Repeat([]byte("0123456789abcdef"), 2<<10)
	taken := fill(t, &c.Link, unit)
	f, told := tell()
	for round := range 3 {
		c.OnRoom(f)
		c.OnRoom(f)
		if exact && len(told) > 0 {
			t.Errorf("round %d: room was reported although the peer does not read", round)
		}
		for range taken {
			talk.Want(string(unit))
		}
		for range 2 {
			within(t, "room to be reported", told)
		}
		if ok, err := c.Post(netconn.Whole, unit); !ok || err != nil {
			t.Errorf("Post after that: %v, %v", ok, err)
		}
		talk.Want(string(unit))
		if len(told) > 0 {
			t.Errorf("round %d: room was reported more often than asked for", round)
		}
		taken = fill(t, &c.Link, unit)
	}
	c.OnRoom(f)
	c.Abort()
	within(t, "the failed write to be reported", told)
	c.OnRoom(f)
	within(t, "a later OnRoom to report it", told)
	c.Finish(netconn.ErrAbort)
}

// Many writers post and wait for room by OnRoom alone, to a peer that reads irregularly: everything that they post
// arrives.
func TestOnRoomStorm(t *testing.T) {
	const writers, units = 6, 300
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{MinWriteRate: -1, WriteBuffer: 8 << 10}, "")
		var all sync.WaitGroup
		for id := range writers {
			all.Go(func() {
				for n := range units {
					unit := fmt.Appendf(nil, "%d %d %s\n", id, n, strings.Repeat("x", 2000))
					for {
						ok, err := c.Post(netconn.Whole, unit)
						if err != nil {
							t.Error(err)
							return
						}
						if ok {
							break
						}
						f, told := tell()
						c.OnRoom(f)
						select {
						case <-told:
						case <-time.After(patience):
							t.Errorf("writer %d waits in vain for room", id)
							return
						}
					}
				}
			})
		}
		in := bufio.NewReader(talk.Conn)
		_ = talk.Conn.SetReadDeadline(time.Now().Add(2 * patience))
		next := map[int]int{}
		for i := range writers * units {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var id, n int
			if _, err := fmt.Sscan(line, &id, &n); err != nil || n != next[id] || len(line) < 2000 {
				t.Fatalf("got %.20q after %v: %v", line, next, err)
			}
			next[id]++
			if i%100 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		all.Wait()
		c.Abort()
		c.Finish(netconn.ErrAbort)
	})
}

// Output that was left to the lot leaves when there is room, even if the clock wakes a writer that is no longer there.
func TestLeftGoesOnAfterAWake(t *testing.T) {
	const size = 8 << 20
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		if ok, err := c.Post(netconn.Whole, make([]byte, size)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		stuck(t, &c.Link)
		netconn.WakeWriter(&c.Link)
		if got := talk.WantN(size); strings.Count(got, "\x00") != size {
			t.Error("wrong bytes arrived")
		}
		talk.Close()
		c.Finish(netconn.ErrDone)
	})
}

// Output that waits for a peer that reads nothing needs no goroutine. When the peers read, everything leaves.
func TestManyDeaf(t *testing.T) {
	onSome(t, func(k kind) bool { return k.latched() && k.network == "tcp" }, func(t *testing.T, k kind) {
		count := min(manyConnections(t), 1000)
		if k.tls {
			count = min(count, 50)
		}
		if raceEnabled {
			count = min(count, 200)
		}
		e := netconn.New(netconn.Config{Loop: k.loop, MinWriteRate: -1, WriteBuffer: 8 << 10, LingerTimeout: -1})
		conns, peers := make([]*netconn.Pulled, count), make([]net.Conn, count)
		for i := range conns {
			near, far := connection(t, k)
			if tcp, ok := near.(*net.TCPConn); ok {
				_ = tcp.SetWriteBuffer(8 << 10)
			}
			c, err := e.Pull(near, nil, nobody{})
			if err != nil {
				t.Fatal(err)
			}
			conns[i], peers[i] = c, far
		}
		before := goroutines()
		unit := bytes.Repeat([]byte("0123456789abcdef"), 256)
		taken := make([]int, count)
		var told atomic.Int64
		for i, c := range conns {
			for {
				ok, err := c.Post(netconn.Whole, unit)
				if err != nil {
					t.Fatal(err)
				}
				if !ok && netconn.Left(&c.Link) {
					break
				}
				if ok {
					taken[i]++
				}
			}
			c.OnRoom(func() { told.Add(1) })
		}
		eventually(t, "no goroutine to wait for a deaf peer", func() bool { return goroutines() <= before+5 }) // the goroutines of the lot and of the clock
		for i, nc := range peers {
			got, err := readAll(nc, taken[i]*len(unit))
			if err != nil || !bytes.Equal(got, bytes.Repeat(unit, taken[i])) {
				t.Fatalf("peer %d did not get all accepted output: %v", i, err)
			}
		}
		eventually(t, "room to be reported to all", func() bool { return told.Load() == int64(count) })
		for i, c := range conns {
			c.Abort()
			c.Finish(netconn.ErrAbort)
			_ = transport(peers[i]).(*net.TCPConn).SetLinger(0)
			_ = transport(peers[i]).Close()
		}
		_ = e.Close()
	})
}

// streams is a source of two streams, which send in turn.
type streams struct {
	mu   sync.Mutex
	left [2]int
	next [2]int
	turn int
}

func (s *streams) give(a, b int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left[0] += a
	s.left[1] += b
}

// streamUnit is unit n of stream i.
func streamUnit(i, n int) string { return fmt.Sprintf("%d %d %s\n", i, n, strings.Repeat("x", 990)) }

func (s *streams) AppendOutput(dst []byte, most int) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(dst) < most && s.left[0]+s.left[1] > 0 {
		if s.left[s.turn] == 0 {
			s.turn = 1 - s.turn
		}
		i := s.turn
		dst = append(dst, streamUnit(i, s.next[i])...)
		s.next[i]++
		s.left[i]--
		s.turn = 1 - i
	}
	return dst, s.left[0]+s.left[1] > 0
}

// unjudged is a configuration for peers that may read a source's output as late as they like.
var unjudged = netconn.Config{IdlePark: time.Microsecond, MinWriteRate: -1, LingerTimeout: millis(1)}

// serveSource echoes lines on connections that also send the output of s.
func serveSource(t *testing.T, k kind, cfg netconn.Config, s *streams, f func(c *netconn.Conn, line string) error) (*rig, chan *netconn.Conn) {
	t.Helper()
	r := newRig(t, k)
	made := make(chan *netconn.Conn, 1)
	cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		made <- c
		return &protocol{r: r, data: lines(f)}, nil
	}
	return r.start(cfg, r.listen()), made
}

// The source chooses what is sent next at the moment when there is room, also for a peer that reads late: two streams
// alternate as the source wants. Written output is sent first.
func TestSource(t *testing.T) {
	const units = 1500
	onEvery(t, func(t *testing.T, k kind) {
		s := &streams{}
		r, made := serveSource(t, k, unjudged, s, echo)
		talk := r.dial()
		c := within(t, "the connection", made)
		s.give(units, units)
		drawn := make(chan struct{})
		go func() {
			defer close(drawn)
			c.Draw(s)
		}()
		within(t, "Draw to return", drawn) // the peer does not read
		talk.Timeout = patience
		for n := range units {
			talk.Want(streamUnit(0, n))
			talk.Want(streamUnit(1, n))
		}
		for n := units; n < units+20; n++ { // one alone, and again
			s.give(0, 1)
			c.Draw(s)
			talk.Want(streamUnit(1, n))
		}
		c.Hold()
		s.give(1, 0)
		c.Draw(s)
		_, _ = c.Write([]byte("written before\n"))
		c.Release()
		_ = c.Flush()
		talk.Want("written before\n" + streamUnit(0, units))
		talk.Send("hello\n")
		talk.Want("hello\n")
		s.give(300, 0) // what it has at the end is sent
		c.Draw(s)
		talk.HalfClose()
		for n := units + 1; n <= units+300; n++ {
			talk.Want(streamUnit(0, n))
		}
		talk.WantEOF()
	})
}

// While a peer takes nothing of a source's output, the peer is still read from, whichever goroutine began to send.
func TestSourceIsHeard(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		s := &streams{}
		s.give(20_000, 20_000) // more than sockets take
		heard := make(chan string, 3)
		r, _ := serveSource(t, k, unjudged, s, func(c *netconn.Conn, line string) error {
			heard <- line
			c.Draw(s)
			return nil
		})
		talk := r.dial()
		for _, line := range []string{"draw", "and", "hear"} {
			talk.Send(line + "\n")
			if got := within(t, "a line", heard); got != line {
				t.Errorf("read %q, want %q", got, line)
			}
		}
	})
}

// The peer is also read from when the source's output follows output of Data that the peer has taken late.
func TestSourceIsHeardBehindData(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		s := &streams{}
		s.give(20_000, 20_000) // more than sockets take
		heard := make(chan string, 3)
		piece := strings.Repeat("x", 60_000)
		var pieces atomic.Int32
		var enough atomic.Bool
		r, made := serveSource(t, k, unjudged, s, func(c *netconn.Conn, line string) error {
			heard <- line
			if enough.Load() {
				return nil
			}
			pieces.Add(1)
			_, err := c.Post(netconn.Whole, []byte(piece)) // it leaves when Data has returned
			return err
		})
		talk := r.dial()
		c := within(t, "the connection", made)
		talk.Send("write\n")
		sent := int64(-1)
		eventually(t, "the output of Data to wait", func() bool {
			select {
			case <-heard:
				talk.Send("write\n")
			default:
			}
			before := sent
			sent = netconn.StatsOf(&c.Link).BytesOut
			return sent == before && netconn.WriterWaits(&c.Link)
		})
		enough.Store(true)
		c.Draw(s)
		talk.Timeout = patience
		for range pieces.Load() {
			talk.Want(piece)
		}
		talk.Send("hear\n")
		for _, want := range []string{"write", "hear"} {
			if got := within(t, "a line", heard); got != want {
				t.Errorf("read %q, want %q", got, want)
			}
		}
	})
}
