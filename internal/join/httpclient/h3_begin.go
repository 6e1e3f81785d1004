package httpclient

import (
	"context"
	"errors"
	"net"
	"slices"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// beginHTTP3 begins a request on a connection of HTTP/3. Without one ex and err are nil: the request is for TCP.
func (cl *Client) beginHTTP3(ctx context.Context, hp *hostPool, k *Call) (ex exchange, err error) {
	at, ok := k.Key.origin()
	if !ok {
		return nil, nil
	}
	addr, known := cl.http3.offers.Find(at.Addr)
	if addr == "" && known {
		return nil, nil
	}
	if !known || !cl.http3.Ready(carrier.Origin{Host: at.Host, Addr: addr}) {
		if !cl.http3.race(ctx, cl.pools.life, hp, at) {
			return nil, context.Cause(ctx)
		}
		if addr, _ = cl.http3.offers.Find(at.Addr); addr == "" {
			return nil, nil
		}
	}
	s, err := cl.startHTTP3(ctx, carrier.Origin{Host: at.Host, Addr: addr}, k)
	if err != nil {
		if ctx.Err() == nil && cl.http3.Unprocessed(err) {
			return nil, nil // TCP may do better
		}
		return nil, err
	}
	s.origin, s.addr = at.Addr, addr
	return s, nil
}

// startHTTP3 begins a request at o.
func (cl *Client) startHTTP3(ctx context.Context, o carrier.Origin, k *Call) (*h3Stream, error) {
	sends := k.streams()
	inPlace := !sends && len(k.Bytes) > 0
	r := &carrier.ClientRequest{
		Method: k.Method, Head: k.Head, Sends: sends || inPlace || k.Tunnel && !sends, Expect: k.Expect > 0 && sends,
		Early: !k.late && !sends && !inPlace && isSafe(k.Method), Last: k.Close, Tunnel: k.Tunnel,
		Waits: func(ctx context.Context) (context.Context, context.CancelFunc) { return cl.waitFor(ctx, k) },
	}
	cs, err := cl.http3.Begin(ctx, o, r)
	if err != nil {
		return nil, err
	}
	s := &h3Stream{ClientStream: cs, unprocessed: cl.http3.Unprocessed, readerSends: k.Tunnel && !sends && !inPlace, maxInterimBytes: int(cl.pools.cfg.HTTP2.Wire.MaxHeaderList)}
	if s.Reused() {
		cl.pools.stats.reused.Add(1)
	}
	if inPlace {
		if sent, err := cs.SendNow(k.Bytes); sent || err != nil {
			cs.Leave() // if sending has failed, reading the response fails as well
		} else {
			s.rest = slices.Clone(k.Bytes) // k.Bytes may be used for something else before this has been sent
		}
	}
	return s, nil
}

// waitFor returns the context that bounds the wait of a request for a connection.
func (cl *Client) waitFor(ctx context.Context, k *Call) (context.Context, context.CancelFunc) {
	if k.WaitContext != nil {
		ctx = k.WaitContext(ctx)
	}
	if d := cl.pools.cfg.WaitTimeout; d > 0 {
		return context.WithTimeoutCause(ctx, d, ErrWaitTimeout)
	}
	return ctx, func() {}
}

// beginKnownHTTP3 begins a request over HTTP/3 at the origin itself.
func (cl *Client) beginKnownHTTP3(ctx context.Context, k *Call) (exchange, error) {
	at, err := cl.knownHTTP3(&k.Key)
	if err != nil {
		return nil, err
	}
	s, err := cl.startHTTP3(ctx, at, k)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// knownHTTP3 returns the origin of a key whose server speaks HTTP/3 by prior knowledge.
func (cl *Client) knownHTTP3(k *Key) (carrier.Origin, error) {
	at, ok := k.origin()
	switch {
	case cl.http3 == nil:
		return at, errNoHTTP3
	case !k.Secure:
		return at, errNotSecure
	case k.Via != "":
		return at, errProxied
	case !ok:
		return at, &net.AddrError{Err: "malformed host or port", Addr: k.Host}
	}
	return at, nil
}

var (
	errNoHTTP3   = errors.New("http: HTTP3 is not set")
	errNotSecure = errors.New("http: HTTP/3 needs https")
	errProxied   = errors.New("http: HTTP/3 is not spoken through a proxy")
)

// isSafe reports whether a method only reads (RFC 9110 §9.2.1), so that a request may be repeated, even by an attacker
// who has recorded it.
func isSafe(method string) bool { return method == "GET" || method == "HEAD" || method == "OPTIONS" }

// errElsewhere is the error of a request that is sent again in another way.
var errElsewhere = errors.New("http: the server refuses the request on this connection, and its body cannot be sent again")

// noteHTTP3 learns from a response where its server speaks HTTP/3. Unless it returns never, the request is to be sent again: after
// the handshake, or over TCP.
func (cl *Client) noteHTTP3(k *Call, r *Response) retry {
	if cl.http3 == nil || !k.Key.Secure {
		return never
	}
	s, _ := r.ex.(*h3Stream)
	again := k.Body == nil || k.Rewind != nil
	if s != nil && r.Status == 425 && s.Early() && again {
		k.late = true
		return early
	}
	if k.Key.Version == HTTP3 || k.Key.Via != "" {
		return never
	}
	switch {
	case s != nil && r.Status == 421: // the server may offer the same again with every response over TCP
		if cl.http3.offers.Failed(s.origin, s.addr); again {
			return elsewhere
		}
		return never
	case s != nil:
		cl.http3.offers.Worked(s.origin, s.addr)
	}
	cl.http3.learn(&k.Key, r.Header())
	return never
}

// noteHTTP3Failed notes that a request has failed over HTTP/3 that was the first one to need its connection.
func (cl *Client) noteHTTP3Failed(ctx context.Context, ex exchange, err error) {
	s, ok := ex.(*h3Stream)
	if ok && s.addr != "" && ctx.Err() == nil && !s.unprocessed(err) && s.Unanswered(err) {
		cl.http3.offers.Failed(s.origin, s.addr)
	}
}
