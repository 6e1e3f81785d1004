package load

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// h3Peer is the server's end of a connection of HTTP/3.
type h3Peer struct {
	*quic.Conn
	t       *testing.T
	index   int              // of the connection
	control *quic.SendStream // begun with SETTINGS
}

// ask returns the stream of the next request, which is read to its end; nil when there is none.
func (p *h3Peer) ask() *quic.Stream {
	st, err := p.AcceptStream(context.Background())
	if err != nil {
		return nil
	}
	if b, err := io.ReadAll(st); err != nil || len(b) == 0 {
		return p.ask() // a stream on which nothing was asked for
	}
	return st
}

// head says the head of an answer.
func (p *h3Peer) head(st *quic.Stream, fields ...string) {
	var enc qpack.Encoder
	section := enc.AppendPrefix(nil)
	for i := 0; i < len(fields); i += 2 {
		section = enc.AppendField(section, fields[i], fields[i+1])
	}
	st.Write(append(h3frame.AppendHeader(nil, h3frame.Headers, uint64(len(section))), section...))
}

// body says a part of a body.
func (p *h3Peer) body(st *quic.Stream, b string) {
	st.Write(append(h3frame.AppendHeader(nil, h3frame.Data, uint64(len(b))), b...))
}

// fine answers as nobody has anything against.
func (p *h3Peer) fine(st *quic.Stream) {
	p.head(st, ":status", "200", "content-length", "4")
	p.body(st, "fine")
	st.Close()
}

// answer answers all requests well until the connection ends.
func (p *h3Peer) answer() {
	for st := p.ask(); st != nil; st = p.ask() {
		p.fine(st)
	}
}

// end ends the connection when what was said has arrived.
func (p *h3Peer) end(code h3frame.Code) {
	time.Sleep(50 * time.Millisecond)
	p.CloseWithError(quic.ApplicationErrorCode(code), "")
}

// playH3 serves each connection as talk says, and drives load at it.
func playH3(t *testing.T, cfg Config, talk func(p *h3Peer)) *account.Result {
	t.Helper()
	secure := httptest.NewTLSServer(nil)
	certs := secure.TLS.Certificates
	secure.Close()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	tr := &quic.Transport{Conn: pc}
	defer tr.Close()
	l, err := tr.Listen(&tls.Config{Certificates: certs, NextProtos: []string{"h3"}}, &quic.Config{MaxIncomingStreams: 3})
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for i := 0; ; i++ {
			c, err := l.Accept(t.Context())
			if err != nil {
				return
			}
			serving.Go(func() {
				p := &h3Peer{Conn: c, t: t, index: i}
				if p.control, err = c.OpenUniStream(); err == nil {
					p.control.Write(h3frame.AppendSettings([]byte{byte(h3frame.ControlStream)}))
					talk(p)
				}
				<-c.Context().Done()
			})
		}
	})
	cfg.URL, cfg.HTTP3, cfg.TLS = &url.URL{Scheme: "https", Host: pc.LocalAddr().String(), Path: "/"}, true, &tls.Config{InsecureSkipVerify: true}
	if cfg.Conns == 0 {
		cfg.Conns = 1
	}
	if cfg.Requests == 0 {
		cfg.Requests = 20
	}
	if cfg.Duration == 0 {
		cfg.Duration = time.Minute
	}
	res, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	tr.Close()
	serving.Wait()
	return res
}

