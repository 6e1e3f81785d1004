package http3_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// evil is a server that plays a script on its first connection. On others it responds to every request with "ok".
func evil(t *testing.T, script func(e *evilConn), limits ...quic.Config) *clientRig {
	t.Helper()
	first := true
	return evilAlways(t, func(e *evilConn) {
		if first {
			first = false
			go script(e)
		} else {
			go e.honest()
		}
	}, limits...)
}

// evilAlways is a server that calls begin for each connection, one at a time.
func evilAlways(t *testing.T, begin func(e *evilConn), limits ...quic.Config) *clientRig {
	t.Helper()
	cfg := quic.Config{MaxIncomingStreams: 100}
	if len(limits) > 0 {
		cfg = limits[0]
	}
	cert, _ := certificate()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	qt := &quic.Transport{Conn: pc}
	l, err := qt.Listen(&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h3"}}, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := l.Accept(context.Background())
			if err != nil {
				return
			}
			begin(&evilConn{T: t, c: c})
		}
	}()
	t.Cleanup(func() {
		l.Close()
		qt.Close()
		pc.Close()
		<-over
	})
	return newClientRig(t, pc.LocalAddr().String())
}

// evilConn is a connection of such a server.
type evilConn struct {
	*testing.T
	c *quic.Conn
}

// uni opens a unidirectional stream with these bytes.
func (e *evilConn) uni(s string) *quic.SendStream {
	u, err := e.c.OpenUniStreamSync(e.Context())
	if err != nil {
		return nil
	}
	u.Write(unhex(e, s))
	return u
}

// request waits for a request.
func (e *evilConn) request() *quic.Stream {
	s, _ := e.c.AcceptStream(context.Background())
	return s
}

// busy waits until the connection is used: a client sends its request on another one if the first ends before.
func (e *evilConn) busy() *evilConn {
	e.request()
	return e
}

// honest responds to all requests.
func (e *evilConn) honest() {
	e.uni("00 0400")
	e.serve()
}

func (e *evilConn) serve() {
	for s := e.request(); s != nil; s = e.request() {
		go func() {
			io.Copy(io.Discard, s)
			s.Write(unhex(e, "[:status 200] 0002 6f6b"))
			s.Close()
		}()
	}
}

// closed returns how the client has ended the connection.
func (e *evilConn) closed() string {
	select {
	case <-e.c.Context().Done():
		return ending(context.Cause(e.c.Context()))
	case <-time.After(10 * time.Second):
		return "it stays"
	}
}

// ask sends a request and returns its error.
func (r *clientRig) ask(method string) error {
	ctx, cancel := within(r.T)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, method, r.url+"/", nil)
	return r.fails(req)
}

// goesOn expects that the next request gets a response.
func (r *clientRig) goesOn() {
	r.Helper()
	if _, body := r.do("POST", "/", nil); body != "ok" {
		r.Errorf(`got %q, want "ok"`, body)
	}
}

