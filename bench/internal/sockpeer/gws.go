package sockpeer

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/lxzan/gws"
)

// gwsServer serves with gws as its documentation shows for net/http.
type gwsServer struct {
	gws.BuiltinEventHandler
	mu      sync.Mutex
	members map[*gws.Conn]struct{}
}

// OnOpen implements gws.Event.
func (h *gwsServer) OnOpen(c *gws.Conn) {
	s := &session{tell: h.tell}
	s.send = func(p []byte) error { return c.WriteMessage(gws.OpcodeBinary, p) }
	s.join = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.members[c] = struct{}{}
	}
	c.Session().Store("session", s)
}

// OnClose implements gws.Event.
func (h *gwsServer) OnClose(c *gws.Conn, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.members, c)
}

// OnMessage implements gws.Event.
func (h *gwsServer) OnMessage(c *gws.Conn, m *gws.Message) {
	defer m.Close()
	s, _ := c.Session().Load("session")
	_ = s.(*session).take(m.Bytes()) // the read loop of a broken connection ends by itself
}

func (h *gwsServer) tell(p []byte) {
	b := gws.NewBroadcaster(gws.OpcodeBinary, bytes.Clone(p)) // the broadcast may continue after this returns
	defer b.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.members {
		_ = b.Broadcast(c)
	}
}

func serveGWS(l net.Listener) error {
	u := gws.NewUpgrader(&gwsServer{members: map[*gws.Conn]struct{}{}}, nil)
	return serveHTTP(l, func(w http.ResponseWriter, r *http.Request) {
		if c, err := u.Upgrade(w, r); err == nil {
			go c.ReadLoop()
		}
	})
}

// gwsClient is a connection that does a task.
type gwsClient struct {
	gws.BuiltinEventHandler
	d    *driver
	said chan error
}

// OnClose implements gws.Event.
func (h *gwsClient) OnClose(_ *gws.Conn, err error) {
	h.said <- fmt.Errorf("the server has gone: %w", err)
}

// OnMessage implements gws.Event.
func (h *gwsClient) OnMessage(_ *gws.Conn, m *gws.Message) {
	defer m.Close()
	if over, err := h.d.take(m.Bytes()); over || err != nil {
		h.said <- err
	}
}

func driveGWS(url string, cfg *tls.Config, t Task) (*Account, error) {
	h := &gwsClient{said: make(chan error)}
	c, _, err := gws.NewClient(h, &gws.ClientOption{Addr: url, TlsConfig: cfg})
	if err != nil {
		return nil, err
	}
	h.d = newDriver(t, func(p []byte) error { return c.WriteMessage(gws.OpcodeBinary, p) })
	go c.ReadLoop()
	return h.d.run(func() error { return <-h.said })
}
