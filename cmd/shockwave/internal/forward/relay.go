package forward

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// chunk is the size of the read buffer, and thus the longest message.
const chunk = 64 << 10

// Codes with which channels are reset.
const (
	codeAborted   = 1 // the TCP connection was reset
	codeNoService = 2 // there is no service with that name
	codeNoAnswer  = 3 // the service cannot be dialled
)

var whyReset = map[uint32]string{codeNoService: "there is no such service", codeNoAnswer: "the service does not answer"}

// relay copies in both directions until both have ended. It returns why the other end has reset the channel, or "" if that
// needs no words.
func relay(nc *net.TCPConn, ch *tcpmux.Channel) (why string) {
	defer nc.Close()
	var both sync.WaitGroup
	both.Go(func() { connToChannel(nc, ch) })
	both.Go(func() {
		var reset *tcpmux.ResetError
		if err := channelToConn(nc, ch); errors.As(err, &reset) {
			why = whyReset[reset.Code]
		}
	})
	both.Wait()
	return why
}

// connToChannel copies from nc to ch. EOF on nc ends this direction of the channel; an error of nc resets the channel.
func connToChannel(nc *net.TCPConn, ch *tcpmux.Channel) {
	buf := make([]byte, chunk)
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
func channelToConn(nc *net.TCPConn, ch *tcpmux.Channel) error {
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
