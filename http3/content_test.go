package http3_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// When a request body differs from what its head says, or the client gives it up, a handler that reads it gets the right error
// and the stream ends with the right code. The handler has started before the body goes wrong.
func TestBodiesThatAreCut(t *testing.T) {
	got := make(chan string, 1)
	begun := make(chan bool, 1)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) != "/echo" {
			w.WriteText("ok")
			return
		}
		first := make([]byte, 1)
		io.ReadFull(r, first)
		begun <- true
		b, err := io.ReadAll(r)
		kind := fmt.Sprint(err)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			kind = "cut"
		case err != nil:
			if broken, ok := errors.AsType[*http3.StreamError](err); ok {
				kind = fmt.Sprint("by the client, ", h3frame.Code(broken.Code))
			}
		}
		got <- fmt.Sprintf("%s%s %s", first, b, kind)
		w.Write(b)
	})}, http3.Config{})
	for name, tc := range map[string]struct {
		head string
		rest func(s *quic.Stream)
		got  string // the handler
		want string // the client
	}{
		"all of it":   {post("|content-length 3"), func(s *quic.Stream) { s.Write(unhex(t, "0002 6263")); s.Close() }, "abc <nil>", "200 bc"},
		"no length":   {post(""), func(s *quic.Stream) { s.Write(unhex(t, "0002 6263")); s.Close() }, "abc <nil>", "200 bc"},
		"the end":     {post("|content-length 3"), func(s *quic.Stream) { s.Close() }, "a cut", "reset H3_MESSAGE_ERROR"},
		"less":        {post("|content-length 3"), func(s *quic.Stream) { s.Write(unhex(t, "0001 62")); s.Close() }, "ab cut", "reset H3_MESSAGE_ERROR"},
		"a trailer":   {post("|content-length 3"), func(s *quic.Stream) { s.Write(unhex(t, "0001 62 [x y]")); s.Close() }, "ab cut", "reset H3_MESSAGE_ERROR"},
		"more":        {post("|content-length 2"), func(s *quic.Stream) { s.Write(unhex(t, "0002 6263")); s.Close() }, "a cut", "reset H3_MESSAGE_ERROR"},
		"half a byte": {post(""), func(s *quic.Stream) { s.Write(unhex(t, "0002 62")); s.Close() }, "ab cut", "close H3_FRAME_ERROR"},
		"given up":    {post("|content-length 3"), func(s *quic.Stream) { s.CancelWrite(0x10c) }, "a by the client, H3_REQUEST_CANCELLED", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := r.talk()
			k.uni(unhex(t, "00 0400"))
			s := k.open(unhex(t, tc.head+"0001 61"), false)
			wiretest.Within(t, "the handler", begun)
			tc.rest(s)
			if how := wiretest.Within(t, "the handler's end", got); how != tc.got {
				t.Errorf("the handler got %q, want %q", how, tc.got)
			}
			if how := k.response(s); tc.want != "" && how != tc.want {
				t.Errorf("%q, want %q", how, tc.want)
			}
			if strings.HasPrefix(tc.want, "close") {
				return
			}
			if how := k.ask(unhex(t, get), true); how != "200 ok" {
				t.Errorf("after it came %q", how)
			}
		})
	}
}

// A response that is shorter than its Content-Length does not look complete, a longer one is cut, and a response without content
// has none, whatever its handler writes.
func TestAnswersAndTheirLengths(t *testing.T) {
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := 200
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Trailer", "X, Content-Length")
		if r.URL.Query().Has("length") {
			w.Header().Set("Content-Length", r.URL.Query().Get("length"))
			w.Header().Del("Trailer")
		}
		w.WriteHeader(status)
		_, err := io.WriteString(w, "12345")
		w.Header().Set("X", fmt.Sprint(err))
		w.Header().Set("Content-Length", "5")
		w.Header().Set(http.TrailerPrefix+"Transfer-Encoding", "chunked")
	})}
	r := serveNetHTTP(t, s)
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	for _, tc := range []struct{ method, path, want string }{
		{"GET", "/200", "200 12345 trailer x=<nil>"},
		{"GET", "/200?length=5", "200 12345"},
		{"GET", "/200?length=6", "reset H3_INTERNAL_ERROR"},
		{"GET", "/200?length=4", "200 1234"},
		{"HEAD", "/200?length=5", "200"},
		{"HEAD", "/200", "200"},
		{"GET", "/204", "204"},
		{"GET", "/304?length=5", "304"},
	} {
		got := k.ask(unhex(t, "[:method "+tc.method+"|:scheme https|:authority a.test|:path "+tc.path+"]"), true)
		if got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.method, tc.path, got, tc.want)
		}
	}
}