// A malformed response is refused with the right code; an error of the stream leaves the connection alone.
func TestHostileResponses(t *testing.T) {
	const conn = true
	for name, tc := range map[string]struct {
		in    string
		words string // separated by |
		conn  bool   // the connection ends
	}{
		"DATA first":             {"0001 61", "DATA before the head|H3_FRAME_UNEXPECTED", conn},
		"SETTINGS":               {"[:status 200] 0400", "control stream|H3_FRAME_UNEXPECTED", conn},
		"GOAWAY":                 {"0701 00", "control stream|H3_FRAME_UNEXPECTED", conn},
		"PUSH_PROMISE":           {"0501 00", "PUSH_PROMISE|H3_ID_ERROR", conn},
		"PING of HTTP/2":         {"[:status 200] 0600", "HTTP/2|H3_FRAME_UNEXPECTED", conn},
		"head behind a trailer":  {"[:status 200][a b][a b]", "trailer|H3_FRAME_UNEXPECTED", conn},
		"DATA behind a trailer":  {"[:status 200][a b] 0001 61", "trailer|H3_FRAME_UNEXPECTED", conn},
		"WebTransport":           {"4041 00", "WebTransport|H3_FRAME_UNEXPECTED", conn},
		"a dynamic table":        {"0103 000080", "QPACK_DECOMPRESSION_FAILED", conn},
		"half a field":           {"0104 00005102", "QPACK_DECOMPRESSION_FAILED", conn},
		"a head that is cut":     {"0105 0000", "ends too early|H3_FRAME_ERROR", conn},
		"DATA that is cut":       {"[:status 200] 0005 6162", "ends too early|H3_FRAME_ERROR", conn},
		"a cut frame header":     {"[:status 200] 00", "ends too early|H3_FRAME_ERROR", conn},
		"nothing":                {"", "ends too early|before the head|H3_MESSAGE_ERROR", false},
		"only an unknown frame":  {"2103 616263", "ends too early|before the head", false},
		"only an interim head":   {"[:status 103]", "ends too early|before the head", false},
		"DATA after an interim":  {"[:status 103] 0001 61", "DATA before the head|H3_FRAME_UNEXPECTED", conn},
		"a connection's field":   {"[:status 103|connection close]", "connection-specific", false},
		"101 after 103":          {"[:status 103][:status 101]", "101|§4.5", false},
		"a trailer's connection": {"[:status 200] 0001 61 [connection close]", "connection-specific", false},
		"too little, trailer":    {"[:status 200|content-length 5] 0003 616263 [a b]", "ends too early|less content", false},
		"too much, HEAD":         {"[:status 200|content-length 1] 0001 61", "H3_MESSAGE_ERROR", false},
		"content with 304":       {"[:status 304|content-length 5] 0001 61", "H3_MESSAGE_ERROR", false},
		"too little":             {"[:status 200|content-length 5] 0003 616263", "ends too early|less content", false},
		"too much":               {"[:status 200|content-length 2] 0003 616263", "more content|H3_MESSAGE_ERROR", false},
		"too much, in two":       {"[:status 200|content-length 2] 0002 6162 0001 63", "more content|H3_MESSAGE_ERROR", false},
		"no status":              {"[a b]", "pseudo-field missing|H3_MESSAGE_ERROR|§4.3.1", false},
		"no fields":              {"[]", "pseudo-field missing", false},
		"two statuses":           {"[:status 200|:status 200]", "more than once|§4.3", false},
		"a status behind":        {"[a b|:status 200]", "pseudo-field missing", false},
		"status 20":              {"[:status 20]", "malformed :status|§4.3.2", false},
		"status 099":             {"[:status 099]", "malformed :status", false},
		"status 2000":            {"[:status 2000]", "malformed :status", false},
		"status +20":             {"[:status +20]", "malformed :status", false},
		"status 101":             {"[:status 101]", "101|§4.5", false},
		":path":                  {"[:status 200|:path /]", "does not have|§4.3", false},
		"capitals":               {"[:status 200|A b]", "lower-case token|RFC 9114 §4.2", false},
		"connection":             {"[:status 200|connection close]", "connection-specific|RFC 9114 §4.2", false},
		"transfer-encoding":      {"[:status 200|transfer-encoding chunked]", "connection-specific", false},
		"NUL":                    {"[:status 200|a b\x00]", "control byte", false},
		"a line break":           {"[:status 200|a b\nc]", "control byte", false},
		"content-length x":       {"[:status 200|content-length x]", "content-length|RFC 9110 §8.6", false},
		"content-length twice":   {"[:status 200|content-length 1|content-length 1]", "content-length", false},
		"content-length -1":      {"[:status 200|content-length -1]", "content-length", false},
		"content-length huge":    {"[:status 200|content-length 99999999999999999999]", "content-length", false},
		"a trailer with :status": {"[:status 200][:status 200]", "pseudo-field|RFC 9114 §4.3", false},
		"a trailer with NUL":     {"[:status 200][a \x00]", "control byte|RFC 9114 §4.2", false},
		"a head without end":     {"01 bfffffff" + strings.Repeat("00", 1000), "too many or too long|H3_EXCESSIVE_LOAD", false},
		"a trailer without end":  {"[:status 200] 01 bfffffff" + strings.Repeat("00", 1000), "too many or too long|H3_EXCESSIVE_LOAD", false},
		"a bomb":                 {"01 800f0002 0000" + strings.Repeat("d9", 0xf0000), "too many or too long|H3_EXCESSIVE_LOAD", false},
		"interim heads":          {strings.Repeat("[:status 103]", 17), "informational", false},
		"content with HEAD":      {"[:status 200] 0001 61", "H3_MESSAGE_ERROR", false},
		"content with 204":       {"[:status 204] 0001 61", "H3_MESSAGE_ERROR", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ends := make(chan string, 1)
			r := evil(t, func(e *evilConn) {
				e.uni("00 0400")
				if s := e.request(); s != nil {
					s.Write(unhex(e, tc.in))
					s.Close()
				}
				if tc.conn {
					ends <- e.closed()
				} else {
					e.serve()
				}
			})
			method := "GET"
			if strings.HasSuffix(name, "HEAD") {
				method = "HEAD"
			}
			err := r.ask(method)
			want(t, err, strings.Split(tc.words, "|")...)
			if strings.Contains(tc.words, "too early") != errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			if e, ok := errors.AsType[*h3frame.Error](err); ok && e.Blame().String() != "peer" {
				t.Error(e.Blame())
			}
			if tc.conn {
				if how := <-ends; !strings.HasPrefix(how, "close ") || !strings.Contains(tc.words, how[len("close "):]) {
					t.Error(how)
				}
			}
			r.goesOn()
		})
	}
}

