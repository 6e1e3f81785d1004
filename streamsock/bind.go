package streamsock

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// binding is an address that is listened on.
type binding struct {
	at *address
	l  net.Listener

	turn chan struct{} // full while the connection that was accepted last has no id; nil where ids need not be in order
	gone chan struct{} // closed when nobody listens any more
}

// accept is accept in turn: ids are given in the order in which connections were accepted, not in that in which their
// goroutines happen to run.
func (b *binding) accept(accept func() (net.Conn, error)) (net.Conn, error) {
	if b.turn == nil {
		return accept()
	}
	select {
	case b.turn <- struct{}{}:
	case <-b.gone:
		return nil, net.ErrClosed
	}
	nc, err := accept()
	if err != nil {
		<-b.turn
	}
	return nc, err
}

// passes returns what gives the turn to the next connection, once; nil where there are no turns.
func (b *binding) passes() func() {
	if b.turn == nil {
		return nil
	}
	passed := false
	return func() {
		if !passed {
			passed = true
			<-b.turn
		}
	}
}

// Bind listens on addresses: tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH], unix://PATH. Port 0 picks one: the
// addresses that are returned say which, in the order of addrs. When one cannot be had none of them is bound.
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

// listen begins to listen on an address.
func (s *Socket) listen(text string) (*binding, error) {
	a, err := parseAddress(text)
	if err != nil {
		return nil, err
	}
	if a.query != "" {
		return nil, fmt.Errorf("streamsock: %q: a query has no meaning here", text)
	}
	if a.secure() && s.cfg.TLS == nil {
		return nil, fmt.Errorf("streamsock: %q: Config.TLS is needed", text)
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
	b := &binding{at: a, l: l, gone: make(chan struct{})}
	if !a.secure() && !a.framed() && s.cfg.Accept == nil {
		b.turn = make(chan struct{}, 1)
	}
	return b, nil
}

// serve accepts until the listener is closed.
func (s *Socket) serve(b *binding) {
	var cfg *tls.Config
	if b.at.secure() {
		cfg = s.cfg.TLS
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

// Unbind ends listening on an address that Bind has returned, and keeps its peers. The error is ErrNoAddress.
func (s *Socket) Unbind(addr string) error {
	s.mu.Lock()
	b := s.bound[addr]
	delete(s.bound, addr)
	s.mu.Unlock()
	if b == nil {
		return ErrNoAddress
	}
	close(b.gone)
	return b.l.Close()
}

// Addresses returns what is bound now, as Bind has returned it, in no order.
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
	a := &Arrival{Transport: b.at.transport, Local: nc.LocalAddr(), Remote: nc.RemoteAddr(), TLS: nc.TLS(), pass: b.passes()}
	defer a.settles()
	if !s.pace.wait(s.quit) {
		return nil, netconn.ErrAbort
	}
	s.counts.accepted.Add(1)
	if b.at.framed() {
		u := &upgrade{sock: s, nc: nc, path: b.at.path, arrival: a}
		nc.SetAlarm(s.cfg.Handshake)
		return u, nil
	}
	if s.cfg.FirstMessage && s.cfg.Accept != nil {
		g := &greeting{sock: s, nc: nc, arrival: a, wire: newStream(s.cfg)}
		nc.SetAlarm(s.cfg.Handshake)
		return g, nil
	}
	if err := s.ask(a); err != nil {
		s.refused(a.Remote, err)
		return nil, err
	}
	p, err := s.admit(nc, a, newStream(s.cfg))
	if err != nil {
		s.refused(a.Remote, err)
	}
	return p, err
}
