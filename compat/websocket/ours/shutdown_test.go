package ours

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// shutDown ends a server and the connections of g that began on it, as docs/migrating.md says.
func shutDown(ctx context.Context, s shutter, g *websocket.Group) error {
	s.RegisterOnShutdown(func() { g.Shutdown(ctx) })
	return errors.Join(s.Shutdown(ctx), g.Shutdown(ctx))
}

// shutter is what all servers have that shut down.
type shutter interface {
	Shutdown(ctx context.Context) error
	RegisterOnShutdown(f func())
}

// parting is a server with WebSocket at /ws, and with a request in hand that ends when the peer there has been told.
type parting struct {
	group  *websocket.Group
	inHand chan bool
	told   chan bool
}

func newParting() *parting {
	return &parting{new(websocket.Group), make(chan bool), make(chan bool)}
}

// ServeHTTP is the server for net/http's types.
func (p *parting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ws" {
		websocket.Accept(w, r, serverConfig(p.group, websocket.NoCompression, true))
		return
	}
	p.inHand <- true
	<-p.told
	io.WriteString(w, "in peace")
}

// native is the same for native handlers.
func (p *parting) native(w *server.ResponseWriter, r *server.Request) {
	if string(r.Path()) == "/ws" {
		websocket.Upgrade(w, r, serverConfig(p.group, websocket.NoCompression, true))
		return
	}
	p.inHand <- true
	<-p.told
	w.WriteText("in peace")
}

// play shuts s down: the peer is told at once, the request is finished, and both are waited for.
func (p *parting) play(t *testing.T, s shutter, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url+"/ws", websocket.Config{Group: group(t)})
	if err != nil {
		t.Fatal(err)
	}
	response := make(chan string, 1)
	go func() {
		resp, err := http.Get(url)
		if err != nil {
			response <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		response <- string(body)
	}()
	both.Receive(t, p.inHand, "the request")
	down := make(chan error, 1)
	go func() { down <- shutDown(ctx, s, p.group) }()
	if _, _, err := c.ReadMessageContext(ctx); websocket.CloseStatus(err) != websocket.CloseGoingAway {
		t.Errorf("the peer was told %v, want 1001", err)
	}
	both.Offer(t, p.told, true, "the peer to be told")
	if got := both.Receive(t, response, "the response"); got != "in peace" {
		t.Errorf("the running request got the response %q", got)
	}
	if err := both.Receive(t, down, "the end"); err != nil || p.group.Len() != 0 {
		t.Errorf("%d connections are left: %v", p.group.Len(), err)
	}
}

// A server and its Group shut down together, on every server.
func TestShutDownTogether(t *testing.T) {
	var p *parting
	configure := func() *http.Server {
		p = newParting()
		return &http.Server{Handler: p}
	}
	both.RunServer(t, configure, func(t *testing.T, s *both.Site) { p.play(t, s.Server, s.URL) })
}

// The native server and its Group shut down together.
func TestShutDownTogetherNative(t *testing.T) {
	p := newParting()
	s, url := native(t, p.native)
	p.play(t, s, url)
}
