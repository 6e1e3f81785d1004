package netlisten_test

import (
	"errors"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netlisten"
)

// TestListen: connections to the address that was asked for are accepted, and an address that is taken is an error.
func TestListen(t *testing.T) {
	l, err := netlisten.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := netlisten.Listen(l.Addr().String()); err == nil {
		t.Error("the same address twice")
	}
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	near.Close()
}

// TestLabelled: Accepting stands around each accept, if it is set.
func TestLabelled(t *testing.T) {
	far := &listener{}
	l := &netlisten.Labelled{Listener: far, Label: 1}
	if _, err := l.Accept(); err != errFar {
		t.Errorf("%v", err)
	}
	errOwn := errors.New("ours")
	l.Accepting = func(accept func() (net.Conn, error)) (net.Conn, error) {
		if _, err := accept(); err != errFar {
			t.Errorf("%v", err)
		}
		return nil, errOwn
	}
	if _, err := l.Accept(); err != errOwn || far.accepted != 2 {
		t.Errorf("%v, %d accepts", err, far.accepted)
	}
}

// TestIsOwn: sockets of package net are the engine's alone, also with a label; what others have defined is not.
func TestIsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		l   net.Listener
		own bool
	}{
		"TCP":               {new(net.TCPListener), true},
		"Unix":              {new(net.UnixListener), true},
		"labelled":          {&netlisten.Labelled{Listener: new(net.TCPListener)}, true},
		"another":           {&listener{}, false},
		"embedded":          {struct{ *net.TCPListener }{}, false},
		"labelled, another": {&netlisten.Labelled{Listener: &listener{}}, false},
	} {
		if got := netlisten.IsOwn(c.l); got != c.own {
			t.Errorf("%s: %t", name, got)
		}
	}
}

var errFar = errors.New("far")

// listener is one whose accepts fail.
type listener struct {
	net.Listener
	accepted int
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	l.accepted++
	return nil, errFar
}