// A server that breaks a rule on its own streams loses the connection, and the next request uses another one.
func TestHostileStreams(t *testing.T) {
	flood := func(head, piece string) func(e *evilConn) {
		return func(e *evilConn) {
			u := e.busy().uni(head)
			for b := unhex(e, strings.Repeat(piece, 100)); u != nil; {
				if _, err := u.Write(b); err != nil {
					return
				}
			}
		}
	}
	floodStream := func(head, piece string, most int) func(e *evilConn) { // most is how many bytes are taken
		return func(e *evilConn) {
			e.uni("00 0400")
			s := e.request()
			s.Write(unhex(e, head))
			sent := 0
			for b := unhex(e, strings.Repeat(piece, 100)); ; sent += len(b) {
				if _, err := s.Write(b); err != nil {
					break
				}
			}
			if sent > most {
				e.Errorf("%d bytes were taken", sent)
			}
		}
	}
	uni := func(streams ...string) func(e *evilConn) {
		return func(e *evilConn) {
			e.busy()
			for _, s := range streams {
				e.uni(s)
			}
		}
	}
	for name, tc := range map[string]struct {
		script func(e *evilConn)
		want   string // the code
	}{
		"GOAWAY first":               {uni("00 0701 00"), "H3_MISSING_SETTINGS"},
		"unknown frame first":        {uni("00 2100"), "H3_MISSING_SETTINGS"},
		"SETTINGS twice":             {uni("00 0400 0400"), "H3_FRAME_UNEXPECTED"},
		"the same setting twice":     {uni("00 0404 0601 0601"), "H3_SETTINGS_ERROR"},
		"a setting of HTTP/2":        {uni("00 0402 0201"), "H3_SETTINGS_ERROR"},
		"half a setting":             {uni("00 0401 06"), "H3_FRAME_ERROR"},
		"SETTINGS without end":       {uni("00 04 bfffffff"), "H3_EXCESSIVE_LOAD"},
		"two control streams":        {uni("00 0400", "00 0400"), "H3_STREAM_CREATION_ERROR"},
		"two encoder streams":        {uni("02", "02"), "H3_STREAM_CREATION_ERROR"},
		"DATA":                       {uni("00 0400 0000"), "H3_FRAME_UNEXPECTED"},
		"HEADERS":                    {uni("00 0400 0100"), "H3_FRAME_UNEXPECTED"},
		"PING of HTTP/2":             {uni("00 0400 0600"), "H3_FRAME_UNEXPECTED"},
		"MAX_PUSH_ID":                {uni("00 0400 0d01 00"), "H3_FRAME_UNEXPECTED"},
		"CANCEL_PUSH":                {uni("00 0400 0301 00"), "H3_ID_ERROR"},
		"PRIORITY_UPDATE":            {uni("00 0400 800f0700 01 00"), "H3_FRAME_UNEXPECTED"},
		"a push stream":              {uni("00 0400", "01 00"), "H3_ID_ERROR"},
		"GOAWAY with more":           {uni("00 0400 0701 04 0701 08"), "H3_ID_ERROR"},
		"GOAWAY of no request":       {uni("00 0400 0701 05"), "H3_ID_ERROR"},
		"an entry of a table":        {uni("00 0400", "02 41 61 01 62"), "QPACK_ENCODER_STREAM_ERROR"},
		"an acknowledgment":          {uni("00 0400", "03 80"), "QPACK_DECODER_STREAM_ERROR"},
		"unknown control frames":     {flood("00 0400", "2100"), "H3_EXCESSIVE_LOAD"},
		"GOAWAY without end":         {flood("00 0400", "0701 04"), "H3_EXCESSIVE_LOAD"},
		"unknown frames":             {floodStream("", "2100", 2<<20), "H3_EXCESSIVE_LOAD"},
		"unknown frames, in content": {floodStream("[:status 200]", "2100", 2<<20), "H3_EXCESSIVE_LOAD"},
		"empty DATA":                 {floodStream("[:status 200]", "0000", 2<<20), "H3_EXCESSIVE_LOAD"},
		"a frame that means nothing": {floodStream("21 bfffffff", strings.Repeat("00", 100), 16<<20), "H3_EXCESSIVE_LOAD"},
		"the end of the control stream": {func(e *evilConn) {
			e.busy().uni("00 0400").Close()
		}, "H3_CLOSED_CRITICAL_STREAM"},
		"a reset of the control stream": {func(e *evilConn) {
			u := e.uni("00 0400")
			e.request()
			time.Sleep(50 * time.Millisecond) // what was not sent would not be sent any more
			u.CancelWrite(0x100)
		}, "H3_CLOSED_CRITICAL_STREAM"},
		"a bidirectional stream": {func(e *evilConn) {
			s, err := e.busy().c.OpenStreamSync(e.Context())
			if err == nil {
				s.Write([]byte{0})
			}
		}, "H3_STREAM_CREATION_ERROR"},
		"unidirectional streams": {func(e *evilConn) {
			e.busy()
			for u := e.uni("21"); u != nil; u = e.uni("21") {
				u.Close()
			}
		}, "H3_EXCESSIVE_LOAD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ends := make(chan string, 1)
			r := evil(t, func(e *evilConn) {
				played := make(chan bool)
				go func() {
					tc.script(e)
					close(played)
				}()
				how := e.closed()
				<-played
				ends <- how
			})
			err := r.ask("POST")
			want(t, err, tc.want, "RFC 9")
			if e, ok := errors.AsType[*h3frame.Error](err); !ok || e.Blame().String() != "peer" || e.Reference() == "" {
				t.Errorf("got %T", err)
			}
			if how := <-ends; how != "close "+tc.want {
				t.Errorf("got %v, want %v", how, "close "+tc.want)
			}
			r.goesOn()
		})
	}
}

