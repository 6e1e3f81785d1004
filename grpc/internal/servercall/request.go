package servercall

import (
	"crypto/tls"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/shockwave-go/shockwave/grpc/internal/fields"
)

// request is what the head of a call's request says. What protocols learn from it is set before the handler runs and not
// changed; metadata and the peer are made when they are asked for, by any goroutine, also after the call.
type request struct {
	protocol   protocol
	compressed string        // the name of the compression of received messages, "" for none
	accepts    string        // the names of the compressions that the client accepts, separated by commas
	timeout    time.Duration // of the call; -1 for none
	malformed  string        // the name of the first field of the protocol that is malformed, "" for none

	remote, local net.Addr
	tls           *tls.ConnectionState
	auth          credentials.AuthInfo // of credentials; nil if the connection has none

	lines      []byte // of the metadata: name, 0, value, 0
	firstLines [160]byte

	mu   sync.Mutex
	md   metadata.MD
	peer *peer.Peer
}

// read learns what the head of x says.
func (r *request) read(x Exchange, p protocol) {
	r.protocol, r.timeout = p, -1
	r.remote, r.local, r.tls = x.Addrs()
	r.lines = r.firstLines[:0]
	x.Fields(r)
}

// field implements fieldSink.
func (r *request) field(name, value []byte) {
	if r.protocol.field(r, name, value) {
		return
	}
	r.lines = append(append(append(append(r.lines, name...), 0), value...), 0)
}

// isHTTPOwn reports whether a field of a request concerns HTTP and is no metadata.
func isHTTPOwn(name []byte) bool {
	switch string(name) {
	case "te", "content-length", "connection", "transfer-encoding", "trailer", "keep-alive", "proxy-connection", "upgrade":
		return true
	}
	return false
}

// metadata returns the metadata of the request. It is not changed.
func (r *request) metadata() metadata.MD {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.md == nil {
		r.md = make(metadata.MD, 8)
		var name, value string
		for lines := string(r.lines); lines != ""; {
			name, lines, _ = strings.Cut(lines, "\x00")
			value, lines, _ = strings.Cut(lines, "\x00")
			fields.AppendValues(r.md, name, value) // what is not base64 is left out
		}
	}
	return r.md
}

// peerInfo returns who sent the request.
func (r *request) peerInfo() *peer.Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.peer == nil {
		r.peer = &peer.Peer{Addr: r.remote, LocalAddr: r.local, AuthInfo: r.auth}
		if r.auth == nil && r.tls != nil {
			r.peer.AuthInfo = credentials.TLSInfo{State: *r.tls,
				CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}
		}
	}
	return r.peer
}
