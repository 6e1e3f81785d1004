package http3_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/server"
)

// settings are the settings of a client that accepts sections of the given size.
func settings(most uint64) []byte {
	return h3frame.AppendSettings([]byte{0}, h3frame.SettingValue{ID: h3frame.MaxFieldSectionSize, Value: most})
}

// A head or trailer section that is larger than the client accepts is not sent: the handler is told, and the stream ends so that
// the client does not take the response for complete. An informational response is left out.
func TestClientFieldLimit(t *testing.T) {
	failed := make(chan error, 100)
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		long := strings.Repeat("x", 2000)
		switch string(r.Path()) {
		case "/head":
			w.Header().Set("A", long)
			w.Write([]byte(long))
			failed <- w.Flush()
		case "/trailer":
			w.Trailer().Set("A", long)
		case "/hint":
			h := new(shockwave.Header)
			h.Set("Link", long)
			w.WriteInformational(103, h)
		}
		w.Write([]byte("ok"))
	})}, http3.Config{})
	ask := func(path string) []byte {
		return unhex(t, "[:method GET|:scheme https|:authority a.test|:path "+path+"]")
	}

	free := r.talk()
	free.uni(unhex(t, "00 0400"))
	for path, want := range map[string]string{"/head": "200 " + strings.Repeat("x", 2000) + " ok", "/trailer": "200 ok trailer a=" + strings.Repeat("x", 2000), "/hint": "103 200 ok"} {
		if got := free.ask(ask(path), true); strings.ReplaceAll(got, "x ok", "xok") != strings.ReplaceAll(want, "x ok", "xok") {
			t.Errorf("%s without a limit: %.40q of %d bytes", path, got, len(got))
		}
	}
	if err := wiretest.Within(t, "the handler", failed); err != nil {
		t.Error(err)
	}

	k := r.talk()
	k.uni(settings(1000))
	const refused = "reset H3_INTERNAL_ERROR"
	wiretest.Eventually(t, "a head is held back", func() bool { // the settings may come after the request
		got := k.ask(ask("/head"), true)
		err := wiretest.Within(t, "the handler", failed)
		if err == nil {
			return false
		}
		if broken, ok := err.(shockwave.ProtocolError); !ok || broken.Blame() != shockwave.Local || broken.Reference() != "RFC 9114 §4.2.2" {
			t.Errorf("the handler gets %v", err)
		}
		if got != refused {
			t.Errorf("%q, want %q", got, refused)
		}
		return true
	})
	for path, want := range map[string]string{"/trailer": refused, "/hint": "200 ok", "/": "200 ok"} {
		if got := k.ask(ask(path), true); got != want {
			t.Errorf("%s: %.40q, want %q", path, got, want)
		}
	}
}

// A response head of exactly the size that the client accepts is sent.
func TestClientFieldLimitExact(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		n, _ := strconv.Atoi(string(r.Path()[1:]))
		w.Header().Set("A", strings.Repeat("x", n))
		w.SetStatus(204)
	})}, http3.Config{})
	ask := func(n int) []byte {
		return unhex(t, fmt.Sprintf("[:method GET|:scheme https|:authority a.test|:path /%d]", n))
	}
	const most = 500
	k := r.talk()
	k.uni(settings(most))
	wiretest.Eventually(t, "the limit is known", func() bool { return k.ask(ask(most), true) != "204" })
	// :status 204, date with 29 bytes, a
	rest := most - (7 + 3 + 32) - (4 + 29 + 32) - (1 + 32)
	if got := k.ask(ask(rest), true); got != "204" {
		t.Errorf(`%d bytes: got %q, want "204"`, most, got)
	}
	if got := k.ask(ask(rest+1), true); got == "204" {
		t.Errorf("%d bytes: got %q", most+1, got)
	}
}

// A trailer section that is larger than the server accepts is not sent, and its request fails.
func TestServerTrailerLimit(t *testing.T) {
	ended := make(chan string, 1)
	r := evil(t, func(e *evilConn) {
		e.uni("00 0403 06 4190")                          // 400
		for s := e.request(); s != nil; s = e.request() { // the settings may come after the first one
			if _, err := io.Copy(io.Discard, s); err != nil {
				ended <- ending(err)
			} else {
				s.Write(unhex(e, "[:status 200] 0002 6f6b"))
				s.Close()
			}
		}
	})
	wiretest.Eventually(t, "the trailer is held back", func() bool {
		req, _ := http.NewRequest("POST", r.url+"/", io.NopCloser(strings.NewReader("abc")))
		req.Trailer = http.Header{"A": {strings.Repeat("x", 500)}}
		err := r.fails(req)
		if strings.HasPrefix(err.Error(), "no error") {
			return false
		}
		want(t, err, "trailer fields of 533 bytes: the server accepts at most 400", "RFC 9114 §4.2.2")
		broken, ok := err.(shockwave.ProtocolError)
		if !ok || broken.Blame() != shockwave.Local {
			t.Errorf("got %T, %v", err, err)
		}
		return true
	})
	if how := wiretest.Within(t, "the request's end", ended); how != "reset H3_REQUEST_CANCELLED" {
		t.Errorf(`got %q, want "reset H3_REQUEST_CANCELLED"`, how)
	}
	r.goesOn()
}

// A response to HEAD has no content, even if the request's head is too large to be read whole, however it arrives (RFC 9110
// §9.3.2). A request whose method does not arrive gets a response, too.
func TestLargeHeadOfHEAD(t *testing.T) {
	r := start(t, server.Config{Handler: server.HandlerFunc(page), MaxHeadBytes: 4096, ReadHeaderTimeout: time.Second}, http3.Config{})
	large := func(method string) []byte {
		return unhex(t, "[:method "+method+"|:scheme https|:authority a.test|:path /|a "+strings.Repeat("x", 5000)+"]")
	}
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	if got := k.ask(large("HEAD"), true); got != "431" {
		t.Errorf(`HEAD: got %q, want "431"`, got)
	}
	if got := k.ask(large("GET"), true); !strings.HasPrefix(got, "431 ") {
		t.Errorf(`GET: got %q, want "431 " at its start`, got)
	}
	if got := k.ask(large("HEAD")[:4], false); !strings.HasPrefix(got, "431") {
		t.Errorf(`a frame's header alone: got %q, want "431" at its start`, got)
	}
	s := k.open(nil, false)
	for _, c := range large("HEAD")[:100] {
		s.Write([]byte{c})
		time.Sleep(time.Millisecond / 4)
	}
	if got := k.response(s); got != "431" {
		t.Errorf(`HEAD by the byte: got %q, want "431"`, got)
	}
}
