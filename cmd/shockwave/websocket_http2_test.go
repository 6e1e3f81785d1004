//lint:file-ignore SA1019 net/http's own transport asks for no extended CONNECT

package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// extended is a client that can ask for an extended CONNECT, with or without TLS.
func (r *running) extended() *http2.Transport {
	c := &http2.Transport{AllowHTTP: true}
	c.DialTLSContext = func(ctx context.Context, network, addr string, cfg *tls.Config) (net.Conn, error) {
		if strings.HasPrefix(r.url, "http:") {
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
		return tls.Dial(network, addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	}
	r.t.Cleanup(c.CloseIdleConnections)
	return c
}

// TestWebSocketOverHTTP2: the echo and the page take WebSocket on a stream (RFC 8441), as browsers ask for it where the
// page came over HTTP/2.
func TestWebSocketOverHTTP2(t *testing.T) {
	behind, err := url.Parse(start(t, serveOptions{}).url)
	if err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func() *running{
		"native":           func() *running { return start(t, echoOptions{native: true}) },
		"net/http's types": func() *running { return start(t, echoOptions{}) },
		"by callbacks":     func() *running { return start(t, echoOptions{native: true, wsCallback: true}) },
		"over TLS":         func() *running { return start(t, echoOptions{native: true, siteOptions: overTLS}) },
		"the page":         func() *running { return start(t, serveOptions{}) },
		"the page, logged": func() *running { return start(t, serveOptions{siteOptions: overTLS, logFile: "-"}) },
		"a proxy":          func() *running { return start(t, serveOptions{siteOptions: overTLS, proxy: behind}) },
		"a proxy, logged":  func() *running { return start(t, serveOptions{proxy: behind, logFile: "-"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start()
			client := r.extended()
			r.client.Transport = client
			if resp, _ := r.do("GET", "/plaintext"); resp.ProtoMajor != 2 { // by now the client has the server's settings
				t.Fatalf("it is %s", resp.Proto)
			}
			ours, body := io.Pipe()
			req, err := http.NewRequest("CONNECT", r.url+"/ws", ours)
			if err != nil {
				t.Fatal(err)
			}
			req.Header[":protocol"] = []string{"websocket"}
			req.Header.Set("Sec-WebSocket-Version", "13")
			resp, err := client.RoundTrip(req)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("CONNECT: %v, %v", resp, err)
			}
			defer resp.Body.Close()
			io.WriteString(body, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58") // RFC 6455 §5.7
			got := make([]byte, 7)
			if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "\x81\x05Hello" {
				t.Errorf("%q came back, %v", got, err)
			}
			if resp, _ := r.do("GET", "/plaintext"); resp.StatusCode != 200 {
				t.Errorf("another stream beside it: %s", resp.Status)
			}
			body.Close()
		})
	}
}

// TestConnectOverHTTP2: a CONNECT for anything else is refused, as over HTTP/1.1.
func TestConnectOverHTTP2(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *running) {
		r.overHTTP2()
		r.do("GET", "/plaintext")
		req, err := http.NewRequest("CONNECT", r.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "h:443"
		resp, err := r.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") == "" {
			t.Errorf("CONNECT: %s, Allow %q", resp.Status, resp.Header.Get("Allow"))
		}
	})
}
