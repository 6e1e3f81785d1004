package dial

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Dialer opens TCP connections to names as RFC 8305 describes. The address families of a name alternate, beginning with
// the one that the resolver prefers (§4). Attempts start 250 ms apart, or as soon as one fails (§5). The first connection
// is used, and the others are closed.
//
// The resolver's answers are kept for a while, for at most 256 names. Each dial begins with the next address of the
// preferred family. An address that has failed, or was slower than one that was tried later, is tried last for 30 s. Dials
// that need the same answer share one look-up. It sees the values of the first dial's context, so hooks of httptrace
// report it only to that dial.
//
// The zero Dialer is ready to use. Its fields must be set before it is used, and it must not be copied afterwards. All
// methods may be called concurrently.
type Dialer struct {
	// Resolver finds the addresses of names. Nil means net.DefaultResolver.
	Resolver Resolver

	// Connect opens a connection to an address. It must return when ctx is done; an open connection must not depend on
	// ctx. Nil means a net.Dialer.
	Connect func(ctx context.Context, network, addr string) (net.Conn, error)

	// Keep is how long an answer is used, since resolvers do not tell its lifetime. After that, or when none of its
	// addresses could be connected to, the next dial asks again. If that fails the old answer is used for another hour,
	// unless the name is known not to exist. Failed look-ups are not kept. Zero means 30 s, negative means that answers
	// are not kept.
	Keep time.Duration

	mu      sync.Mutex
	answers map[string]*answer // by name
	lookups map[string]*lookup // look-ups in progress
}

// Resolver is the part of net.Resolver that a Dialer needs. LookupIPAddr returns the addresses of both families in the
// order in which they should be tried (RFC 6724 §6). It must return when ctx is done.
type Resolver interface {
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
}

// DialContext opens a connection to addr, which is a host and a port. Only names on the network "tcp" are handled as the
// Dialer's doc says; everything else is passed to Connect. If ctx is done before, nothing is left open.
//
// If the resolver or the only attempt has failed, DialContext returns that error in a *net.OpError. Otherwise the error
// lists all attempts and wraps their errors for errors.Is and errors.As.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || network != "tcp" || host == "" || isAddress(host) {
		return d.connect(ctx, network, addr)
	}
	a, err := d.answer(ctx, host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	r := &race{dialer: d, answer: a, addr: addr, port: port, untried: d.order(a)}
	nc, err := r.run(ctx)
	if err != nil {
		d.expire(a)
		return nil, err
	}
	return nc, nil
}

// isAddress reports whether host is an IP address rather than a name.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// connect calls Connect, or its default.
func (d *Dialer) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.Connect != nil {
		return d.Connect(ctx, network, addr)
	}
	var nd net.Dialer
	return nd.DialContext(ctx, network, addr)
}
