package h2talk_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"golang.org/x/net/http2"
)

// One end reads what the other one sends, and frames without a text are skipped.
func TestTalk(t *testing.T) {
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	a, b := h2talk.New(t, near), h2talk.New(t, far)
	a.Text = func(f http2.Frame) string {
		if f.Header().Type == http2.FrameWindowUpdate {
			return ""
		}
		return h2talk.Describe(f)
	}
	b.Headers(1, false, ":status", "200", "a", "b")
	b.Headers(3, true, ":method", "GET")
	_ = b.Framer.WriteWindowUpdate(1, 5)
	_ = b.Framer.WriteData(1, false, []byte("hello"))
	_ = b.Framer.WriteData(1, true, make([]byte, 41))
	_ = b.Framer.WriteRSTStream(5, http2.ErrCodeCancel)
	_ = b.Framer.WriteSettings()
	_ = b.Framer.WriteSettingsAck()
	_ = b.Framer.WriteGoAway(3, http2.ErrCodeNo, nil)
	a.Want("HEADERS 1 200 a=b", "HEADERS 3 :method=GET END", `DATA 1 "hello"`, "DATA 1 41 bytes END",
		"RST_STREAM 5 CANCEL", "SETTINGS", "SETTINGS ack", "GOAWAY 3 NO_ERROR")
	_ = a.Framer.WriteWindowUpdate(0, 7)
	_ = a.Framer.WritePing(true, [8]byte{7: 0xee})
	b.Want("WINDOW_UPDATE +7")
	b.WantIdle()
	a.Want("PING ee")
	a.HalfClose()
	b.WantEOF()
	b.WantGone()
}
