package gateway

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// End says how a peer's two connections ended: the first event that ended them.
type End struct {
	By     string // the side that caused it: "peer", "service" or "gateway"
	Reason string // a reason of docs/wire/streamsock.md, or "down"
	Code   websocket.CloseCode
	Text   string // text of the close frame
	Err    error  // the underlying error, if there is more to say than the peer is told
}

// Request describes the request of a peer.
type Request struct {
	Start    time.Time
	Remote   string
	Method   string
	Target   string
	Protocol string // HTTP/1.1, HTTP/2.0
	Referer  string
	Agent    string
	Origin   string
}

// Report describes a finished request.
type Report struct {
	Request
	Status  int    // response status; the following fields are for 101 only
	To      string // URL of the service
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

// serviceEnd returns the End that the service has caused, where err is why nothing more is read from it. It returns nil
// if the cause was not the service.
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

// peerEnd returns the End of a peer's connection that ended with err.
func peerEnd(err error) End {
	var (
		said  *websocket.CloseError
		broke *websocket.ProtocolError
	)
	switch {
	case errors.As(err, &said) && said.Code != websocket.CloseAbnormal:
		return End{By: byPeer, Reason: "closed", Code: said.Code, Text: said.Reason}
	case errors.As(err, &broke):
		return End{By: byPeer, Reason: "protocol", Code: broke.Code, Text: broke.Msg}
	case err == websocket.ErrTooBig:
		return End{By: byPeer, Reason: "too-large", Code: websocket.CloseMessageTooBig}
	case err == websocket.ErrSilent:
		return End{By: byPeer, Reason: "silent", Code: websocket.CloseAbnormal}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return End{By: byPeer, Reason: "slow", Code: websocket.CloseAbnormal}
	case errors.Is(err, net.ErrClosed):
		return End{By: byGateway, Reason: "local", Code: websocket.CloseAbnormal}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return End{By: byPeer, Reason: "truncated", Code: websocket.CloseAbnormal}
	case said != nil:
		err = said.Unwrap()
	}
	return End{By: byPeer, Reason: "reset", Code: websocket.CloseAbnormal, Err: err}
}

// downEnd returns the End of a peer whose service cannot be dialled. The text for the peer contains no addresses.
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
	textEnd   = End{By: byPeer, Reason: "text", Code: websocket.CloseUnsupportedData, Text: "text messages are not enabled"}
	slowEnd   = End{By: byService, Reason: "slow", Code: websocket.CloseTryAgainLater, Text: "the service takes nothing"}
)
