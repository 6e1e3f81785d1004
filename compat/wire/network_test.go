package wire

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// network is where a server listens and its clients dial it.
type network interface {
	listen() (net.Listener, error)
	dial(ctx context.Context) (net.Conn, error)
	close() error // says if a connection is left, with which the test should be done
}

// onEvery runs test on both bad networks, each time a new one.
func onEvery(t *testing.T, test func(t *testing.T, open func(t *testing.T) network)) {
	t.Run("pieces", func(t *testing.T) {
		t.Parallel()
		test(t, func(t *testing.T) network { return opened(t, newProxy(fate{}), nil) })
	})
	t.Run("packets", func(t *testing.T) {
		t.Parallel()
		needNamespaces(t)
		test(t, func(t *testing.T) network {
			line, err := newLine(lossy, seed)
			return opened(t, line, err)
		})
	})
}

// opened has n closed after everything that the test will still open on it.
func opened(t *testing.T, n network, err error) network {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// needNamespaces skips a test where no network namespaces can be made.
func needNamespaces(t *testing.T) {
	if why := noNamespaces(); why != nil {
		t.Skip("no network namespaces: ", why)
	}
}

// noNamespaces says why there are none, nil if there are.
var noNamespaces = sync.OnceValue(func() error {
	line, err := newLine(pristine, 0)
	if err == nil {
		line.close()
	}
	return err
})

// plain is the loopback interface as it is.
type plain struct{ addr string }

func (p *plain) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		p.addr = l.Addr().String()
	}
	return l, err
}

func (p *plain) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", p.addr)
}

func (p *plain) close() error { return nil }

// diceFor returns the dice of the nth thing of its kind.
func diceFor(kind string, n uint64) *rand.Rand {
	for _, c := range kind {
		n = n*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, n))
}
