package muxpeer

import (
	"bufio"
	"io"
	"log"
	"net"

	"github.com/hashicorp/yamux"
	"github.com/xtaci/smux"
)

// accepting calls serve for each connection, in a goroutine of its own.
func accepting(l net.Listener, serve func(net.Conn)) error {
	for {
		nc, err := l.Accept()
		if err != nil {
			return err
		}
		go serve(nc)
	}
}

// buffered is a connection that is read through a buffer, as is usual for length-prefixed messages.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

func bare(nc net.Conn) Channel {
	return &stream{ReadWriteCloser: buffered{nc, bufio.NewReaderSize(nc, 32<<10)}}
}

func serveRaw(l net.Listener, serve func(Channel)) error {
	return accepting(l, func(nc net.Conn) { serve(bare(nc)) })
}

// rawSession opens a connection for each channel.
type rawSession string

func dialRaw(addr string) (Session, error) { return rawSession(addr), nil }

func (s rawSession) Open() (Channel, error) {
	nc, err := net.Dial("tcp", string(s))
	if err != nil {
		return nil, err
	}
	return bare(nc), nil
}

func (s rawSession) Close() error { return nil }

// streams is a session of yamux or smux, whose channels are streams of bytes.
type streams[C io.ReadWriteCloser] interface {
	OpenStream() (C, error)
	AcceptStream() (C, error)
	Close() error
}

// serveStreams returns a function that serves a listener. begin starts a session on the listener's side.
func serveStreams[S streams[C], C io.ReadWriteCloser, G any](
	begin func(io.ReadWriteCloser, G) (S, error), cfg func() G,
) func(net.Listener, func(Channel)) error {
	return func(l net.Listener, serve func(Channel)) error {
		return accepting(l, func(nc net.Conn) {
			s, err := begin(nc, cfg())
			if err != nil {
				return
			}
			for {
				c, err := s.AcceptStream()
				if err != nil {
					return
				}
				go serve(&stream{ReadWriteCloser: c})
			}
		})
	}
}

// dialStreams returns a function that dials a session. begin starts a session on the dialler's side.
func dialStreams[S streams[C], C io.ReadWriteCloser, G any](
	begin func(io.ReadWriteCloser, G) (S, error), cfg func() G,
) func(string) (Session, error) {
	return func(addr string) (Session, error) {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		s, err := begin(nc, cfg())
		return streamSession[C]{s}, err
	}
}

type streamSession[C io.ReadWriteCloser] struct{ streams[C] }

func (s streamSession[C]) Open() (Channel, error) {
	c, err := s.OpenStream()
	if err != nil {
		return nil, err
	}
	return &stream{ReadWriteCloser: c}, nil
}

// yamuxConfig returns a configuration with windows of 1 MiB, so that they do not delay the largest message, and without a log.
func yamuxConfig() *yamux.Config {
	cfg := yamux.DefaultConfig()
	cfg.LogOutput, cfg.Logger = nil, log.New(io.Discard, "", 0)
	cfg.MaxStreamWindowSize = 1 << 20
	return cfg
}

// smuxConfig selects version 2 of the protocol, which has a window for each stream, and windows of 1 MiB.
func smuxConfig() *smux.Config {
	cfg := smux.DefaultConfig()
	cfg.Version, cfg.MaxStreamBuffer, cfg.MaxReceiveBuffer = 2, 1<<20, 64<<20
	return cfg
}
