package websocket

import (
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
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
	name, refused := ss.choose(cs.Subprotocols)
	if refused != nil {
		panic(refused)
	}
	a := handshakeAnswer{subprotocol: name}
	if offers := offerDeflate(cs.Compression); len(offers) > 0 {
		a.deflate, _ = chooseDeflate([]string{string(appendOffers(nil, offers))}, ss.Compression)
	}
	near, far := memoryPair()
	c, err := cs.open(&handshakeResult{role: wsframe.Client, nc: near, agreed: a}, nil)
	if err != nil {
		panic(err)
	}
	s, err := ss.open(&handshakeResult{role: wsframe.Server, nc: far, agreed: a}, nil)
	if err != nil {
		c.CloseNow()
		panic(err)
	}
	return c, s
}

// memoryBuffer is how many unread bytes each direction of a memory connection holds.
const memoryBuffer = 1 << 20

// memoryConn is one end of a connection in memory.
type memoryConn struct {
	in, out *flow
	name    memoryAddr
}

func memoryPair() (near, far *memoryConn) {
	there, back := newFlow(), newFlow()
	return &memoryConn{in: back, out: there, name: "client"}, &memoryConn{in: there, out: back, name: "server"}
}

type memoryAddr string

// Network and String implement net.Addr.
func (memoryAddr) Network() string  { return "memory" }
func (a memoryAddr) String() string { return string(a) }

func (m *memoryConn) LocalAddr() net.Addr { return m.name }

func (m *memoryConn) RemoteAddr() net.Addr {
	if m.name == "client" {
		return memoryAddr("server")
	}
	return memoryAddr("client")
}

func (m *memoryConn) Read(p []byte) (int, error)  { return m.in.read(p) }
func (m *memoryConn) Write(p []byte) (int, error) { return m.out.write(p) }

// CloseWrite ends this end's output: the other end reads io.EOF after it.
func (m *memoryConn) CloseWrite() error {
	m.out.closeWrite()
	return nil
}

func (m *memoryConn) Close() error {
	m.out.closeWrite()
	m.in.closeRead()
	return nil
}

func (m *memoryConn) SetDeadline(t time.Time) error {
	m.in.setDeadline(&m.in.readBy, t)
	m.out.setDeadline(&m.out.writeBy, t)
	return nil
}

func (m *memoryConn) SetReadDeadline(t time.Time) error {
	m.in.setDeadline(&m.in.readBy, t)
	return nil
}

func (m *memoryConn) SetWriteDeadline(t time.Time) error {
	m.out.setDeadline(&m.out.writeBy, t)
	return nil
}
