package muxpeer

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxChannel is a tcpmux channel, which needs no framing because it carries messages.
type muxChannel struct{ c *tcpmux.Channel }

func (m muxChannel) Send(p []byte) error { return m.c.Send(context.Background(), p) }

func (m muxChannel) Receive(buf []byte) ([]byte, error) {
	n, err := m.c.ReceiveInto(context.Background(), buf)
	if errors.Is(err, io.ErrShortBuffer) {
		buf = make([]byte, n)
		n, err = m.c.ReceiveInto(context.Background(), buf)
	}
	return buf[:min(n, len(buf))], err
}

func (m muxChannel) Close() error { return m.c.Close() }

func serveMux(once bool) func(l net.Listener, serve func(Channel)) error {
	return func(nl net.Listener, serve func(Channel)) error {
		l := tcpmux.NewListener(nl, tcpmux.Config{AtMostOnce: once, OnChannel: func(c *tcpmux.Channel) { serve(muxChannel{c}) }})
		for {
			if _, err := l.Accept(context.Background()); err != nil {
				return err
			}
		}
	}
}

type muxSession struct{ s *tcpmux.Session }

func dialMux(once bool) func(addr string) (Session, error) {
	return func(addr string) (Session, error) {
		s, err := tcpmux.Dial(context.Background(), "tcp://"+addr, tcpmux.Config{AtMostOnce: once})
		return muxSession{s}, err
	}
}

func (s muxSession) Open() (Channel, error) {
	c, err := s.s.Open("")
	return muxChannel{c}, err
}

func (s muxSession) Close() error { return s.s.Close() }

// body is an HTTP/2 stream on the server's side.
type body struct {
	r *http.Request
	w http.ResponseWriter
	c *http.ResponseController
}

func (b body) Read(p []byte) (int, error) { return b.r.Body.Read(p) }

func (b body) Write(p []byte) (int, error) {
	n, err := b.w.Write(p)
	if err == nil {
		err = b.c.Flush()
	}
	return n, err
}

func (b body) Close() error { return nil }

func serveHTTP2(l net.Listener, serve func(Channel)) error {
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if c.EnableFullDuplex() == nil && c.Flush() == nil {
			serve(&stream{ReadWriteCloser: body{r, w, c}})
		}
	})}
	s.Protocols = new(http.Protocols)
	s.Protocols.SetUnencryptedHTTP2(true)
	return s.Serve(l)
}

// h2Session is one HTTP/2 connection; each request is a channel.
type h2Session struct {
	tr  *nethttp.Transport
	url string
}

func dialHTTP2(addr string) (Session, error) {
	tr := &nethttp.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	return h2Session{tr, "http://" + addr + "/"}, nil
}

// h2Stream is an HTTP/2 stream on the client's side.
type h2Stream struct {
	io.Reader
	*io.PipeWriter
	end func()
}

func (s h2Stream) Close() error {
	s.end()
	return s.PipeWriter.Close()
}

func (s h2Session) Open() (Channel, error) {
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, r)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := s.tr.RoundTrip(req)
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{ReadWriteCloser: h2Stream{resp.Body, w, cancel}}, nil
}

func (s h2Session) Close() error {
	s.tr.CloseIdleConnections()
	return nil
}
