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

// forwardChunk is the size of the read buffer, and thus the longest message.
const forwardChunk = 64 << 10

// Codes with which channels are reset.
const (
	codeAborted   = 1 // the TCP connection was reset
	codeNoService = 2 // there is no service with that name
	codeNoAnswer  = 3 // the service cannot be dialled
)

var whyReset = map[uint32]string{codeNoService: "there is no such service", codeNoAnswer: "the service does not answer"}

// acceptLocal accepts the connections of a local port.
func (f *forwarder) acceptLocal(l *net.TCPListener, service string) {
	for {
		if f.tokens != nil {
			f.tokens <- struct{}{}
		}
		nc, err := l.AcceptTCP()
		switch {
		case f.ctx.Err() != nil:
			return
		case err != nil:
			f.logf("shockwave: %v", err)
			if f.tokens != nil {
				<-f.tokens
			}
			time.Sleep(50 * time.Millisecond) // probably out of file descriptors
			continue
		}
		go func() {
			f.forwardLocal(nc, service)
			if f.tokens != nil {
				<-f.tokens
			}
		}()
	}
}

// forwardLocal forwards a connection of a local port to its service at the other end.
func (f *forwarder) forwardLocal(nc *net.TCPConn, service string) {
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
			f.relay(nc, ch, service)
			return
		}
	}
	f.logf("shockwave: %v to %s: %v", nc.RemoteAddr(), service, err)
	abort(nc)
}

// serve forwards a channel that the other end has opened to one of our services.
func (f *forwarder) serve(ch *tcpmux.Channel) {
	name := string(ch.Metadata())
	addr := f.opt.services[name]
	if addr == "" {
		f.logf("shockwave: the peer asks for %q, which is not offered", name)
		_ = ch.Reset(codeNoService)
		return
	}
	nc, err := (&net.Dialer{Timeout: f.opt.dialTimeout}).DialContext(f.ctx, "tcp", addr)
	if err != nil {
		f.logf("shockwave: %s: %v", name, err)
		_ = ch.Reset(codeNoAnswer)
		return
	}
	f.relay(nc.(*net.TCPConn), ch, name)
}

// relay copies in both directions until both have ended.
func (f *forwarder) relay(nc *net.TCPConn, ch *tcpmux.Channel, service string) {
	defer nc.Close()
	var both sync.WaitGroup
	both.Go(func() { f.connToChannel(nc, ch) })
	both.Go(func() {
		var reset *tcpmux.ResetError
		if err := f.channelToConn(nc, ch); errors.As(err, &reset) && whyReset[reset.Code] != "" {
			f.logf("shockwave: %s: %s", service, whyReset[reset.Code])
		}
	})
	both.Wait()
}

// connToChannel copies from nc to ch. EOF on nc ends this direction of the channel; an error of nc resets the channel.
func (f *forwarder) connToChannel(nc *net.TCPConn, ch *tcpmux.Channel) {
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

// channelToConn copies from ch to nc. It returns the error with which the channel ended, or nil after EOF.
func (f *forwarder) channelToConn(nc *net.TCPConn, ch *tcpmux.Channel) error {
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

// abort closes a connection with a reset.
func abort(nc *net.TCPConn) {
	nc.SetLinger(0)
	nc.Close()
}
