package quicconn

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// sessionSend is the sending half of a session's stream.
type sessionSend struct{ s sendHalf }

// sendHalf is what *quic.SendStream and *quic.Stream have in common.
type sendHalf interface {
	Write(p []byte) (int, error)
	Close() error
	CancelWrite(code quic.StreamErrorCode)
	SetWriteDeadline(t time.Time) error
}

func (s sessionSend) Write(p []byte) (int, error) {
	n, err := s.s.Write(p)
	return n, sessionError(err)
}

func (s sessionSend) CloseWrite() error                  { return s.s.Close() }
func (s sessionSend) Reset(code h3frame.Code)            { s.s.CancelWrite(quic.StreamErrorCode(code)) }
func (s sessionSend) SetWriteDeadline(t time.Time) error { return s.s.SetWriteDeadline(t) }

// sessionReceive is the receiving half. ahead holds bytes that were read after the stream's header.
type sessionReceive struct {
	s     receiveHalf
	ahead []byte
}

// receiveHalf is what *quic.ReceiveStream and *quic.Stream have in common.
type receiveHalf interface {
	Read(p []byte) (int, error)
	CancelRead(code quic.StreamErrorCode)
	SetReadDeadline(t time.Time) error
}

func (s *sessionReceive) Read(p []byte) (int, error) {
	if n := copy(p, s.ahead); n > 0 {
		s.ahead = s.ahead[n:]
		return n, nil
	}
	n, err := s.s.Read(p)
	return n, sessionError(err)
}

func (s *sessionReceive) Stop(code h3frame.Code)            { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s *sessionReceive) SetReadDeadline(t time.Time) error { return s.s.SetReadDeadline(t) }

// sessionStream is a bidirectional stream.
type sessionStream struct {
	sessionSend
	*sessionReceive
}

func newSessionStream(s *quic.Stream, ahead []byte) *sessionStream {
	return &sessionStream{sessionSend{s}, &sessionReceive{s, ahead}}
}

// sessionError translates err, an error of a QUIC stream, for package session.
func sessionError(err error) error {
	if code, ok := ResetBy(err); ok {
		return &session.ResetError{Code: code}
	}
	return err
}

// ForSession returns the stream for use in a session.
func (s Stream) ForSession(ahead []byte) session.Stream { return newSessionStream(s.s, ahead) }

// ForSession returns the stream for use in a session.
func (s Receive) ForSession(ahead []byte) session.Receive { return &sessionReceive{s.s, ahead} }

// Until makes reads fail after t; the zero time means never.
func (s Receive) Until(t time.Time) { s.s.SetReadDeadline(t) }

// OpenSession opens a bidirectional stream as soon as the client allows one more. It begins with header, which arrives even if the
// stream is reset, if the client supports that (draft-ietf-webtrans-http3 §4.4).
func (c Conn) OpenSession(ctx context.Context, header []byte) (session.Stream, error) {
	s, err := c.c.OpenStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	return newSessionStream(s, nil), begin(s, header)
}

// OpenUniSession is openSession for a unidirectional stream.
func (c Conn) OpenUniSession(ctx context.Context, header []byte) (session.Send, error) {
	s, err := c.c.OpenUniStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	return sessionSend{s}, begin(s, header)
}

// begin writes the header of a stream.
func begin(s interface {
	io.Writer
	SetReliableBoundary()
}, header []byte) error {
	_, err := s.Write(header)
	if err == nil {
		s.SetReliableBoundary()
	}
	return err
}

// TakesDatagrams reports whether the client takes datagrams of QUIC (RFC 9221 §3).
func (c Conn) TakesDatagrams() bool { return c.c.ConnectionState().SupportsDatagrams.Remote }

// SendDatagram sends a datagram. It waits while many are queued. p is not kept.
func (c Conn) SendDatagram(p []byte) error {
	err := c.c.SendDatagram(p)
	if e, ok := errors.AsType[*quic.DatagramTooLargeError](err); ok {
		return &session.TooLargeError{Most: int(e.MaxDatagramPayloadSize)}
	}
	return err
}

// ReceiveDatagram waits for the next datagram, which the caller owns.
func (c Conn) ReceiveDatagram() ([]byte, error) { return c.c.ReceiveDatagram(context.Background()) }