// Frames and streams that mean nothing to us are allowed.
func TestHonestServer(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0402 2101 2100 4021 02 6162")
		e.uni("21 6162").Close()
		e.uni("4054 00")
		e.uni("02 20")
		e.uni("03 40")
		for range 2 {
			s := e.request()
			s.Write(unhex(e, "2101 61 [:status 103] 2100 [:status 100] [:status 199|content-length 5] [:status 200|content-length 2|set-cookie a|set-cookie b] 0000 0001 6f 2100 0001 6b 2100 [x-t v|content-length 7|trailer x-t] 2101 61"))
			s.Close()
		}
	})
	for range 2 {
		resp, body := r.do("GET", "/", nil)
		if body != "ok" || len(resp.Header["Set-Cookie"]) != 2 || resp.Trailer.Get("X-T") != "v" || len(resp.Trailer) != 1 || resp.ContentLength != 2 {
			t.Errorf(`got %q, %+v; want "ok", two cookies and a trailer`, body, resp)
		}
	}
}

// A server that stops the request body may still send its response.
func TestStopSending(t *testing.T) {
	stopped := make(chan bool)
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		s.CancelRead(0x100)
		<-stopped
		s.Write(unhex(e, "[:status 200] 0002 6f6b"))
		s.Close()
		e.serve()
	})
	b := &countedBody{Reader: pattern(0)}
	go func() {
		b.awaitClose(t)
		close(stopped)
	}()
	if _, body := r.do("POST", "/", b); body != "ok" {
		t.Errorf(`got %q, want "ok"`, body)
	}
	r.goesOn()
}

