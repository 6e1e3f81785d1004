package keep

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

const (
	messages2    = 20_000 // that are sent over HTTP/2
	connections2 = 12
	streams2     = 16 // at once on each
)

// Bytes that handlers keep do not change, even with many streams at once on each connection.
func TestNothingKeptEverChangesOverHTTP2(t *testing.T) {
	k := new(keeper)
	plain, secure := serveBoth(t, &nethttp.Server{Handler: k, TLSConfig: serverTLS(t)})
	var clients sync.WaitGroup
	for c := range connections2 {
		tr := &http.Transport{
			Protocols: new(http.Protocols), DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		}
		to := url.URL{Scheme: "http", Host: plain}
		if c%3 == 0 {
			to = url.URL{Scheme: "https", Host: secure}
		}
		tr.Protocols.SetHTTP2(c%3 == 0)
		tr.Protocols.SetUnencryptedHTTP2(c%3 != 0)
		for stream := range streams2 {
			clients.Go(func() {
				for n := c + connections2*stream; n < messages2; n += connections2 * streams2 {
					if err := k.send(tr, to, n); err != nil {
						t.Errorf("request %d: %v", n, err)
						return
					}
				}
			})
		}
		defer tr.CloseIdleConnections()
	}
	clients.Wait()
	k.judge(t, messages2, (*message).request2)
}

// send sends message n and reads its response.
func (k *keeper) send(tr *http.Transport, to url.URL, n int) error {
	req := messageOf(n).sent2(to)
	k.all[n].tls = to.Scheme == "https"
	trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { k.all[n].remote = c.Conn.LocalAddr().String() }}
	res, err := tr.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || string(body) != strconv.Itoa(n)) {
		err = fmt.Errorf("got the response %s: %.100q", res.Status, body)
	}
	return err
}

// path2 is the target without the host, which has a field of its own in HTTP/2.
func (m *message) path2() string { return strings.TrimPrefix(m.target, "http://"+m.host) }

// sent2 is the message for a client of HTTP/2.
func (m *message) sent2(to url.URL) *http.Request {
	path, query, _ := strings.Cut(m.path2(), "?")
	to.Path, _ = url.PathUnescape(path)
	to.RawPath, to.RawQuery = path, query
	req := &http.Request{Method: m.method, URL: &to, Host: m.host, Header: http.Header{}}
	for _, f := range m.fields {
		req.Header.Add(f[0], f[1])
	}
	if req.Header["User-Agent"] == nil {
		req.Header.Set("User-Agent", "") // none
	}
	if m.body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	}
	if m.chunked {
		req.ContentLength = -1
	}
	if m.trailer != "" {
		req.Trailer = http.Header{"X-End": {m.trailer}}
	}
	return req
}

// request2 is request over HTTP/2. The client sends one User-Agent, the first, and neither that nor a Cookie if it is empty.
func (m *message) request2() *http.Request {
	r := m.request()
	r.Proto, r.ProtoMajor, r.ProtoMinor, r.TransferEncoding = "HTTP/2.0", 2, 0, nil
	r.RequestURI = m.path2()
	r.URL, _ = url.ParseRequestURI(r.RequestURI)
	if agent := r.Header.Get("User-Agent"); agent != "" {
		r.Header.Set("User-Agent", agent)
	} else {
		r.Header.Del("User-Agent")
	}
	crumbs := slices.DeleteFunc(r.Header["Cookie"], func(c string) bool { return c == "" })
	if r.Header.Del("Cookie"); len(crumbs) > 0 { // RFC 9113 §8.2.3
		r.Header.Set("Cookie", strings.Join(crumbs, "; "))
	}
	return r
}
