package main

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/streamsock"
)

// liveSample is how a socket is doing, at one moment. Messages and bytes are sums since it began, payload alone; those of the
// socket are over all peers, gone ones too.
type liveSample struct {
	Millis  int64  `json:"ms"` // since the program began to serve
	Peers   int    `json:"peers"`
	Came    uint64 `json:"came"`    // connections
	Refused uint64 `json:"refused"` // those among them that did not become peers
	liveCounters
	List []livePeer `json:"list"` // by id, as many as are shown
	More int        `json:"more"` // that are not
}

// liveCounters are those of a peer, or of all.
type liveCounters struct {
	In          uint64 `json:"in"`
	InBytes     uint64 `json:"inBytes"`
	Out         uint64 `json:"out"`
	OutBytes    uint64 `json:"outBytes"`
	Queued      int    `json:"queued"` // messages that wait to be sent
	QueuedBytes int64  `json:"queuedBytes"`
	Dropped     uint64 `json:"dropped"`
}

// livePeer is a peer as it is shown.
type livePeer struct {
	ID        streamsock.ID `json:"id"`
	Transport string        `json:"transport"`
	Remote    string        `json:"remote"`
	Seconds   int64         `json:"seconds"` // that it has been there
	liveCounters
}

// shownPeers is how many are shown.
const shownPeers = 100

// sample may be called from any goroutine.
func (l *liveSocket) sample(now time.Time) liveSample {
	all := l.sock.Stats()
	peers := l.sock.Peers()
	slices.SortFunc(peers, func(a, b *streamsock.Peer) int { return cmp.Compare(a.ID(), b.ID()) })
	s := liveSample{
		Millis: now.Sub(l.start).Milliseconds(), Peers: all.Peers, Came: all.Accepted, Refused: all.Refused,
		liveCounters: liveCounters{all.Received, all.ReceivedBytes, all.Sent, all.SentBytes, all.Queued, all.QueuedBytes, all.Dropped},
		List:         make([]livePeer, 0, min(len(peers), shownPeers)),
	}
	for _, p := range peers {
		c := p.Stats()
		switch {
		case c.Since.IsZero(): // it is coming, or going
		case len(s.List) == shownPeers:
			s.More++
		default:
			s.List = append(s.List, livePeer{p.ID(), transportOf(p), shownAddress(p.RemoteAddr()), int64(max(0, now.Sub(c.Since)) / time.Second),
				liveCounters{c.Received, c.ReceivedBytes, c.Sent, c.SentBytes, c.Queued, c.QueuedBytes, c.Dropped}})
		}
	}
	return s
}

// transportOf names a peer's transport; on a stream of HTTP/2 (RFC 8441) that, too.
func transportOf(p *streamsock.Peer) string {
	if r := p.Request(); r != nil && r.ProtoMajor == 2 {
		return p.Transport() + ", HTTP/2"
	}
	return p.Transport()
}

// shownAddress is an address as everybody may see it: whole if it is this machine's or of a private network, else the
// network alone, a /24 or a /48.
func shownAddress(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return "–"
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() {
		return netip.AddrPortFrom(ip, at.Port()).String()
	}
	bits := 48
	if ip.Is4() {
		bits = 24
	}
	network, _ := ip.Prefix(bits) // fails for lengths that cannot be
	return network.String()
}

// Age says for how long the peer has been there.
func (p livePeer) Age() string {
	switch s := p.Seconds; {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min", s/60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
}

// InSize and OutSize are bytes for the page's template.
func (c liveCounters) InSize() int64  { return int64(c.InBytes) }
func (c liveCounters) OutSize() int64 { return int64(c.OutBytes) }
