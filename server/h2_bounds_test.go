package server_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// The timeouts of Config count from a stream's beginning, each for its direction.
func TestH2TimeoutsOfStreams(t *testing.T) {
	late := []string{"HEADERS 1 408 content-length=42" + asText, `DATA 1 "the request's body did not arrive in time\n" END`, "RST_STREAM 1 NO_ERROR"}
	for name, tc := range map[string]struct {
		cfg  server.Config
		ask  func(k *h2Talk)
		want func(t *testing.T, k *h2Talk)
	}{
		"a body": {
			cfg:  server.Config{ReadTimeout: 5 * time.Second},
			ask:  func(k *h2Talk) { k.post(1, "/read") },
			want: func(t *testing.T, k *h2Talk) { k.wantAt(5*time.Second, late...) },
		},
		"a body in small pieces": {
			cfg: server.Config{ReadTimeout: 5 * time.Second},
			ask: func(k *h2Talk) {
				k.post(1, "/read")
				time.Sleep(3 * time.Second)
				k.data(1, "x", false)
			},
			want: func(t *testing.T, k *h2Talk) { k.wantAt(2*time.Second, late...) },
		},
		"no timeout of a body": {
			ask:  func(k *h2Talk) { k.post(1, "/read"); time.Sleep(time.Hour); k.data(1, "x", true) },
			want: func(t *testing.T, k *h2Talk) { k.Want("HEADERS 1 200 content-length=0 END") },
		},
		"no body": {
			cfg:  server.Config{ReadTimeout: 5 * time.Second},
			ask:  func(k *h2Talk) { k.get(1, "/slow") },
			want: func(t *testing.T, k *h2Talk) { k.wantAt(10*time.Second, "HEADERS 1 200 content-length=0 END") },
		},
		"a response": {
			cfg: server.Config{WriteTimeout: 5 * time.Second},
			ask: func(k *h2Talk) { k.get(1, "/write") },
			want: func(t *testing.T, k *h2Talk) {
				k.Want("HEADERS 1 200")
				k.wantAt(5*time.Second, "RST_STREAM 1 INTERNAL_ERROR")
			},
		},
		"no timeout of a response": {
			ask: func(k *h2Talk) { k.get(1, "/write"); k.Want("HEADERS 1 200"); time.Sleep(30 * time.Second) },
			want: func(t *testing.T, k *h2Talk) {
				k.Framer.WriteWindowUpdate(1, 20_000)
				k.Want("DATA 1 10000 bytes", `DATA 1 "" END`)
			},
		},
		"a handler that takes long": {
			cfg:  server.Config{WriteTimeout: 5 * time.Second},
			ask:  func(k *h2Talk) { k.get(1, "/slow") },
			want: func(t *testing.T, k *h2Talk) { k.wantAt(10*time.Second, "RST_STREAM 1 INTERNAL_ERROR") },
		},
		"a head": {
			cfg: server.Config{ReadHeaderTimeout: 3 * time.Second},
			ask: func(k *h2Talk) {
				k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: k.block(request("GET", "/")...), EndStream: true})
			},
			want: func(t *testing.T, k *h2Talk) { k.wantAt(3*time.Second, "GOAWAY 1 ENHANCE_YOUR_CALM") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
				tc.cfg.IdleTimeout, tc.cfg.MinReadRate, tc.cfg.MinWriteRate = time.Hour, -1, -1
				tc.cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
					switch string(r.Path()) {
					case "/read":
						if _, err := r.Body(); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
							t.Error(err)
						}
					case "/write":
						w.WriteString(strings.Repeat("x", 10_000))
					case "/slow":
						time.Sleep(10 * time.Second)
					}
				})
				startOn(t, l, tc.cfg)
				nc, err := l.Dial()
				if err != nil {
					t.Fatal(err)
				}
				window := uint32(1000)
				if strings.HasSuffix(name, "response") {
					window = 0
				}
				k := h2On(t, nc, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
				k.Timeout = 10 * time.Hour
				nc.SetDeadline(time.Time{})
				tc.ask(k)
				tc.want(t, k)
			})
		})
	}
}

