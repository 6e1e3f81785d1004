package wspeer

import (
	"bytes"
	"net/http"

	"github.com/lxzan/gws"
)

// newGWS serves with gws as its documentation shows for net/http, with the read loop in a goroutine of its own. The messages of
// a connection are not handled in parallel, which would need a goroutine for each message. By default gws does not validate
// text.
func newGWS() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(PathEcho, gwsOn(gws.NewUpgrader(gwsEcho{}, nil)))
	mux.HandleFunc(PathDeflate, gwsOn(gws.NewUpgrader(gwsEcho{},
		&gws.ServerOption{PermessageDeflate: gws.PermessageDeflate{Enabled: true}})))
	mux.HandleFunc(PathRoom, gwsOn(gws.NewUpgrader(gwsRoom{all: newRoom[*gws.Conn]()}, nil)))
	return mux
}

func gwsOn(u *gws.Upgrader) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c, err := u.Upgrade(w, r); err == nil {
			go c.ReadLoop()
		}
	}
}

// gwsBase answers a ping with its payload, as RFC 6455 §5.5.3 requires. gws's default handler sends an empty pong.
type gwsBase struct{ gws.BuiltinEventHandler }

// OnPing implements gws.Event.
func (gwsBase) OnPing(c *gws.Conn, payload []byte) { c.WritePong(payload) }

type gwsEcho struct{ gwsBase }

// OnMessage implements gws.Event.
func (gwsEcho) OnMessage(c *gws.Conn, m *gws.Message) {
	defer m.Close()
	c.WriteMessage(m.Opcode, m.Bytes())
}

type gwsRoom struct {
	gwsBase
	all *room[*gws.Conn]
}

// OnOpen implements gws.Event.
func (r gwsRoom) OnOpen(c *gws.Conn) { r.all.enter(c) }

// OnClose implements gws.Event.
func (r gwsRoom) OnClose(c *gws.Conn, _ error) { r.all.leave(c) }

// OnMessage implements gws.Event.
func (r gwsRoom) OnMessage(_ *gws.Conn, m *gws.Message) {
	defer m.Close()
	b := gws.NewBroadcaster(m.Opcode, bytes.Clone(m.Bytes())) // the broadcast may continue after this returns
	defer b.Close()
	r.all.each(b.Broadcast)
}
