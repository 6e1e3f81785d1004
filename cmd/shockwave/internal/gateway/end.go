package gateway

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// End is how a peer's two connections ended: what came first.
type End struct {
	By     string // the side that ended them: "peer", "service" or "gateway"
	Reason string // in the words of docs/wire/streamsock.md, and "down"
	Code   websocket.CloseCode
	Text   string // of the close frame
	Err    error  // what is behind it, if there is more to say than the peer is told
}

// Report tells what became of a request.
type Report struct {
	Request
	Status  int    // that it was answered with; the rest is there for 101 only
	To      string // the service
	In, Out int64  // bytes of payload from and to the peer
	Took    time.Duration
	End     End
}

const (
	byPeer    = "peer"
	byService = "service"
	byGateway = "gateway"
)

var (
	errPeerOver = errors.New("the peer's connection is over")
	errNotText  = errors.New("a message of the service is not UTF-8")
)

// serviceEnd is the end that the service has brought about; err is why nothing more is read from it. nil stands for an end that
// is not the service's.
func serviceEnd(err error) *End {
	broken := &End{By: byService, Code: websocket.CloseInternalError, Err: err}
	switch {
	case err == errPeerOver, errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	case err == io.EOF:
		return &End{By: byService, Reason: "eof", Code: websocket.CloseNormal}
	case err == io.ErrUnexpectedEOF:
		broken.Reason, broken.Text = "truncated", "the service has ended in the middle"
	case errors.As(err, new(*lenframe.Error)):
		broken.Reason, broken.Text = "too-large", "a message of the service is too large"
	case err == errNotText:
		broken.Reason, broken.Text = "text", "a message of the service is no text"
	default:
		broken.Reason, broken.Text = "reset", "the connection to the service has broken"
	}
	return broken
}

// peerEnd is the end of a peer's connection that ended with err.
func peerEnd(err error) End {
	var (
		said  *websocket.CloseError
		broke *websocket.ProtocolError
	)
	switch {
	case errors.As(err, &said):
		return End{By: byPeer, Reason: "closed", Code: said.Code, Text: said.Reason}
	case errors.As(err, &broke):
		return End{By: byPeer, Reason: "protocol", Code: broke.Code, Text: broke.Msg}
	case err == websocket.ErrTooBig:
		return End{By: byPeer, Reason: "too-large", Code: websocket.CloseMessageTooBig}
	case err == websocket.ErrSilent:
		return End{By: byPeer, Reason: "silent", Code: websocket.CloseAbnormal}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return End{By: byPeer, Reason: "slow", Code: websocket.CloseAbnormal}
	case err == net.ErrClosed:
		return End{By: byGateway, Reason: "local", Code: websocket.CloseAbnormal}
	case err == io.ErrUnexpectedEOF:
		return End{By: byPeer, Reason: "truncated", Code: websocket.CloseAbnormal}
	}
	return End{By: byPeer, Reason: "reset", Code: websocket.CloseAbnormal, Err: err}
}

// downEnd is the end of a peer whose service cannot be had. Addresses are nothing for the peer to know.
func downEnd(err error) End {
	e := End{By: byService, Reason: "down", Code: websocket.CloseTryAgainLater, Text: "the service cannot be reached", Err: err}
	var late net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Text = "the service is down"
	case errors.As(err, &late) && late.Timeout():
		e.Text = "the service does not answer"
	}
	return e
}

var (
	goingAway = End{By: byGateway, Reason: "local", Code: websocket.CloseGoingAway}
	idleEnd   = End{By: byGateway, Reason: "idle", Code: websocket.CloseGoingAway, Text: "idle"}
	textEnd   = End{By: byPeer, Reason: "text", Code: websocket.CloseUnsupportedData, Text: "text is not taken here"}
	slowEnd   = End{By: byService, Reason: "slow", Code: websocket.CloseTryAgainLater, Text: "the service takes nothing"}
)
