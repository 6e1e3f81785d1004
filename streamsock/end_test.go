package streamsock

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Each error has its reason and close code, with close frames and without.
func TestEndOf(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want Reason
		code int
	}{
		{&closeError{4000, "bye"}, ReasonClosed, 4000},
		{io.EOF, ReasonEOF, 0},
		{&lenframe.Error{Length: 11, Limit: 10}, ReasonTooLarge, 1009},
		{&wsframe.Error{Code: 1002, Violation: shockwave.Violation{Msg: "wrong"}}, ReasonProtocol, 1002},
		{errText, ReasonText, 1003},
		{errTooSlow, ReasonSlow, 1013},
		{netconn.ErrSlow, ReasonSlow, 1013},
		{errSilent, ReasonPingTimeout, 1006},
		{netconn.ErrIdle, ReasonIdle, 1001},
		{io.ErrUnexpectedEOF, ReasonTruncated, 1006},
		{&net.OpError{Err: syscall.ECONNRESET}, ReasonReset, 1006},
		{fmt.Errorf("write: %w", syscall.EPIPE), ReasonReset, 1006},
		{netconn.ErrAbort, ReasonLocal, 1001},
		{netconn.ErrShutdown, ReasonLocal, 1001},
		{nil, ReasonLocal, 1001},
		{errors.New("else"), ReasonTruncated, 1006},
	} {
		for _, framed := range []bool{false, true} {
			code := tc.code
			if !framed && tc.want != ReasonClosed && tc.want != ReasonProtocol && tc.want != ReasonText { // which only frames have
				code = 0
			}
			if got := endOf(tc.err, framed); got.Reason != tc.want || int(got.Code) != code || got.Returns {
				t.Errorf("%v, framed %v: %+v, want %v %d", tc.err, framed, got, tc.want, code)
			}
		}
	}
}

// between reports whether no byte of the next message has been received.
func TestBetween(t *testing.T) {
	const begins = "\x02\x82\x00\x00\x00\x00ab" // a message of two frames
	for _, tc := range []struct {
		framing Framing
		in      string
		want    string // for each number of bytes that have come: is it between two messages
	}{
		{FramingSingle, "\x82\x81\x00\x00\x00\x00a", "|......|"},
		{FramingSingle, "\x82\x80\x00\x00\x00\x00", "|.....|"},
		{FramingSingle, begins + "\x8a\x80\x00\x00\x00\x00\x80\x80\x00\x00\x00\x00", "|...................|"},
		{FramingSingle, "\x8a\x81\x00\x00\x00\x00a", "|......|"},
		{FramingPrefixed, "\x82\x82\x00\x00\x00\x00\x00\x00\x82\x82\x00\x00\x00\x00\x00\x00", "|...............|"},
		{FramingPrefixed, "\x02\x85\x00\x00\x00\x00\x00\x00\x00\x01x\x80\x80\x00\x00\x00\x00", "|................|"},
	} {
		w := newFrames(nil, wsframe.Server, Config{Framing: tc.framing}.settings().format)
		got := ""
		for n := range len(tc.in) + 1 {
			if n > 0 {
				if _, err := w.read([]byte(tc.in[n-1:n]), &conn{discarding: true}); err != nil {
					t.Fatal(err)
				}
			}
			got += map[bool]string{true: "|", false: "."}[w.between()]
		}
		if got != tc.want {
			t.Errorf("%q: %s, want %s", tc.in, got, tc.want)
		}
	}
}
