package nethttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/nethttp"
)

// BenchmarkTransport sends 100 requests at once over one connection to a server that costs almost nothing, with our
// Transport and net/http's.
func BenchmarkTransport(b *testing.B) {
	url := serveFrames(b)
	own := &nethttp.Transport{Protocols: h2c()}
	defer own.Close()
	std := &http.Transport{Protocols: h2c()}
	defer std.CloseIdleConnections()
	for _, bc := range []struct {
		name string
		tr   http.RoundTripper
	}{{"own", own}, {"std", std}} {
		b.Run(bc.name, func(b *testing.B) { benchmarkTransport(b, bc.tr, url) })
	}
}

func benchmarkTransport(b *testing.B, tr http.RoundTripper, url string) {
	const at = 100
	b.ReportAllocs()
	var wg sync.WaitGroup
	for i := range at {
		n := (b.N + at - 1 - i) / at
		wg.Go(func() {
			req, _ := http.NewRequest("GET", url, nil)
			buf := make([]byte, 512)
			for range n {
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Error(err)
					return
				}
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
}

// serveFrames sends the same response to every HEADERS frame, without parsing it.
func serveFrames(b *testing.B) (url string) {
	return "http://" + acceptAll(b, func(nc net.Conn, _ int) { answerFrames(nc) })
}

func answerFrames(nc net.Conn) {
	r := bufio.NewReaderSize(nc, 64<<10)
	if _, err := r.Discard(len(http2.Preface)); err != nil {
		return
	}
	// :status 200, content-length 5, content-type text/plain, date: literals without indexing.
	block := "\x88\x0f\x0d\x015\x0f\x10\x0atext/plain\x0f\x12\x1dMon, 23 Nov 2026 03:08:01 GMT"
	out := http2.FrameHeader{Type: http2.FrameSettings}.Append(nil)
	var head [http2.FrameHeaderLen]byte
	for {
		if r.Buffered() == 0 && len(out) > 0 {
			if _, err := nc.Write(out); err != nil {
				return
			}
			out = out[:0]
		}
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		h := http2.ParseFrameHeader(head[:])
		switch {
		case h.Type == http2.FrameSettings && h.Flags&http2.FlagAck == 0:
			out = http2.FrameHeader{Type: http2.FrameSettings, Flags: http2.FlagAck}.Append(out)
		case h.Type == http2.FrameHeaders:
			out = http2.FrameHeader{Length: uint32(len(block)), Type: http2.FrameHeaders, Flags: http2.FlagEndHeaders, Stream: h.Stream}.Append(out)
			out = append(out, block...)
			out = http2.FrameHeader{Length: 5, Type: http2.FrameData, Flags: http2.FlagEndStream, Stream: h.Stream}.Append(out)
			out = append(out, "hello"...)
		}
		if _, err := r.Discard(int(h.Length)); err != nil {
			return
		}
	}
}
