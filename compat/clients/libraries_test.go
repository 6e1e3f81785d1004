package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
)

// carrier is a Transport for a library to use, and what its servers speak.
type carrier struct {
	http.RoundTripper
	v      version
	server *tls.Config // nil without TLS
}

// overBoth has a library use http.Transport and nethttp.Transport in turn, over each version, with TLS and without, and
// compares what was seen.
func overBoth(t *testing.T, observe func(t *testing.T, rt carrier) []string) {
	t.Helper()
	server, trust := both.Secure(t)
	trust.ServerName = ""
	for _, v := range []version{http1, http2} {
		for _, server := range []*tls.Config{nil, server} {
			t.Run(fmt.Sprint(v, map[bool]string{true: " TLS"}[server != nil]), func(t *testing.T) {
				std := &http.Transport{Protocols: protocols(v), TLSClientConfig: trust.Clone()}
				defer std.CloseIdleConnections()
				want := observe(t, carrier{std, v, server})
				ours := &nethttp.Transport{Protocols: protocols(v), TLSClientConfig: trust.Clone()}
				defer ours.Close()
				if d := cmp.Diff(want, observe(t, carrier{ours, v, server})); d != "" || len(want) == 0 {
					t.Errorf("it differs (- net/http, + ours):\n%s", d)
				}
			})
		}
	}
}

// serve serves h over both versions.
func (rt carrier) serve(t *testing.T, h http.HandlerFunc) (url string) {
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	if s.EnableHTTP2 = rt.server != nil; s.EnableHTTP2 {
		s.Config.Protocols.SetHTTP2(true)
		s.TLS = rt.server.Clone()
		s.StartTLS()
	} else {
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL
}

// Tokens are fetched, sent, also with redirected requests, and fetched again when they expire.
func TestOAuth2(t *testing.T) {
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		tokens := 0
		url := rt.serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				tokens++
				id, secret, _ := r.BasicAuth()
				seen = append(seen, r.Method, r.FormValue("grant_type"), r.FormValue("scope"), id, secret)
				w.Header().Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("token", tokens), "token_type": "Bearer", "expires_in": 11}) // of which 10 are taken off
				return
			}
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
				return
			}
			body, err := io.ReadAll(r.Body)
			fmt.Fprint(w, r.Method, r.URL, r.Header.Get("Authorization"), string(body), err)
		})
		cfg := clientcredentials.Config{ClientID: "id", ClientSecret: "secret", TokenURL: url + "/token", Scopes: []string{"a", "b"}, AuthStyle: oauth2.AuthStyleInHeader}
		ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: rt})
		for range 2 {
			c := cfg.Client(ctx)
			for range 2 {
				_, got := ask(t, c, "GET", url, nil)
				_, sent := ask(t, c, "POST", url+"/moved", strings.NewReader("a body"))
				seen = append(seen, got, sent)
			}
		}
		old := oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "old", Expiry: time.Now().Add(-time.Hour)}))
		_, body := ask(t, old, "GET", url, nil)
		return append(seen, body)
	})
}

// quiet is resty's logger.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}

// JSON, forms, files, retries, cookies, redirects and timeouts of resty work the same on our Transport.
func TestResty(t *testing.T) {
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		var tries atomic.Int32
		url := rt.serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/json":
				var in map[string]int
				json.NewDecoder(r.Body).Decode(&in)
				w.Header().Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(map[string]any{"n": in["n"] + 1, "type": r.Header.Get("Content-Type")})
			case "/file":
				_, h, err := r.FormFile("file")
				fmt.Fprint(w, h.Filename, h.Size, err, r.FormValue("a"))
			case "/busy":
				if b, _ := io.ReadAll(r.Body); tries.Add(1) < 3 {
					w.WriteHeader(503)
				} else {
					fmt.Fprint(w, string(b))
				}
			case "/login":
				http.SetCookie(w, &http.Cookie{Name: "in", Value: "yes"})
				http.Redirect(w, r, "/who", http.StatusSeeOther)
			case "/who":
				fmt.Fprint(w, r.Header.Get("Cookie"), r.Method)
			case "/slow":
				<-r.Context().Done()
			}
		})
		c := resty.New().SetLogger(quiet{}).SetTransport(rt).SetBaseURL(url).SetRetryCount(3).SetRetryWaitTime(time.Millisecond).SetRetryMaxWaitTime(2 * time.Millisecond).
			AddRetryCondition(func(r *resty.Response, err error) bool { return err == nil && r.StatusCode() == 503 })
		note := func(r *resty.Response, err error) { seen = append(seen, fmt.Sprint(r.StatusCode(), r.String(), err)) }
		var out struct {
			N    int
			Type string
		}
		note(c.R().SetBody(map[string]int{"n": 1}).SetResult(&out).Post("/json"))
		seen = append(seen, fmt.Sprintf("%+v", out))
		note(c.R().SetFormData(map[string]string{"a": "b"}).SetFileReader("file", "name", bytes.NewReader(make([]byte, 100_000))).Post("/file"))
		note(c.R().SetBody("again").Put("/busy"))
		note(c.R().Post("/login"))
		note(c.R().Get("/nothing"))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := c.R().SetContext(ctx).Get("/slow")
		return append(seen, fmt.Sprint(errors.Is(err, context.DeadlineExceeded)))
	})
}
