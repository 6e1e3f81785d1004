package streamsock_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// churning is a socket whose peers come and go, and the events that it has received of them.
type churning struct {
	*streamsock.Socket
	slow  streamsock.Slow
	addrs []string

	mu      sync.Mutex
	next    map[*streamsock.Peer]int // of who is connected: the number of the message that is to come
	err     error                    // the first
	counts  map[string]int
	journal sync.WaitGroup
}

// newChurning returns a socket with a policy, bound on every transport. Peers with a name come back as the same peer.
func newChurning(t *testing.T, slow streamsock.Slow, cfg streamsock.Config) *churning {
	c := &churning{slow: slow, next: map[*streamsock.Peer]int{}, counts: map[string]int{}}
	cfg.Slow, cfg.QueueMessages, cfg.Linger, cfg.HandshakeTimeout = slow, 20, 100*time.Millisecond, 10*time.Second
	cfg.PeerBytes, cfg.LastID = 20_000, 5000
	cfg.FirstMessage, cfg.Away = true, 50*time.Millisecond
	cfg.Accept = func(a *streamsock.Arrival) error {
		name := string(a.First)
		if a.Request != nil {
			name = strings.TrimPrefix(a.Request.URL.Path, "/")
		}
		if name == "stranger" {
			return errors.New("stranger")
		}
		if !strings.HasPrefix(name, "anybody") {
			a.Key = name
		}
		return nil
	}
	if slow%2 == 0 {
		cfg.OnMessage = c.told
	}
	c.Socket = streamsock.New(cfg)
	for _, transport := range transports {
		c.addrs = append(c.addrs, bind(t, c.Socket, at(t, transport)))
	}
	if cfg.OnMessage == nil {
		c.journal.Go(func() {
			for m, err := c.Recv(context.Background()); err == nil; m, err = c.Recv(context.Background()) {
				c.told(m)
				m.Release()
			}
		})
	}
	return c
}

// told checks the order of events: connected and disconnected in turn, and between them messages in order.
func (c *churning) told(m streamsock.Message) {
	c.mu.Lock()
	at, live := c.next[m.Peer]
	c.counts[m.Kind.String()]++
	var wrong error
	switch m.Kind {
	case streamsock.EventConnected, streamsock.EventReconnected:
		if live {
			wrong = fmt.Errorf("%v twice", m.Kind)
		}
		c.next[m.Peer] = 0
	case streamsock.EventDisconnected:
		if !live {
			wrong = errors.New("disconnected twice")
		}
		c.counts[m.End.Reason.String()]++
		delete(c.next, m.Peer)
	default:
		var i int
		if _, err := fmt.Sscan(string(m.Data), &i); err != nil || !live || i != at {
			wrong = fmt.Errorf("message %.20q (%v) where %d is next, connected: %v", m.Data, err, at, live)
		}
		c.next[m.Peer]++
	}
	if c.err == nil && wrong != nil {
		c.err = fmt.Errorf("peer %d: %w", m.Peer.ID(), wrong)
	}
	c.mu.Unlock()
	if m.Kind == streamsock.KindBinary {
		_ = m.Reply([]byte("xxx"))
	}
}

