package dial

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Dialer opens TCP connections to names as RFC 8305 describes it. The families of a name's addresses take turns, and the
// one that the resolver prefers begins (§4); attempts start 250 ms apart, or as soon as one fails (§5); the first that
// connects is used, and the others are closed.
//
// Answers of the resolver are kept for a while, those of 256 names at most. Each dial begins with the next address of the
// preferred family. An address that failed, or was overtaken by one that was tried later, is tried last for 30 s. Dials that
// need the same answer share one look-up, which sees the values of the first one's context; hooks of httptrace
// are told of a look-up only where it is begun.
//
// The zero Dialer is ready to use. Its fields are set before it is used, and it is not copied afterwards. All methods may
// be called concurrently.
type Dialer struct {
	// Resolver finds the addresses of names. Nil is net.DefaultResolver.
	Resolver Resolver

	// Connect opens a connection to an address. It must return when ctx ends, which must not matter to a connection that is
	// open. Nil is a net.Dialer's.
	Connect func(ctx context.Context, network, addr string) (net.Conn, error)

	// Keep is for how long an answer is used: resolvers do not tell. After that, or when none of its addresses connected,
	// the next dial asks again; if that fails the old answer serves for another hour, unless the name is known to be gone. A
	// look-up that fails is not kept. Zero is 30 s, negative is not at all.
	Keep time.Duration

	mu      sync.Mutex
	answers map[string]*answer // by name
	lookups map[string]*lookup // those under way
}

// Resolver is what a Dialer needs of net.Resolver, which both families are asked for by. The addresses come in the order
// in which they should be tried (RFC 6724 §6). LookupIPAddr must return when ctx ends.
type Resolver interface {
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
}

// DialContext opens a connection to addr, a host and a port. Only names on the network "tcp" are treated as said above:
// anything else is Connect's. Nothing is left open when ctx ends.
//
// The error is that of the resolver or of the only attempt, each in a *net.OpError, or one that tells of all attempts
// and has the errors of all for errors.Is and errors.As.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || network != "tcp" || host == "" || isAddress(host) {
		return d.connect(ctx, network, addr)
	}
	a, err := d.answer(ctx, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	r := &race{dialer: d, answer: a, addr: addr, port: port, waiting: d.order(a)}
	nc, err := r.run(ctx)
	if err != nil {
		d.doubt(a)
		return nil, err
	}
	return nc, nil
}

// isAddress reports whether host is no name.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// connect is Connect or its default.
func (d *Dialer) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.Connect != nil {
		return d.Connect(ctx, network, addr)
	}
	var nd net.Dialer
	return nd.DialContext(ctx, network, addr)
}
