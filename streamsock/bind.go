package streamsock

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// binding is an address that the socket listens on.
type binding struct {
	at *address
	l  net.Listener

	idTurn chan struct{} // holds a token while the last accepted connection has no id yet; nil if ids need not be in order
	closed chan struct{} // closed by Unbind
}

// accept calls accept when the connection before has its id. Ids are therefore given in the order in which connections were
// accepted, not in that in which their goroutines run.
func (b *binding) accept(accept func() (net.Conn, error)) (net.Conn, error) {
	if b.idTurn == nil {
		return accept()
	}
	select {
	case b.idTurn <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	nc, err := accept()
	if err != nil {
		<-b.idTurn
	}
	return nc, err
}

// passTurn returns a function that lets the next connection go on; it may be called more than once. It returns nil if
// the order of ids does not matter.
func (b *binding) passTurn() func() {
	if b.idTurn == nil {
		return nil
	}
	passed := false
	return func() {
		if !passed {
			passed = true
			<-b.idTurn
		}
	}
}

// Bind listens on addresses: tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH], unix://PATH. Port 0 picks a free port.
// Bind returns the actual addresses in the order of addrs. If one cannot be bound, none is.
func (s *Socket) Bind(addrs ...string) (bound []string, err error) {
	var all []*binding
	defer func() {
		if err != nil {
			for _, b := range all {
				b.l.Close()
			}
		}
	}()
	for _, text := range addrs {
		b, err := s.listen(text)
		if err != nil {
			return nil, err
		}
		all, bound = append(all, b), append(bound, b.at.text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, ErrClosed
	}
	for _, b := range all {
		s.bound[b.at.text] = b
		s.running.Go(func() { s.serve(b) })
	}
	return bound, nil
}

// listen opens the listener of an address.
func (s *Socket) listen(text string) (*binding, error) {
	a, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	if a.query != "" {
		return nil, fmt.Errorf("streamsock: %q: a query has no meaning here", text)
	}
	if a.secure() && s.cfg.TLSConfig == nil {
		return nil, fmt.Errorf("streamsock: %q: Config.TLSConfig is needed", text)
	}
	var l net.Listener
	if a.transport == "unix" {
		l, err = net.Listen("unix", a.host)
	} else {
		l, err = netconn.Listen(a.host)
	}
	if err != nil {
		return nil, fmt.Errorf("streamsock: %w", err)
	}
	if a.transport != "unix" {
		a.host = l.Addr().String()
		a.text = a.transport + "://" + a.host + a.path
	}
	b := &binding{at: a, l: l, closed: make(chan struct{})}
	if !a.secure() && !a.framed() && s.cfg.Accept == nil {
		b.idTurn = make(chan struct{}, 1)
	}
	return b, nil
}

// serve accepts connections until the listener is closed.
func (s *Socket) serve(b *binding) {
	var cfg *tls.Config
	if b.at.secure() {
		cfg = s.cfg.TLSConfig
		if b.at.framed() {
			cfg = cfg.Clone()
			cfg.NextProtos = []string{"http/1.1"}
		}
	}
	err := s.engine.Serve(&netconn.Labelled{Listener: b.l, Label: b, Accepting: b.accept}, cfg)
	s.mu.Lock()
	known := s.bound[b.at.text] == b
	if known {
		delete(s.bound, b.at.text)
	}
	s.mu.Unlock()
	if known && err != netconn.ErrShutdown && !errors.Is(err, net.ErrClosed) {
		s.cfg.Logger.Error("a listener has failed", "address", b.at.text, "error", err)
	}
}

// Unbind stops listening on an address that Bind has returned. Its peers stay connected. The error is ErrNoAddress.
func (s *Socket) Unbind(addr string) error {
	s.mu.Lock()
	b := s.bound[addr]
	delete(s.bound, addr)
	s.mu.Unlock()
	if b == nil {
		return ErrNoAddress
	}
	close(b.closed)
	return b.l.Close()
}

// Addresses returns the bound addresses as Bind has returned them, in no order.
func (s *Socket) Addresses() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	addrs := make([]string, 0, len(s.bound))
	for a := range s.bound {
		addrs = append(addrs, a)
	}
	return addrs
}

func (s *Socket) stopListening() {
	for _, a := range s.Addresses() {
		_ = s.Unbind(a)
	}
}

// arrived is the engine's Config.New.
func (s *Socket) arrived(nc *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
	b := l.(*netconn.Labelled).Label.(*binding)
	a := &Arrival{Transport: b.at.transport, Local: nc.LocalAddr(), Remote: nc.RemoteAddr(), TLS: nc.TLS(),
		passTurn: b.passTurn()}
	defer a.idSettled()
	if !s.acceptPacer.wait(s.quit) {
		return nil, netconn.ErrAbort
	}
	s.counts.accepted.Add(1)
	if b.at.framed() {
		u := &upgrade{sock: s, nc: nc, path: b.at.path, arrival: a}
		nc.SetAlarm(s.cfg.HandshakeTimeout)
		return u, nil
	}
	if s.cfg.FirstMessage && s.cfg.Accept != nil {
		g := &firstMessageConn{sock: s, nc: nc, arrival: a, wire: newStream(&nc.Output, s.cfg.format)}
		nc.SetAlarm(s.cfg.HandshakeTimeout)
		return g, nil
	}
	if err := s.callAccept(a); err != nil {
		s.refused(a.Remote, err)
		return nil, err
	}
	p, err := s.admit(nc, a, newStream(&nc.Output, s.cfg.format))
	if err != nil {
		s.refused(a.Remote, err)
	}
	return p, err
}
