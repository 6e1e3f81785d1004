package serve

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/streamsock"
)

// liveSample is the state of a socket at one moment. Messages and bytes (payload only) are totals since the start; the
// totals of the socket include peers that are gone.
type liveSample struct {
	Millis  int64 `json:"ms"` // since the start of the program
	Peers   int64 `json:"peers"`
	Came    int64 `json:"came"`    // accepted connections
	Refused int64 `json:"refused"` // accepted connections that did not become peers
	liveCounters
	List []livePeer `json:"list"` // the first shownPeers peers, by id
	More int        `json:"more"` // number of peers that are not in List
}

// liveCounters are the counters of a peer or of the whole socket.
type liveCounters struct {
	In          int64 `json:"in"`
	InBytes     int64 `json:"inBytes"`
	Out         int64 `json:"out"`
	OutBytes    int64 `json:"outBytes"`
	Queued      int64 `json:"queued"` // messages that wait to be sent
	QueuedBytes int64 `json:"queuedBytes"`
	Dropped     int64 `json:"dropped"`
}

// livePeer is a peer in a liveSample.
type livePeer struct {
	ID        streamsock.ID `json:"id"`
	Transport string        `json:"transport"`
	Remote    string        `json:"remote"`
	Seconds   int64         `json:"seconds"` // since it connected
	liveCounters
}

// shownPeers is the maximum length of liveSample.List.
const shownPeers = 100

// sample returns the current state. It is safe for concurrent use.
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
		case c.Since.IsZero(): // not connected
		case len(s.List) == shownPeers:
			s.More++
		default:
			s.List = append(s.List, livePeer{p.ID(), transportOf(p), shownAddress(p.RemoteAddr()), int64(max(0, now.Sub(c.Since)) / time.Second),
				liveCounters{c.Received, c.ReceivedBytes, c.Sent, c.SentBytes, c.Queued, c.QueuedBytes, c.Dropped}})
		}
	}
	return s
}

// transportOf returns the name of a peer's transport, and notes if it is a stream of HTTP/2 (RFC 8441). Without TLS that
// cannot be told from its request, which is an upgrade of HTTP/1.1.
func transportOf(p *streamsock.Peer) string {
	if r := p.Request(); r != nil && r.TLS != nil && r.TLS.NegotiatedProtocol == "h2" {
		return p.Transport() + ", HTTP/2"
	}
	return p.Transport()
}

// shownAddress returns an address that may be published: the whole address if it is local or private, else only its
// network, a /24 or a /48.
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
	network, _ := ip.Prefix(bits) // cannot fail: bits is valid
	return network.String()
}

// Age returns how long the peer has been connected.
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

// InSize and OutSize return byte counts for the page's template.
func (c liveCounters) InSize() int64 { return int64(c.InBytes) }

func (c liveCounters) OutSize() int64 { return int64(c.OutBytes) }
