package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// forwardChunk is the most bytes that travel as a message.
const forwardChunk = 64 << 10

// The codes that channels are reset with.
const (
	codeAborted   = 1 // the connection was reset
	codeNoService = 2 // nothing of that name is offered
	codeNoAnswer  = 3 // the service does not accept
)

var whyReset = map[uint32]string{codeNoService: "there is no such service", codeNoAnswer: "the service does not answer"}

// attend takes connections of a door.
func (f *forwarder) attend(l *net.TCPListener, service string) {
	for {
		if f.places != nil {
			f.places <- struct{}{}
		}
		nc, err := l.AcceptTCP()
		switch {
		case f.ctx.Err() != nil:
			return
		case err != nil:
			f.note("shockwave: %v", err)
			if f.places != nil {
				<-f.places
			}
			time.Sleep(50 * time.Millisecond) // as when there are no descriptors left
			continue
		}
		go func() {
			f.enter(nc, service)
			if f.places != nil {
				<-f.places
			}
		}()
	}
}

// enter carries a connection of a door to its service.
func (f *forwarder) enter(nc *net.TCPConn, service string) {
	ctx := f.ctx
	if t := f.opt.cfg.Handshake; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	s, err := f.current(ctx)
	if err == nil {
		var ch *tcpmux.Channel
		if ch, err = s.OpenWith("", tcpmux.Options{Metadata: []byte(service)}); err == nil {
			f.join(nc, ch, service)
			return
		}
	}
	f.note("shockwave: %v to %s: %v", nc.RemoteAddr(), service, err)
	abort(nc)
}

// serve carries a connection of the peer's to one of our services.
func (f *forwarder) serve(ch *tcpmux.Channel) {
	name := string(ch.Metadata())
	addr := f.opt.services[name]
	if addr == "" {
		f.note("shockwave: the peer asks for %q, which is not offered", name)
		_ = ch.Reset(codeNoService)
		return
	}
	nc, err := (&net.Dialer{Timeout: f.opt.answer}).DialContext(f.ctx, "tcp", addr)
	if err != nil {
		f.note("shockwave: %s: %v", name, err)
		_ = ch.Reset(codeNoAnswer)
		return
	}
	f.join(nc.(*net.TCPConn), ch, name)
}

// join carries both directions until they have ended.
func (f *forwarder) join(nc *net.TCPConn, ch *tcpmux.Channel, service string) {
	defer nc.Close()
	var both sync.WaitGroup
	both.Go(func() { f.carryOut(nc, ch) })
	both.Go(func() {
		var reset *tcpmux.ResetError
		if err := f.carryIn(nc, ch); errors.As(err, &reset) && whyReset[reset.Code] != "" {
			f.note("shockwave: %s: %s", service, whyReset[reset.Code])
		}
	})
	both.Wait()
}

// carryOut sends what nc brings. Its end is the end of our half; when it is reset so is the channel.
func (f *forwarder) carryOut(nc *net.TCPConn, ch *tcpmux.Channel) {
	buf := make([]byte, forwardChunk)
	for {
		n, err := nc.Read(buf)
		if n > 0 {
			if ch.Send(context.Background(), buf[:n]) != nil {
				abort(nc)
				return
			}
		}
		switch {
		case err == io.EOF:
			_ = ch.CloseSend()
			return
		case err != nil:
			_ = ch.Reset(codeAborted)
			return
		}
	}
}

// carryIn writes what the channel brings to nc. It returns why the channel did not end in order.
func (f *forwarder) carryIn(nc *net.TCPConn, ch *tcpmux.Channel) error {
	for {
		p, err := ch.Receive(context.Background())
		switch {
		case err == io.EOF:
			_ = nc.CloseWrite()
			return nil
		case err != nil:
			abort(nc)
			return err
		}
		_, err = nc.Write(p)
		tcpmux.Recycle(p)
		if err != nil {
			_ = ch.Reset(codeAborted)
			abort(nc)
			return nil
		}
	}
}

// abort ends a connection so that its peer sees a reset.
func abort(nc *net.TCPConn) {
	nc.SetLinger(0)
	nc.Close()
}
