package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// The versions in Protocols are spoken and no others, whatever the deprecated Protocol says.
func TestProtocols(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	both := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	both.EnableHTTP2 = true
	both.StartTLS()
	defer both.Close()
	trusting := both.Client().Transport.(*http.Transport).TLSClientConfig
	for _, tc := range []struct{ set, plain, secure string }{
		{"1", "HTTP/1.1", "HTTP/1.1"}, {"12", "HTTP/1.1", "HTTP/2.0"}, {"2", "no version for http URLs", "HTTP/2.0"},
		{"2u", "HTTP/2.0", "HTTP/2.0"}, {"12u", "HTTP/1.1", "HTTP/2.0"}, {"u", "HTTP/2.0", "no version for https URLs"},
		{"", "no version for http URLs", "no version for https URLs"},
	} {
		p := new(http.Protocols)
		p.SetHTTP1(strings.Contains(tc.set, "1"))
		p.SetHTTP2(strings.Contains(tc.set, "2"))
		p.SetUnencryptedHTTP2(strings.Contains(tc.set, "u"))
		c := newClient(t, client.Config{Protocols: p, Protocol: client.HTTP1, TLSConfig: trusting})
		for url, want := range map[string]string{plain: tc.plain, both.URL: tc.secure} {
			_, got, err := do(c, &client.Request{URL: url})
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, want) {
				t.Errorf("%q, %s: %s, want %s", tc.set, url, got, want)
			}
		}
	}
}

// A Client whose HTTP3 cannot carry requests says so at each request, and opens no connection.
func TestHTTP3Unfit(t *testing.T) {
	c := newClient(t, client.Config{HTTP3: http.DefaultTransport, NetDial: noDial(t)})
	for range 2 {
		_, _, err := do(c, &client.Request{URL: "https://a.test"})
		if err == nil || !strings.Contains(err.Error(), "only an *http3.Transport speaks HTTP/3") {
			t.Error(err)
		}
	}
	if err := c.Warmup(1, "https://a.test"); err == nil {
		t.Error("Warmup: got no error")
	}
}

// The deprecated NewClientConfig does what New does.
func TestDeprecatedNames(t *testing.T) {
	c := client.NewClientConfig(client.Config{DisableProxy: true})
	defer c.Close()
	if _, body, err := do(c, &client.Request{URL: serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here") })}); body != "here" || err != nil {
		t.Errorf(`got %q, %v; want "here"`, body, err)
	}
}