// One fault of a server is counted once, over HTTP/3.
func TestH3Wrong(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(p *h3Peer, st *quic.Stream)
		want  account.Errors
	}{
		{"a server error", func(p *h3Peer, st *quic.Stream) { p.head(st, ":status", "503"); st.Close() }, account.Errors{Status: 1}},
		{"a shorter body", func(p *h3Peer, st *quic.Stream) { p.head(st, ":status", "200"); p.body(st, "fin"); st.Close() }, account.Errors{Length: 1}},
		{"a shorter body than it says", func(p *h3Peer, st *quic.Stream) {
			p.head(st, ":status", "200", "content-length", "5")
			p.body(st, "fine")
			st.Close()
		}, account.Errors{Protocol: 1}},
		{"a longer body than it says", func(p *h3Peer, st *quic.Stream) {
			p.head(st, ":status", "200", "content-length", "3")
			p.body(st, "fine")
			st.Close()
		}, account.Errors{Protocol: 1}},
		{"no status", func(p *h3Peer, st *quic.Stream) { p.head(st, "a", "b"); st.Close() }, account.Errors{Protocol: 1}},
		{"no head", func(p *h3Peer, st *quic.Stream) { st.Close() }, account.Errors{Protocol: 1}},
		{"half a frame", func(p *h3Peer, st *quic.Stream) {
			p.head(st, ":status", "200")
			st.Write(append(h3frame.AppendHeader(nil, h3frame.Data, 4), "fi"...))
			st.Close()
		}, account.Errors{Protocol: 1}},
		{"a reset", func(p *h3Peer, st *quic.Stream) { st.CancelWrite(quic.StreamErrorCode(h3frame.InternalError)) }, account.Errors{Reset: 1}},
		{"a refusal", func(p *h3Peer, st *quic.Stream) { st.CancelWrite(quic.StreamErrorCode(h3frame.RequestRejected)) }, account.Errors{Reset: 1}},
		{"no answer", func(p *h3Peer, st *quic.Stream) { p.end(h3frame.NoError) }, account.Errors{Closed: 1}},
		{"a body cut short", func(p *h3Peer, st *quic.Stream) { p.head(st, ":status", "200"); p.end(h3frame.NoError) }, account.Errors{Length: 1}},
		{"an error of the connection", func(p *h3Peer, st *quic.Stream) { p.end(h3frame.ExcessiveLoad) }, account.Errors{Closed: 1}},
		{"a broken rule of the connection", func(p *h3Peer, st *quic.Stream) {
			p.fine(st)
			p.control.Write(h3frame.AppendSettings(nil)) // a second time
			<-p.Context().Done()
		}, account.Errors{Protocol: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			res := playH3(t, Config{Same: true}, func(p *h3Peer) {
				if p.index == 0 {
					p.fine(p.ask())
					if st := p.ask(); st != nil {
						c.wrong(p, st)
					}
				}
				p.answer()
			})
			if res.Errors != c.want {
				t.Errorf("errors %+v, want %+v; %+v", res.Errors, c.want, res.Streams)
			}
			if res.Requests+res.Errors.Total() < 20 {
				t.Errorf("%d requests: the run did not go on", res.Requests)
			}
			if got := res.Streams.Fault != ""; got != (c.want.Protocol > 0) {
				t.Errorf("the fault is %q", res.Streams.Fault)
			}
			if got := len(res.Streams.Resets) > 0; got != (c.want.Reset > 0) {
				t.Errorf("resets %v", res.Streams.Resets)
			}
		})
	}
}

// Requests that a GOAWAY leaves out are sent again on another connection, and are no errors.
func TestH3GoesAway(t *testing.T) {
	var conns atomic.Int64
	res := playH3(t, Config{Pipeline: 3, Requests: 60}, func(p *h3Peer) {
		if conns.Add(1) > 4 {
			p.answer()
			return
		}
		for range 5 {
			if st := p.ask(); st != nil {
				p.fine(st)
			}
		}
		p.control.Write(h3frame.AppendGoAway(nil, 20))
		for st := p.ask(); st != nil; st = p.ask() {
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestRejected))
		}
	})
	if res.Errors.Total() != 0 || res.Requests != 60 || res.Reconnects != 4 || res.Streams.GoAways["H3_NO_ERROR"] != 4 {
		t.Errorf("%d requests, errors %+v, %d new connections, %+v", res.Requests, res.Errors, res.Reconnects, res.Streams)
	}
}

// A request without an answer in time is an error, and others go on.
func TestH3Timeout(t *testing.T) {
	var asked atomic.Int64
	res := playH3(t, Config{Pipeline: 2, Requests: 20, Timeout: 500 * time.Millisecond}, func(p *h3Peer) {
		for st := p.ask(); st != nil; st = p.ask() {
			if asked.Add(1) != 3 {
				p.fine(st)
			}
		}
	})
	if want := (account.Errors{Timeout: 1}); res.Errors != want || res.Requests != 19 {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
}

// With a rate requests are sent when they are due, however many may be in flight.
func TestH3OnSchedule(t *testing.T) {
	res := playH3(t, Config{Pipeline: 3, Conns: 2, Rate: 200, Requests: 60}, (*h3Peer).answer)
	if res.Errors.Total() != 0 || res.Requests != 60 || res.Elapsed < 200*time.Millisecond {
		t.Errorf("%d requests in %v, errors %+v", res.Requests, res.Elapsed, res.Errors)
	}
}
