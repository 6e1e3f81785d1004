package wsmemory

import (
	"github.com/lxzan/gws"
)

type gwsReader struct {
	gws.BuiltinEventHandler
	got func(p []byte)
}

// OnMessage implements gws.Event.
func (r *gwsReader) OnMessage(_ *gws.Conn, m *gws.Message) {
	r.got(m.Bytes())
	m.Close()
}

func readGWS(s *stream, got func(p []byte)) (func() error, error) {
	c, err := gws.NewUpgrader(&gwsReader{got: got}, nil).Upgrade(s.handshake())
	return func() error { c.ReadLoop(); return nil }, err
}

func writeGWS(s *stream) (func(p []byte) error, error) {
	c, err := gws.NewUpgrader(&gwsReader{}, nil).Upgrade(s.handshake())
	return func(p []byte) error { return c.WriteMessage(gws.OpcodeText, p) }, err
}
