package httpclient_test

import (
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A hook that panics or ends its goroutine gives back the connection or stream, and the body is closed.
func TestHooksThatPanic(t *testing.T) {
	for name, set := range map[string]func(k *httpclient.Call, fail func()){
		"Got": func(k *httpclient.Call, fail func()) {
			k.Trace = &httpclient.Trace{Got: func(net.Conn, bool, time.Duration) { fail() }}
		},
		"Head":      func(k *httpclient.Call, fail func()) { k.Trace = &httpclient.Trace{Head: fail} },
		"FirstByte": func(k *httpclient.Call, fail func()) { k.Trace = &httpclient.Trace{FirstByte: fail} },
		"Interim": func(k *httpclient.Call, fail func()) {
			k.Interim = func(int, *shockwave.Header) error { fail(); return nil }
		},
	} {
		for how, fail := range map[string]func(){"panic": func() { panic("hook") }, "Goexit": runtime.Goexit} {
			for _, key := range []httpclient.Key{a, plain2} {
				for _, size := range []int{0, 10, 1 << 20, -1} { // of the body; -1 is a body that does not come
					t.Run(fmt.Sprint(name, " ", how, " ", key.Host, " ", size), func(t *testing.T) {
						k := httpclient.Call{Key: key, Method: "POST", Head: ask("POST", "/", ""), Length: int64(size)}
						set(&k, fail)
						hookFails(t, k)
					})
				}
			}
		}
	}
}

// hookFails sends k, whose body is as long as announced and one of whose hooks must fail, and then another request.
func hookFails(t *testing.T, k httpclient.Call) {
	r := newRig(t, httpclient.Config{MaxConnsPerHost: 1, Strict: true})
	body, _ := newSource()
	if k.Length < 0 {
		k.Body = body
	} else {
		k.Bytes = make([]byte, k.Length)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		_ = r.Do(t.Context(), &k, new(httpclient.Response))
		t.Error("Do has returned")
	}()
	var f *frames
	if opening := r.asked(); k.Key == a {
		_, _ = opening.accept().Conn.Write([]byte("HTTP/1.1 103 Early\r\n\r\n")) // the hook may have failed before
	} else {
		f = opening.frames(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1})
		f.Headers(f.request(), false, ":status", "103")
	}
	wiretest.Within(t, "the hook to fail", ended)
	if k.Body != nil {
		wiretest.Eventually(t, "the body to be closed", func() bool { return body.closed.Load() == 1 })
	}
	next := r.get(k.Key, "/next")
	if f == nil {
		respond(r.accept(), "/next")
	} else {
		f.ok(f.request(), "next")
	}
	next.is("next")
}