// A request fails when the server stops its body and sends no response.
func TestStoppedAndSilent(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		e.request().CancelRead(0x100)
		e.serve()
	})
	r.tr.ResponseHeaderTimeout = 50 * time.Millisecond
	req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url, pattern(0))
	want(t, r.fails(req), "timeout awaiting response headers")
}

// After an error response the rest of the body is not sent, even if the server would take it.
func TestRefusedUpload(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		s.Write(unhex(e, "[:status 413]"))
		io.Copy(io.Discard, s)
		s.Close()
		e.serve()
	})
	b := &countedBody{Reader: pattern(0)}
	req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url, b)
	resp, err := r.tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	b.awaitClose(t) // although the response was not read
	resp.Body.Close()
	r.goesOn()
}

// A response that ends or is reset at any byte is never taken for a complete one.
func TestResponseIsCut(t *testing.T) {
	whole := unhex(t, "[:status 103|a b] 2101 61 [:status 200|content-length 5] 0003 616263 0002 6465 [x-t v]")
	var at atomic.Int64
	r := evilAlways(t, func(e *evilConn) {
		go func() {
			e.uni("00 0400")
			for s := e.request(); s != nil; s = e.request() {
				s.Write(whole[:at.Load()])
				s.Close()
			}
		}()
	})
	for n := range len(whole) {
		at.Store(int64(n))
		if n == len(whole)-len(unhex(t, "[x-t v]")) {
			continue // whole, without its trailer section
		}
		err := r.ask("POST")
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
		want(t, err, "too early")
	}
	at.Store(int64(len(whole)))
	if resp, body := r.do("POST", "/", nil); body != "abcde" || resp.Trailer.Get("X-T") != "v" {
		t.Errorf(`got %q, %v; want "abcde" and a trailer`, body, resp.Trailer)
	}
}

// A response that arrives byte by byte is complete.
func TestResponseInPieces(t *testing.T) {
	whole := unhex(t, "[:status 103|a b] 2101 61 [:status 200|content-length 5] 0003 616263 0002 6465 [x-t v]")
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		for i := range whole {
			s.Write(whole[i : i+1])
			time.Sleep(time.Millisecond)
		}
		s.Close()
	})
	if resp, body := r.do("POST", "/", nil); body != "abcde" || resp.Trailer.Get("X-T") != "v" {
		t.Errorf(`got %q, %v; want "abcde" and a trailer`, body, resp.Trailer)
	}
}

// An error of the connection fails all its requests.
func TestConnectionError(t *testing.T) {
	const n = 5
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		for range n - 1 {
			e.request()
		}
		e.request().Write(unhex(e, "0001 61"))
	})
	var all sync.WaitGroup
	for range n {
		all.Go(func() { want(t, r.ask("POST"), "DATA before the head", "H3_FRAME_UNEXPECTED, RFC 9114 §4.1") })
	}
	all.Wait()
	r.goesOn()
}

// A server must allow our control stream, and may stop reading it.
func TestNoControlStream(t *testing.T) {
	cert, _ := certificate()
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h3"}}
	l, err := quic.ListenAddr("127.0.0.1:0", cfg, &quic.Config{MaxIncomingUniStreams: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want(t, newClientRig(t, l.Addr().String()).ask("GET"), "no control stream is allowed", "RFC 9114 §6.2")
}

// A stateless reset ends the connection, and a request that is safe to repeat is sent again.
func TestStatelessReset(t *testing.T) {
	cert, _ := certificate()
	cfg := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h3"}}
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	begin := func() *quic.Transport {
		qt := &quic.Transport{Conn: pc, StatelessResetKey: &quic.StatelessResetKey{1}}
		l, err := qt.Listen(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept(context.Background())
				if err != nil {
					return
				}
				go (&evilConn{T: t, c: c}).honest()
			}
		}()
		return qt
	}
	qt := begin()
	r := newClientRig(t, pc.LocalAddr().String())
	for _, method := range []string{"GET", "POST"} {
		r.goesOn()
		qt.Close() // without a word
		qt = begin()
		err := r.ask(method)
		if method == "GET" {
			want(t, err, "no error: 200 OK ok")
		} else {
			want(t, err, "stateless reset")
		}
	}
	r.goesOn()
	qt.Close()
}
