package wire

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
)

// line is a pair of network namespaces and what connects them. Each has one interface, whose packets this process reads
// and gives to the other: so that the kernel needs no module that loses packets, and the dice are ours. The namespaces
// have no names and end with their last socket; nothing outside of them is touched.
type line struct {
	server, client *namespace
	addr           string // where the server listens
	all            sync.WaitGroup
}

var (
	serverAddr = netip.MustParseAddr("10.99.0.1")
	clientAddr = netip.MustParseAddr("10.99.0.2")
)

func newLine(how weather, seed uint64) (network, error) {
	w := new(line)
	var err error
	if w.server, err = newNamespace(serverAddr); err != nil {
		return nil, err
	}
	if w.client, err = newNamespace(clientAddr); err != nil {
		w.server.close()
		return nil, err
	}
	for _, c := range []*carrier{
		newCarrier(w.client.link, w.server.link, how, diceFor("packets to the server", seed)),
		newCarrier(w.server.link, w.client.link, how, diceFor("packets to the client", seed)),
	} {
		w.all.Go(c.receive)
		w.all.Go(c.send)
	}
	return w, nil
}

func (w *line) listen() (l net.Listener, err error) {
	entered := w.server.enter(func() { l, err = net.Listen("tcp", net.JoinHostPort(serverAddr.String(), "0")) })
	if err = errors.Join(entered, err); err == nil {
		w.addr = l.Addr().String()
	}
	return l, err
}

// dial has the socket made in the client's namespace; after that it does not matter whose thread uses it.
func (w *line) dial(ctx context.Context) (nc net.Conn, err error) {
	entered := w.client.enter(func() { nc, err = new(net.Dialer).DialContext(ctx, "tcp", w.addr) })
	return nc, errors.Join(entered, err)
}

// close waits for what was said last, which may have to be sent again, before it ends the line.
func (w *line) close() error {
	err := errors.Join(w.server.wantNoSockets(), w.client.wantNoSockets())
	w.server.close()
	w.client.close()
	w.all.Wait()
	return err
}