// A handler gets the trailer section after the body, without the fields that no trailer section may have.
func TestTrailersOfRequests(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		before := r.Trailer().Len()
		b, err := io.ReadAll(r)
		fmt.Fprintf(w, "%d %s %v", before, b, err)
		for name, value := range r.Trailer().All() {
			fmt.Fprintf(w, " %s=%s", name, value)
		}
	})}, http3.Config{})
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	for in, want := range map[string]string{
		"0001 61 [x y|x z]": "200 0 a <nil> x=y x=z",
		"[x y]":             "200 0  <nil> x=y",
		"0001 61 []":        "200 0 a <nil>",
		"0001 61 [x y|content-length 7|host b|trailer t]": "200 0 a <nil> x=y",
		"0001 61 [x y|te gzip]":                           "reset H3_MESSAGE_ERROR",
		"0001 61 [connection close]":                      "reset H3_MESSAGE_ERROR",
		"0001 61 [X y]":                                   "reset H3_MESSAGE_ERROR",
	} {
		s := k.open(unhex(t, post("")), false) // the handler begins
		s.Write(unhex(t, in))
		s.Close()
		if got := k.response(s); got != want && !strings.HasPrefix(want, "200") || strings.HasPrefix(want, "200") && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// A response with status 103 is sent at once, each time the handler asks for it, and never after the final head.
func TestInformationalAnswers(t *testing.T) {
	more := make(chan bool)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, _ *server.Request) {
		h := new(shockwave.Header)
		h.Set("Link", "</s.css>")
		h.Set("Content-Length", "5") // not of an informational response
		h.Set("Connection", "close")
		for range 2 {
			w.WriteInformational(103, h)
		}
		<-more
		w.Write([]byte("ok"))
		w.Flush()
		if w.WriteInformational(103, h) == nil {
			t.Error("103 after the head: got no error")
		}
	})}, http3.Config{})
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	s := k.open(unhex(t, get), true)
	for range 2 {
		if got := k.head(s); got != "[{:status 103 false} {link </s.css> false}]" {
			t.Errorf(`got %q, want "[{:status 103 false} {link </s.css> false}]"`, got)
		}
	}
	close(more)
	if got := k.response(s); got != "200 ok" {
		t.Errorf(`got %q, want "200 ok"`, got)
	}
}

// head reads the next section of a response and says what it has.
func (k *talk) head(s *quic.Stream) string {
	k.Helper()
	s.SetReadDeadline(time.Now().Add(time.Minute))
	var m h3frame.Message
	m.Reset(1 << 20)
	for in := []byte(nil); ; {
		p, _, bad := m.Next(in)
		if bad != nil {
			k.Fatal(bad)
		}
		if p.Kind == h3frame.Section {
			fields, err := new(qpack.Decoder).Decode(p.Bytes, nil)
			if err != nil {
				k.Fatal(err)
			}
			return fmt.Sprint(fields)
		}
		var one [1]byte
		if _, err := io.ReadFull(s, one[:]); err != nil {
			k.Fatal(ending(err))
		}
		in = append(in, one[0])
	}
}

// 100 Continue is sent when the handler reads the body; if the handler does not read, the client gets no 100 and a STOP_SENDING.
func TestContinue(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/echo" {
			io.Copy(w, r)
		} else {
			w.Error(403, "no")
		}
	})}, http3.Config{})
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	s := k.open(unhex(t, post("|expect 100-continue|content-length 2")), false)
	if got := k.head(s); got != "[{:status 100 false}]" {
		t.Errorf(`got %q, want "[{:status 100 false}]"`, got)
	}
	s.Write(unhex(t, "0002 6162"))
	s.Close()
	if got := k.response(s); got != "200 ab" {
		t.Errorf(`got %q, want "200 ab"`, got)
	}
	s = k.open(unhex(t, "[:method POST|:scheme https|:authority a.test|:path /no|expect 100-continue|content-length 2]"), false)
	if got := k.response(s); got != "403 no\n" {
		t.Errorf("got %q, want %q", got, "403 no\n")
	}
	wiretest.Within(t, "STOP_SENDING", s.Context().Done())
}
