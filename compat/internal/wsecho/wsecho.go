// Package wsecho serves a WebSocket echo with package websocket, on each server and with each way to read. Clients of other
// projects are tested against all of them.
//
// Messages are echoed, except for these texts:
//
//	/close CODE REASON    the server closes with this code and reason
//	/fragments            the server sends "f" 70,000 times, in fragments
//	/ping                 the server sends a ping, and "answered" when the pong arrives
package wsecho

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// Way is a combination of a server and a way to read.
type Way struct {
	Name      string
	callbacks bool
	build     func(accept upgrade) httpServer
}

// Ways are the combinations that are tested.
var Ways = []Way{
	{"net-http-blocking", false, onStandard},
	{"nethttp-blocking", false, onNetHTTP},
	{"nethttp-callbacks", true, onNetHTTP},
	{"native-callbacks", true, onNative},
}

// Blocking and Callbacks are the two ways to read, for tests that are too long for all Ways.
var Blocking, Callbacks = Ways[1], Ways[2]

// Server is a running echo. It is shut down at the end of its test, which fails if a connection is left.
type Server struct {
	Addr  string // 127.0.0.1:port
	URL   string // ws://127.0.0.1:port/
	Group *websocket.Group
}

// httpServer is the common interface of all servers.
type httpServer interface {
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// upgrade turns requests into connections, in a net/http handler or a native one.
type upgrade struct {
	cfg  websocket.Config
	then func(*websocket.Conn) // serves the connection; nil with callbacks
}

// Start starts an echo that runs until the test ends. It sets the callbacks and the Group of cfg.
func (w Way) Start(t testing.TB, cfg websocket.Config) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: l.Addr().String(), URL: "ws://" + l.Addr().String() + "/", Group: new(websocket.Group)}
	cfg.Group = s.Group
	u := upgrade{cfg: cfg, then: converse}
	if w.callbacks {
		u.cfg.OnMessage = func(c *websocket.Conn, kind websocket.MessageType, p []byte) { reply(c, kind, p) }
		u.then = nil
	}
	web := w.build(u)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	t.Cleanup(func() { s.end(t, web, ended) })
	return s
}

func (s *Server) end(t testing.TB, web httpServer, ended chan error) {
	ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
	defer cancel()
	if err := s.Group.Shutdown(ctx); err != nil {
		t.Errorf("%d connections are left when the test has ended: %v", s.Group.Len(), err)
	}
	if err := web.Shutdown(ctx); err != nil {
		t.Errorf("the server does not end: %v", err)
	}
	web.Close()
	if err := both.Receive(t, ended, "the end of Serve"); err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve returned %v", err)
	}
}

func onStandard(u upgrade) httpServer { return &http.Server{Handler: u} }

func onNetHTTP(u upgrade) httpServer { return nethttp.FromServer(&http.Server{Handler: u}) }

func onNative(u upgrade) httpServer {
	cfg := server.DefaultConfig()
	cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		u.begin(websocket.Upgrade(w, r, u.cfg))
	})
	return server.NewServer(cfg)
}

// ServeHTTP is the handler on servers with net/http's types.
func (u upgrade) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.begin(websocket.Accept(w, r, u.cfg))
}

// begin serves the connection, unless the upgrade failed or there are callbacks.
func (u upgrade) begin(c *websocket.Conn, err error) {
	if err == nil && u.then != nil {
		u.then(c)
	}
}

// converse replies to messages until the connection ends.
func converse(c *websocket.Conn) {
	for {
		kind, p, err := c.ReadMessage()
		if err != nil {
			return
		}
		reply(c, kind, p) // if this fails, so does the next read
	}
}

// reply replies to a message. It ignores errors, because they mean that the connection has ended.
func reply(c *websocket.Conn, kind websocket.MessageType, p []byte) {
	if kind == websocket.TextMessage && len(p) < 200 {
		order, rest, _ := strings.Cut(string(p), " ")
		switch order {
		case "/close":
			code, reason, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(code)
			c.Close(websocket.CloseCode(n), reason)
			return
		case "/fragments":
			fragments(c)
			return
		case "/ping":
			go ping(c) // in a goroutine, because the caller has to read the pong
			return
		}
	}
	c.WriteMessage(kind, p)
}

func fragments(c *websocket.Conn) {
	w, err := c.NextWriter(websocket.TextMessage)
	if err != nil {
		return
	}
	for range 70 {
		io.WriteString(w, strings.Repeat("f", 1000)) // Close returns the error
	}
	w.Close()
}

func ping(c *websocket.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
	defer cancel()
	said := "answered"
	if err := c.Ping(ctx); err != nil {
		said = "the ping was not answered: " + err.Error()
	}
	c.WriteMessage(websocket.TextMessage, []byte(said))
}
