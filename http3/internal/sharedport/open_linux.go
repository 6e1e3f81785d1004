package sharedport

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Port is the part that one of several processes has of a port.
type Port struct {
	Identity *Identity
	Tickets  *Tickets

	conn  *conn
	inbox *inbox
}

// Open makes pc one of several sockets of the port. passedOn counts the packets that are passed on to other processes.
func Open(cfg Config, pc net.PacketConn, passedOn *atomic.Int64) (*Port, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	udp, ok := pc.(*net.UDPConn)
	if !ok {
		return nil, fmt.Errorf("http3: SharedPort: a %T cannot be shared, only a *net.UDPConn", pc)
	}
	keys, err := newKeyring(cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("http3: SharedPort.Key: %w", err)
	}
	process, at := uint16(cfg.Process), udp.LocalAddr()
	dir, err := cfg.dirFor(at)
	if err != nil {
		return nil, err
	}
	path := func(process uint16) string { return pathOf(dir, at, process, socketSuffix) }
	p := &Port{
		Identity: &Identity{keys, process},
		Tickets:  &Tickets{keys: keys, now: time.Now},
		conn:     newConn(udp, keys, process, newPeers(path, passedOn)),
	}
	if p.inbox, err = openInbox(path(process), pathOf(dir, at, process, lockSuffix), p.conn.takes, p.conn.put); err != nil {
		return nil, fmt.Errorf("http3: SharedPort: process %d at %s: %w", process, at, err)
	}
	return p, nil
}

// PacketConn returns the socket that QUIC reads.
func (p *Port) PacketConn() net.PacketConn { return p.conn }

// Drain makes new connections go to other processes.
func (p *Port) Drain() { p.conn.draining.Store(true) }

// Close closes everything but the socket itself, which QUIC must no longer read.
func (p *Port) Close() {
	p.inbox.close()
	p.conn.peers.close()
}

// Listen opens a socket on a port that other processes may use as well.
func Listen(addr string) (net.PacketConn, error) {
	cfg := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if broken := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); broken != nil {
			return broken
		}
		return err
	}}
	return cfg.ListenPacket(context.Background(), "udp", addr)
}
