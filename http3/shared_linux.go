package http3

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sharedPort is one of several processes' part of a port.
type sharedPort struct {
	conn     *sharedConn
	inbox    *sharedInbox
	identity *quicIdentity
	tickets  *sharedTickets
}

// openSharedPort makes a socket one of several. passedOn counts the packets that are passed on to other processes.
func openSharedPort(s *SharedPort, pc net.PacketConn, passedOn *atomic.Int64) (*sharedPort, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	udp, ok := pc.(*net.UDPConn)
	if !ok {
		return nil, fmt.Errorf("http3: SharedPort: a %T cannot be shared, only a *net.UDPConn", pc)
	}
	keys, err := newSharedKeys(s.Key)
	if err != nil {
		return nil, fmt.Errorf("http3: SharedPort.Key: %w", err)
	}
	process, at := uint16(s.Process), udp.LocalAddr()
	dir, err := s.dirFor(at)
	if err != nil {
		return nil, err
	}
	path := func(process uint16) string { return sharedPath(dir, at, process, socketSuffix) }
	p := &sharedPort{
		conn:     newSharedConn(udp, keys, process, newSharedPeers(path, passedOn)),
		identity: &quicIdentity{keys, process},
		tickets:  &sharedTickets{keys: keys, now: time.Now},
	}
	if p.inbox, err = openSharedInbox(path(process), sharedPath(dir, at, process, lockSuffix), p.conn.takes, p.conn.put); err != nil {
		return nil, fmt.Errorf("http3: SharedPort: process %d at %s: %w", process, at, err)
	}
	return p, nil
}

// packetConn is what QUIC reads.
func (p *sharedPort) packetConn() net.PacketConn { return p.conn }

// drain has new connections go to other processes.
func (p *sharedPort) drain() { p.conn.draining.Store(true) }

// close closes everything but the socket itself, which QUIC does not read any more.
func (p *sharedPort) close() {
	p.inbox.close()
	p.conn.peers.close()
}

// listenShared opens a socket that others may have the port of as well.
func listenShared(addr string) (net.PacketConn, error) {
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