// A client that does not acknowledge SETTINGS is disconnected after 10 s (RFC 9113 §6.5.3).
func TestH2SettingsAreAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		startOn(t, l, server.Config{Handler: server.HandlerFunc(h2Answers)})
		nc, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		k := h2With(t, nc)
		k.Timeout = time.Hour
		defer nc.Close()
		io.WriteString(nc, http2.ClientPreface)
		k.Framer.WriteSettings()
		k.Want("SETTINGS", "SETTINGS ack")
		k.wantAt(10*time.Second, "GOAWAY 0 SETTINGS_TIMEOUT")
		k.WantGone()
	})
}

// A head may be as large as the Config allows, up to what a connection can hold.
func TestH2WithoutLimits(t *testing.T) {
	crumbs := []string{"cookie: a=1", "cookie: b=2", "cookie: c=3"}
	var many []string
	for range 3000 {
		many = append(many, "x: 1")
	}
	long := "/" + strings.Repeat("y", 100_000)
	for name, tc := range map[string]struct {
		cfg    server.Config
		lines  []string
		status int
	}{
		"cookie lines count as one":    {server.Config{MaxHeadFields: 2}, request("GET", "/", crumbs...), 200},
		"a browser's cookies":          {server.Config{}, request("GET", "/", append(slices.Repeat(crumbs, 60), many[:198]...)...), 200},
		"as many, and a field more":    {server.Config{}, request("GET", "/", append(slices.Repeat(crumbs, 60), many[:199]...)...), 431},
		"a cookie line counts":         {server.Config{MaxHeadFields: 1}, request("GET", "/", crumbs[:1]...), 431},
		"the host is a line":           {server.Config{MaxHeadFields: 1}, request("GET", "/"), 200},
		"any number":                   {server.Config{MaxHeadFields: -1, MaxHeadBytes: -1}, request("GET", "/", many...), 200},
		"any number of so many bytes":  {server.Config{MaxHeadFields: -1}, request("GET", "/", many...), 431},
		"any target":                   {server.Config{MaxHeadBytes: -1}, request("GET", long), 200},
		"any target in a head":         {server.Config{MaxTargetBytes: -1}, request("GET", long[:60_000]), 200},
		"a target in any head":         {server.Config{MaxHeadBytes: -1, MaxTargetBytes: 10}, request("GET", "/2345678901"), 414},
		"a target in any head, fits":   {server.Config{MaxHeadBytes: -1, MaxTargetBytes: 10}, request("GET", "/234567890"), 200},
		"half of the head":             {server.Config{MaxHeadBytes: 40_000}, request("GET", long[:20_001]), 414},
		"half of the head, fits":       {server.Config{MaxHeadBytes: 40_000}, request("GET", long[:20_000]), 200},
		"8 KiB at least":               {server.Config{MaxHeadBytes: 10_000}, request("GET", long[:8193]), 414},
		"8 KiB at least, fits":         {server.Config{MaxHeadBytes: 10_000}, request("GET", long[:8192]), 200},
		"an authority as a target":     {server.Config{MaxTargetBytes: 4}, []string{":method: CONNECT", ":authority: h:100"}, 414},
		"an authority, fits":           {server.Config{MaxTargetBytes: 5}, []string{":method: CONNECT", ":authority: h:100"}, 200},
		"an expectation and no target": {server.Config{MaxTargetBytes: 4}, request("GET", "/long", "expect: x"), 414},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Handler = server.HandlerFunc(func(*server.ResponseWriter, *server.Request) {})
			k := start(t, tc.cfg).h2(t)
			for id := uint32(1); id < 6; id += 2 {
				b := k.block(tc.lines...)
				first := min(len(b), 16<<10)
				k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:first], EndStream: true, EndHeaders: first == len(b)})
				for b = b[first:]; len(b) > 0; {
					n := min(len(b), 16<<10)
					k.Framer.WriteContinuation(id, n == len(b), b[:n])
					b = b[n:]
				}
				for {
					s, err := k.Next()
					if err != nil {
						t.Fatal(err)
					}
					if strings.HasPrefix(s, "HEADERS") && !strings.HasPrefix(s, fmt.Sprintf("HEADERS %d %d", id, tc.status)) {
						t.Fatalf("got %s, want %d", s, tc.status)
					}
					if strings.HasSuffix(s, " END") {
						break
					}
				}
			}
		})
	}
}
