package http3_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// readers returns how many goroutines wait for a client's unidirectional streams.
func readers() (n int) {
	buf := make([]byte, 8<<20)
	for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "http3.(*peerStreams)") && !strings.Contains(g, "http3.(*clientConn)") {
			n++
		}
	}
	return n
}

// The unidirectional streams of an idle connection cost no goroutine; a broken rule on them is noticed all the same, and a
// request makes the control stream be read again.
func TestQuietStreams(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page)}, http3.Config{})
	const settingsTwice, table = "0400", "3fbd01"
	cases := []struct {
		on      string // the stream that breaks a rule
		in      string
		request bool // behind a request
		want    string
		k       *talk
		streams map[string]*quic.SendStream
	}{
		{on: "control", in: settingsTwice, want: "close H3_FRAME_UNEXPECTED"},
		{on: "control", in: settingsTwice, request: true, want: "close H3_FRAME_UNEXPECTED"},
		{on: "encoder", in: table, want: "close QPACK_ENCODER_STREAM_ERROR"},
		{on: "decoder", in: "84", request: true, want: "close QPACK_DECODER_STREAM_ERROR"},
		{on: "second control", in: "00 0400", want: "close H3_STREAM_CREATION_ERROR"},
		{on: "unknown", in: "21 6162", request: true},
		{on: "decoder", in: "44 45", request: true}, // cancellations are allowed
	}
	for i := range cases {
		c := &cases[i]
		c.k = r.talk()
		c.streams = map[string]*quic.SendStream{"control": c.k.uni(unhex(t, "00 0400")), "encoder": c.k.uni(unhex(t, "02")), "decoder": c.k.uni(unhex(t, "03"))}
		if got := c.k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
			t.Fatalf(`got %q, want "200 GET 3 a.test"`, got)
		}
	}
	wiretest.Eventually(t, "silence", func() bool { return readers() == 0 })
	for i := range cases {
		c := &cases[i]
		if c.request {
			if got := c.k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
				t.Errorf(`got %q, want "200 GET 3 a.test"`, got)
			}
		}
		if s := c.streams[c.on]; s != nil {
			s.Write(unhex(t, c.in))
		} else {
			c.k.uni(unhex(t, c.in))
		}
	}
	for _, c := range cases {
		if c.want != "" {
			wiretest.Within(t, c.on, c.k.c.Context().Done())
			if got := ending(context.Cause(c.k.c.Context())); got != c.want {
				t.Errorf("%s: %q, want %q", c.on, got, c.want)
			}
			continue
		}
		for range 3 {
			if got := c.k.ask(unhex(t, get), true); got != "200 GET 3 a.test" {
				t.Errorf(`%s: got %q, want "200 GET 3 a.test"`, c.on, got)
			}
		}
	}
}