// disturb calls everything that a program may call for peers, until quit is closed.
func (c *churning) disturb(t *testing.T, r *rand.Rand, quit <-chan struct{}) {
	body := []byte(strings.Repeat("x", 20_000))
	for {
		select {
		case <-quit:
			return
		case <-time.After(time.Duration(r.IntN(5)) * time.Millisecond):
		}
		ps := c.Peers()
		if len(ps) == 0 {
			continue
		}
		p, group := ps[r.IntN(len(ps))], c.Group(fmt.Sprint(r.IntN(3)))
		switch r.IntN(9) {
		case 0:
			c.Broadcast(body[:r.IntN(2000)])
		case 1:
			c.SendMany([]streamsock.ID{p.ID(), p.ID() + 1, 4999}, body[:r.IntN(len(body))])
		case 2:
			if r.IntN(20) == 0 {
				_ = p.Disconnect(4000, "go")
			}
		case 3:
			_ = p.SendKey(fmt.Sprint(r.IntN(3)), body[:r.IntN(100)])
		case 4:
			group.Join(p)
		case 5:
			group.Broadcast(body[:r.IntN(100)], p)
		case 6:
			group.Leave(p)
		case 7:
			_ = p.TrySend(streamsock.KindBinary, body[:r.IntN(1000)])
		case 8:
			addr, err := c.Bind("tcp://127.0.0.1:0")
			if err == nil {
				err = c.Unbind(addr[0])
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// ends closes the socket and checks the events that it received.
func (c *churning) ends(t *testing.T) {
	_ = c.Shutdown(context.Background())
	c.journal.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		t.Errorf("policy %d: %v", c.slow, c.err)
	}
	if n := len(c.next); n > 0 || len(c.Peers()) > 0 {
		t.Errorf("policy %d: %d connections have no end, %d peers are left", c.slow, n, len(c.Peers()))
	}
	st := c.Stats()
	if st.Buffered != 0 {
		t.Errorf("policy %d: %d bytes are held", c.slow, st.Buffered)
	}
	var told []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		told = append(told, fmt.Sprintf("%s %d", what, c.counts[what]))
	}
	t.Logf("policy %d: %d accepted, %d refused; told: %s", c.slow, st.Accepted, st.Refused, strings.Join(told, ", "))
}

// used is the resources of the process in use.
type used struct {
	goroutines, files int
	heap              uint64
}

func usedNow() used {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd")
	return used{runtime.NumGoroutine(), len(files), m.HeapAlloc}
}

// Peers come, talk, do not read, break off and come back, all at the same time: every message is right, and nothing is left at
// the end. SHOCKWAVE_CHURN sets how long it runs; scripts/churn sets it.
func TestChurn(t *testing.T) {
	lasts, peers, stays := time.Second, 60, 50*time.Millisecond
	if s := os.Getenv("SHOCKWAVE_CHURN"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		lasts, peers, stays = d, 500, 5*time.Second
	}
	ours, theirs := certificate(t)
	before := usedNow()
	var sockets []*churning
	for _, slow := range []streamsock.Slow{streamsock.BlockWhenSlow, streamsock.FailWhenSlow, streamsock.DropOldest, streamsock.LatestPerKey, streamsock.CloseWhenSlow} {
		sockets = append(sockets, newChurning(t, slow, streamsock.Config{TLSConfig: ours}))
	}
	quit := make(chan struct{})
	time.AfterFunc(lasts, func() { close(quit) })
	var disturbers, lives sync.WaitGroup
	for i, c := range sockets {
		disturbers.Go(func() { c.disturb(t, rand.New(rand.NewPCG(uint64(i), 1)), quit) })
	}
	var lived, most atomic.Int64
	for i := range peers {
		lives.Go(func() {
			v := visitor{t: t, r: rand.New(rand.NewPCG(uint64(i), 2)), name: fmt.Sprint("visitor", i/2), tls: theirs, stays: stays}
			for {
				select {
				case <-quit:
					return
				default:
					v.visit(sockets[v.r.IntN(len(sockets))])
					lived.Add(1)
				}
			}
		})
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			n := int64(0)
			for _, c := range sockets {
				n += int64(len(c.Peers()))
			}
			most.Store(max(most.Load(), n))
			select {
			case <-tick.C:
			case <-quit:
				tick.Stop()
				return
			}
		}
	}()
	lives.Wait()
	disturbers.Wait()
	<-watched
	for _, c := range sockets {
		c.ends(t)
	}
	t.Logf("%d visits, %d peers at once", lived.Load(), most.Load())
	after := used{}
	wiretest.Eventually(t, "everything to be given back", func() bool {
		after = usedNow()
		return after.goroutines <= before.goroutines && after.files <= before.files
	})
	t.Logf("before %+v, after %+v", before, after)
	if grown := int64(after.heap) - int64(before.heap); grown > 8<<20 {
		t.Errorf("%d bytes more are in use", grown)
	}
}
