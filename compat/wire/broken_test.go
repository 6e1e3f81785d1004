package wire

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// breaks is how many connections of each kind are broken.
const breaks = 12

// When a connection breaks in a body, both ends see an error, and nothing is left of the connection.
func TestBrokenExchanges(t *testing.T) {
	onEveryBreak(t, func(t *testing.T, s *site, dice *rand.Rand, nth int) {
		path := [...]string{"/take", "/give", "/both"}[nth%3]
		f := fateOf(dice, []direction{toServer, toClient, direction(dice.IntN(2))}[nth%3])
		if err := s.breakExchange(path, f); err != nil {
			t.Errorf("%s, %v: %v", path, f, err)
		}
	})
}

// When the connection of a WebSocket breaks, both ends see an error, and nothing is left of it.
func TestBrokenMessages(t *testing.T) {
	onEveryBreak(t, func(t *testing.T, s *site, dice *rand.Rand, nth int) {
		f := fateOf(dice, direction(dice.IntN(2)))
		reads := [...]string{"messages", "callbacks", "streams"}[nth%3]
		if err := s.breakMessages(reads, nth%2 == 0, f); err != nil {
			t.Errorf("the server reads by %s, %v: %v", reads, f, err)
		}
	})
}

// onEveryBreak calls test for connections to a server of each face, and then has everything be over.
func onEveryBreak(t *testing.T, test func(t *testing.T, s *site, dice *rand.Rand, nth int)) {
	for _, f := range faces {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := f.serve(t, new(plain))
			var all sync.WaitGroup
			for nth := range breaks {
				all.Go(func() { test(t, s, diceFor(t.Name(), uint64(nth)), nth) })
			}
			all.Wait()
			s.wantAllBroken(t)
		})
	}
}

// fateOf throws the dice for a connection that is to break.
func fateOf(dice *rand.Rand, way direction) fate {
	return fate{kind: isReset + ending(dice.IntN(2)), way: way, after: 1 + dice.Int64N(1<<(8+dice.IntN(11)))}
}

// wantAllBroken waits until every connection has been accepted and is over, with every call that has begun on it. These
// have ended with errors.
func (s *site) wantAllBroken(t *testing.T) {
	t.Helper()
	var now server.Stats
	if !within(func() bool {
		now = s.web.(interface{ Stats() server.Stats }).Stats()
		return now.Connections == breaks && now.OpenConnections == 0 && len(s.begun) == len(s.ends)
	}) {
		t.Fatalf("of %d connections %d are left, of %d calls %d", now.Connections, now.OpenConnections,
			len(s.begun), len(s.begun)-len(s.ends))
	}
	for range len(s.ends) {
		if err := <-s.ends; !isBroken(err) {
			t.Errorf("a call ended with %v", err)
		}
	}
}

// isBroken reports whether err is that of a connection whose peer has sent no close frame.
func isBroken(err error) bool {
	code := websocket.CloseStatus(err)
	return err != nil && (code == 0 || code == websocket.CloseAbnormal)
}

// through returns s behind a proxy of its own. What it returns with it takes the proxy away.
func (s *site) through(f fate) (*site, func() error, error) {
	p := newProxy(f)
	if err := p.standBefore(s.network.(*plain).addr); err != nil {
		return nil, nil, err
	}
	return &site{network: p, secure: s.secure, group: s.group}, p.close, nil
}

// breakExchange sends or takes what lasts for ever until fate comes.
func (s *site) breakExchange(path string, f fate) (err error) {
	s, end, err := s.through(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	u := s.user()
	defer u.CloseIdleConnections()
	var body io.Reader
	if path != "/give" {
		body = forever{}
	}
	res, err := u.Post(u.url+path, "", body)
	if err != nil {
		return nil // as it should be
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err == nil && res.StatusCode < 400 {
		return fmt.Errorf("the client was told %s, and all of its body", res.Status)
	}
	return nil
}

// breakMessages has messages echoed until fate comes.
func (s *site) breakMessages(reads string, callbacks bool, f fate) (err error) {
	s, end, err := s.through(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	k := &talk{over: make(chan error, 1)}
	cfg := websocket.Config{ReadLimit: readLimit}
	if callbacks {
		cfg.OnMessage = func(*websocket.Conn, websocket.MessageType, []byte) {}
		cfg.OnClose = k.end
	}
	c, err := s.dialMessages(reads, cfg)
	if err != nil {
		return nil // as it should be
	}
	if !callbacks {
		go func() {
			for _, err := range c.Messages() {
				if err != nil {
					k.end(c, err)
				}
			}
		}()
	}
	for err == nil {
		err = c.WriteMessage(websocket.BinaryMessage, make([]byte, 5000))
	}
	select {
	case err := <-k.over:
		if !isBroken(err) {
			return fmt.Errorf("the client's end ended with %v", err)
		}
	case <-time.After(patience):
		return errors.New("the client's end has not ended")
	}
	<-c.Done()
	return nil
}
