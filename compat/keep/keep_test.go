package keep

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

const (
	requests    = 100_000
	connections = 24
	turnover    = 500 // requests on one connection, then comes another
)

// kept is what the handler keeps of one request, and whose connection it came from.
type kept struct {
	r      *http.Request
	ctx    context.Context
	body   []byte
	err    error
	remote string // written by the client
	tls    bool   // written by the client
}

// keeper keeps request n in all[n]. Each is written by one handler and one client, and read when all have ended.
type keeper struct{ all [requests]kept }

// ServeHTTP keeps everything there is of r, and responds with its number.
func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := numberOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	one := &k.all[n]
	one.r, one.ctx = r, r.Context()
	if r.Header.Get("Content-Type") != "" {
		one.err = r.ParseForm()
	} else {
		one.body, one.err = io.ReadAll(r.Body)
	}
	io.WriteString(w, strconv.Itoa(n))
}

// numberOf reads the number out of /keep/NUMBER/....
func numberOf(r *http.Request) (int, error) {
	rest, _ := strings.CutPrefix(path.Clean(r.URL.Path), "/keep/")
	text, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(text)
	if err == nil && (n < 0 || n >= requests) {
		err = fmt.Errorf("there is no request %d", n)
	}
	return n, err
}

// Bytes that a handler keeps of 100,000 requests, over TLS, pipelined and split at any byte, do not change afterwards.
func TestNothingKeptEverChanges(t *testing.T) {
	k := new(keeper)
	plain, secure := serveBoth(t, &nethttp.Server{Handler: k, TLSConfig: serverTLS(t)})
	var clients sync.WaitGroup
	for c := range connections {
		clients.Go(func() {
			s := sender{first: c, addr: plain, style: style(c % 4), all: &k.all}
			if c%3 == 0 {
				s.addr, s.tls = secure, true
			}
			if err := s.sendAll(); err != nil {
				t.Errorf("connection %d: %v", c, err)
			}
		})
	}
	clients.Wait()
	k.judge(t, requests, (*message).request)
}

// judge compares what was kept of the first messages with what a handler must have seen.
func (k *keeper) judge(t *testing.T, messages int, must func(m *message) *http.Request) {
	t.Helper()
	wrong := 0
	for n := range messages {
		m := messageOf(n)
		for _, line := range k.all[n].differences(m, must(m)) {
			t.Errorf("request %d: %s", n, line)
			wrong++
		}
		if wrong > 10 {
			t.Fatal("more than 10 requests have changed")
		}
	}
}

// differences says what of k is not as m, which a handler must see as want, wants it.
func (k *kept) differences(m *message, want *http.Request) (lines []string) {
	if k.r == nil {
		return []string{"did not reach the handler"}
	}
	say := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			lines = append(lines, fmt.Sprintf("%s is %.300q, want %.300q", what, got, want))
		}
	}
	r := k.r
	say("reading the body", k.err, error(nil))
	say("Method", r.Method, want.Method)
	say("RequestURI", r.RequestURI, want.RequestURI)
	say("URL", r.URL, want.URL)
	say("Proto", r.Proto, want.Proto)
	say("version", [2]int{r.ProtoMajor, r.ProtoMinor}, [2]int{want.ProtoMajor, want.ProtoMinor})
	say("Host", r.Host, want.Host)
	say("RemoteAddr", r.RemoteAddr, k.remote)
	say("Header", r.Header, want.Header)
	say("Trailer", r.Trailer, want.Trailer)
	say("TransferEncoding", r.TransferEncoding, want.TransferEncoding)
	say("ContentLength", r.ContentLength, want.ContentLength)
	say("Form", r.Form, want.Form)
	say("PostForm", r.PostForm, want.PostForm)
	say("TLS", r.TLS != nil && r.TLS.HandshakeComplete, k.tls)
	if !m.form {
		say("body", string(k.body), string(m.body))
	}
	return append(lines, k.contextDifferences()...)
}

// contextDifferences says what is wrong with the context of a request that is long over.
func (k *kept) contextDifferences() (lines []string) {
	if err := k.ctx.Err(); err != context.Canceled {
		lines = append(lines, fmt.Sprintf("the context's Err is %v", err))
	}
	if _, ok := k.ctx.Value(http.ServerContextKey).(*http.Server); !ok {
		lines = append(lines, "the context has no server")
	}
	if a, ok := k.ctx.Value(http.LocalAddrContextKey).(net.Addr); !ok || a.Network() != "tcp" {
		lines = append(lines, "the context has no local address")
	}
	if k.r.Context() != k.ctx {
		lines = append(lines, "the request has another context now")
	}
	return lines
}
