package websocket

import (
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
	"github.com/shockwave-go/shockwave/websocket/internal/memconn"
)

// Pipe returns the two ends of a connection in memory, for tests of applications. They behave as if Dial had connected
// to Accept: the server chooses its first subprotocol that the client has, and messages are compressed if both Configs
// say so. There is no handshake, so origins, header fields and the like are not used.
//
// Each end buffers up to 1 MiB that the other has not read yet, so one goroutine may write at one end and then read at
// the other. As with any Conn, both ends must be closed or read until an error. Pipe panics if the Group of either
// Config has been shut down, or if ChooseSubprotocol chooses a subprotocol that was not offered.
func Pipe(client, server Config) (*Conn, *Conn) {
	cs, ss := client.settings(), server.settings()
	a, refused := handshake.Direct(&cs.shake, &ss.shake)
	if refused != nil {
		panic(handshakeError(refused))
	}
	near, far := memconn.Pair()
	c, err := cs.open(&opened{role: wsframe.Client, nc: near, agreed: a}, nil)
	if err != nil {
		panic(err)
	}
	s, err := ss.open(&opened{role: wsframe.Server, nc: far, agreed: a}, nil)
	if err != nil {
		c.CloseNow()
		panic(err)
	}
	return c, s
}
