package wspeer

import (
	"net"

	"github.com/gobwas/ws"
)

// serveGobwas serves with gobwas/ws without net/http: with its own handshake and framing, one buffer for each connection, and
// one write for each frame.
func serveGobwas(l net.Listener) error {
	all := newRoom[net.Conn]()
	for {
		nc, err := l.Accept()
		if err != nil {
			return err
		}
		go beginGobwas(nc, all)
	}
}

func beginGobwas(nc net.Conn, all *room[net.Conn]) {
	var path string
	u := ws.Upgrader{OnRequest: func(uri []byte) error {
		if path = string(uri); path != PathEcho && path != PathRoom {
			return ws.RejectConnectionError(ws.RejectionStatus(404))
		}
		return nil
	}}
	if _, err := u.Upgrade(nc); err != nil {
		nc.Close()
		return
	}
	if path == PathEcho {
		go readGobwas(nc, func(frame []byte) error { return writeAll(nc, frame) })
		return
	}
	all.enter(nc)
	go func() {
		readGobwas(nc, func(frame []byte) error {
			all.each(func(c net.Conn) error { return writeAll(c, frame) })
			return nil
		})
		all.leave(nc)
	}()
}

func writeAll(nc net.Conn, frame []byte) error {
	_, err := nc.Write(frame)
	return err
}

// readGobwas reads messages until the connection ends. It calls send with each message as the frame that a server sends back;
// frame is only valid until send returns.
func readGobwas(nc net.Conn, send func(frame []byte) error) {
	defer nc.Close()
	for r := NewGobwas(nc); ; {
		op, p, err := r.Next()
		switch {
		case err != nil:
			return
		case op == ws.OpPing:
			err = ws.WriteFrame(nc, ws.NewPongFrame(p))
		case op == ws.OpClose:
			ws.WriteFrame(nc, ws.NewCloseFrame(p))
			return
		case op.IsData():
			err = send(r.whole(op, p))
		}
		if err != nil {
			return
		}
	}
}
