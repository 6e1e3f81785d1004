package http3

import (
	"context"
	"errors"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// This file has the calls of quic-go that only sessions of WebTransport need.

// sessionReceive is a stream of the client's that can only be read. ahead is what was read of it behind its header.
type sessionReceive struct {
	s     *quic.ReceiveStream
	ahead []byte
}

func (s *sessionReceive) Read(p []byte) (int, error) { return readOn(s.s, &s.ahead, p) }

func (s *sessionReceive) Stop(code h3frame.Code) { s.s.CancelRead(quic.StreamErrorCode(code)) }

func (s *sessionReceive) SetReadDeadline(t time.Time) error { return s.s.SetReadDeadline(t) }

// sessionSend is a stream of ours that can only be written.
type sessionSend struct{ s *quic.SendStream }

func (s sessionSend) Write(p []byte) (int, error) {
	n, err := s.s.Write(p)
	return n, sessionError(err)
}

func (s sessionSend) CloseWrite() error                  { return s.s.Close() }
func (s sessionSend) Reset(code h3frame.Code)            { s.s.CancelWrite(quic.StreamErrorCode(code)) }
func (s sessionSend) SetWriteDeadline(t time.Time) error { return s.s.SetWriteDeadline(t) }

// sessionStream is a bidirectional stream.
type sessionStream struct {
	s     *quic.Stream
	ahead []byte
}

func (s *sessionStream) Read(p []byte) (int, error) { return readOn(s.s, &s.ahead, p) }

func (s *sessionStream) Write(p []byte) (int, error) {
	n, err := s.s.Write(p)
	return n, sessionError(err)
}

func (s *sessionStream) CloseWrite() error                  { return s.s.Close() }
func (s *sessionStream) Reset(code h3frame.Code)            { s.s.CancelWrite(quic.StreamErrorCode(code)) }
func (s *sessionStream) Stop(code h3frame.Code)             { s.s.CancelRead(quic.StreamErrorCode(code)) }
func (s *sessionStream) SetReadDeadline(t time.Time) error  { return s.s.SetReadDeadline(t) }
func (s *sessionStream) SetWriteDeadline(t time.Time) error { return s.s.SetWriteDeadline(t) }

// readOn reads what is ahead first.
func readOn(s interface{ Read(p []byte) (int, error) }, ahead *[]byte, p []byte) (int, error) {
	if n := copy(p, *ahead); n > 0 {
		*ahead = (*ahead)[n:]
		return n, nil
	}
	n, err := s.Read(p)
	return n, sessionError(err)
}

// sessionError returns err, one of a stream of QUIC, as the sessions know it.
func sessionError(err error) error {
	if code, ok := resetBy(err); ok {
		return &session.ResetError{Code: code}
	}
	return err
}

// forSession returns the stream as one of a session's.
func (s quicStream) forSession(ahead []byte) session.Stream { return &sessionStream{s.s, ahead} }

// forSession returns the stream as one of a session's.
func (s quicReceive) forSession(ahead []byte) session.Receive { return &sessionReceive{s.s, ahead} }

// until lets reads fail behind t; the zero time is never.
func (s quicReceive) until(t time.Time) { s.s.SetReadDeadline(t) }

// openSession opens a bidirectional stream as soon as the client allows one more. It begins with header, which arrives even if the
// stream is reset, when the client can tell that apart (draft-ietf-webtrans-http3 §4.4).
func (c quicConn) openSession(ctx context.Context, header []byte) (session.Stream, error) {
	s, err := c.c.OpenStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.Write(header); err != nil {
		return nil, err
	}
	s.SetReliableBoundary()
	return &sessionStream{s: s}, nil
}

// openUniSession is openSession for a unidirectional stream.
func (c quicConn) openUniSession(ctx context.Context, header []byte) (session.Send, error) {
	s, err := c.c.OpenUniStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.Write(header); err != nil {
		return nil, err
	}
	s.SetReliableBoundary()
	return sessionSend{s}, nil
}

// takesDatagrams reports whether the client takes datagrams of QUIC (RFC 9221 §3).
func (c quicConn) takesDatagrams() bool { return c.c.ConnectionState().SupportsDatagrams.Remote }

// sendDatagram sends a datagram. It waits while many are queued. p is not kept.
func (c quicConn) sendDatagram(p []byte) error {
	err := c.c.SendDatagram(p)
	if e, ok := errors.AsType[*quic.DatagramTooLargeError](err); ok {
		return &session.TooLargeError{Most: int(e.MaxDatagramPayloadSize)}
	}
	return err
}

// receiveDatagram waits for the next datagram, which is the caller's.
func (c quicConn) receiveDatagram() ([]byte, error) { return c.c.ReceiveDatagram(context.Background()) }
