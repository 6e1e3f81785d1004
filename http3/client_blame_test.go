package http3_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// blame says whether an error blames this side.
type blame struct{ local bool }

// accused has the codes with which a peer blames this side.
var accused = map[h3frame.Code]blame{
	h3frame.GeneralProtocolError: {true}, h3frame.StreamCreationError: {true}, h3frame.ClosedCriticalStream: {true}, h3frame.FrameUnexpected: {true},
	h3frame.FrameError: {true}, h3frame.ExcessiveLoad: {true}, h3frame.IDError: {true}, h3frame.SettingsError: {true}, h3frame.MissingSettings: {true},
	h3frame.RequestIncomplete: {true}, h3frame.MessageError: {true}, h3frame.DatagramError: {true}, 0x200: {true}, 0x201: {true}, 0x202: {true},
}

func (b blame) check(t *testing.T, err error, rule string) {
	t.Helper()
	var broken shockwave.ProtocolError
	if !errors.As(err, &broken) || (broken.Blame() == shockwave.Local) != b.local || broken.Reference() != rule {
		t.Errorf("%v: %+v, want blame on us: %v, %s", err, broken, b.local, rule)
	}
}

// An error with a code that RFC 9114 does not define, known or unknown, blames the right side.
func TestBlame(t *testing.T) {
	for _, code := range []h3frame.Code{0, h3frame.DatagramError, 0xff, 0x111, 0x1ff, 0x200, 0x201, 0x202, 0x203, 1 << 60} {
		accused[code].check(t, &http3.StreamError{Code: uint64(code)}, "RFC 9114 §4.1.1")
		accused[code].check(t, &http3.ClosedError{Code: uint64(code)}, "RFC 9114 §5.3")
	}
}

// A stream that the server resets, with any code, is an error that names the code; the connection goes on.
func TestServerResets(t *testing.T) {
	for code := h3frame.NoError; code <= h3frame.VersionFallback; code++ {
		for _, head := range []string{"", "[:status 200] 0005 61"} {
			t.Run(code.String()+head, func(t *testing.T) {
				t.Parallel()
				r := evil(t, func(e *evilConn) {
					e.uni("00 0400")
					s := e.request()
					if head != "" {
						s.Write(unhex(e, head))
						time.Sleep(50 * time.Millisecond) // it would not be sent any more
					}
					s.CancelRead(quic.StreamErrorCode(code))
					s.CancelWrite(quic.StreamErrorCode(code))
					e.serve()
				})
				err := r.ask("POST")
				if code == h3frame.RequestRejected && head == "" {
					want(t, err, "no error: 200 OK ok") // it was sent again
				} else {
					want(t, err, "by the server", code.String())
					accused[code].check(t, err, "RFC 9114 §4.1.1")
				}
				r.goesOn()
			})
		}
	}
}

// A connection that the server closes, with any code or silently, gives an error that names the code.
func TestServerCloses(t *testing.T) {
	for code := h3frame.NoError; code <= h3frame.VersionFallback; code++ {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			r := evil(t, func(e *evilConn) {
				e.request()
				e.c.CloseWithError(quic.ApplicationErrorCode(code), "why")
			})
			err := r.ask("GET")
			want(t, err, "closed by the server", code.String(), `"why"`)
			accused[code].check(t, err, "RFC 9114 §5.3")
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			r.goesOn()
		})
	}
}
