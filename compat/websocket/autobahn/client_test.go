package autobahn

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/websocket"
)

// casePatience is how long one case may take on a busy machine.
const casePatience = 2 * time.Minute

const agent = "shockwave"

// clientWay is how a client of ours reads, and what it offers.
type clientWay struct {
	name        string
	run         func(t *testing.T, url string, cfg websocket.Config)
	compression websocket.Compression
}

// Our client passes the suite, which plays the server.
func TestClient(t *testing.T) {
	for _, way := range []clientWay{
		{"blocking", echoBlocking, websocket.ContextTakeover},
		{"callbacks", echoCallbacks, websocket.NoContextTakeover},
	} {
		t.Run(way.name, func(t *testing.T) { each(t, way.play) })
	}
}

// play plays all cases of some sections, four at a time.
func (way clientWay) play(t *testing.T, wanted []section) {
	s := startServer(t, wanted)
	n := s.caseCount(t)
	cfg := echoConfig(way.compression)
	var playing sync.WaitGroup
	next := make(chan int)
	for range 4 {
		playing.Go(func() {
			for i := range next {
				way.run(t, fmt.Sprintf("%s/runCase?case=%d&agent=%s", s.url, i, agent), cfg)
			}
		})
	}
	for i := range n {
		next <- i + 1
	}
	close(next)
	playing.Wait()
	echoBlocking(t, s.url+"/updateReports?agent="+agent, websocket.Config{})
	s.report(t).judge(t, wanted)
}

// caseCount asks how many cases there are.
func (s *suiteServer) caseCount(t *testing.T) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, s.url+"/getCaseCount", websocket.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := c.ReadMessageContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c.ReadMessageContext(ctx) // the close frame
	n, err := strconv.Atoi(string(p))
	if err != nil || n == 0 {
		t.Fatalf("the suite says that it has %q cases", p)
	}
	return n
}

// echoBlocking returns all messages until the suite closes. How a case ends is judged by the suite.
func echoBlocking(t *testing.T, url string, cfg websocket.Config) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), casePatience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, cfg)
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return
	}
	for {
		kind, p, err := c.ReadMessageContext(ctx)
		if err != nil {
			if ctx.Err() != nil {
				t.Errorf("%s: still open", url)
				c.CloseNow()
			}
			return
		}
		c.WriteMessage(kind, p)
	}
}

// echoCallbacks is the same by callbacks.
func echoCallbacks(t *testing.T, url string, cfg websocket.Config) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), casePatience)
	defer cancel()
	cfg.OnMessage = func(c *websocket.Conn, kind websocket.MessageType, p []byte) { c.WriteMessage(kind, p) }
	c, _, err := websocket.Dial(ctx, url, cfg)
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return
	}
	select {
	case <-c.Done():
	case <-ctx.Done():
		t.Errorf("%s: still open", url)
		c.CloseNow()
	}
}
