// Package wsecho serves an echo of package websocket on each server and in each way to read: other people's clients talk
// to all of them.
//
// Messages come back as they are, except texts that ask for something:
//
//	/close CODE REASON    the server closes with these
//	/fragments            the server says 70,000 times "f", in fragments
//	/ping                 the server pings, and says "answered" once the pong has come
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

// Way is a server together with a way to read.
type Way struct {
	Name      string
	callbacks bool
	build     func(accept upgrade) httpServer
}

// Ways are all of them.
var Ways = []Way{
	{"net-http-blocking", false, onStandard},
	{"nethttp-blocking", false, onNetHTTP},
	{"nethttp-callbacks", true, onNetHTTP},
	{"native-callbacks", true, onNative},
}

// Blocking and Callbacks are the two ways to read, for tests that are too long for all Ways.
var Blocking, Callbacks = Ways[1], Ways[2]

// Server is an echo at work. It ends with its test, which fails if a connection stays.
type Server struct {
	Addr  string // 127.0.0.1:port
	URL   string // ws://127.0.0.1:port/
	Group *websocket.Group
}

// httpServer is what all servers have in common.
type httpServer interface {
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// upgrade is how a handler of net/http's types and a native one make a Conn of a request.
type upgrade struct {
	cfg  websocket.Config
	then func(*websocket.Conn) // nil with callbacks
}

// Start serves an echo until the test ends. The callbacks and the Group of cfg are set here.
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
		u.cfg.OnMessage = func(c *websocket.Conn, kind websocket.MessageType, p []byte) { answer(c, kind, p) }
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

// ServeHTTP is the handler on the servers of net/http's types.
func (u upgrade) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.begin(websocket.Accept(w, r, u.cfg))
}

// begin leads the conversation, unless the upgrade was refused or the callbacks do.
func (u upgrade) begin(c *websocket.Conn, err error) {
	if err == nil && u.then != nil {
		u.then(c)
	}
}

// converse answers messages until the connection is over.
func converse(c *websocket.Conn) {
	for {
		kind, p, err := c.ReadMessage()
		if err != nil {
			return
		}
		answer(c, kind, p) // what cannot be answered shows in the next read
	}
}

// answer does what a message asks for. Errors are those of a connection that is over.
func answer(c *websocket.Conn, kind websocket.MessageType, p []byte) {
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
			go ping(c) // its pong is read by whoever called
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
