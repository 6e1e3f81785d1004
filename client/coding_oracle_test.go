package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// Coded bodies, whole, truncated or broken, give the same bytes and errors as with net/http's client.
func TestGzipLikeNetHTTP(t *testing.T) {
	text := []byte(strings.Repeat("some text, and more of it; ", 500))
	packed := coded(t, "gzip", text)
	broken := bytes.Clone(packed)
	broken[len(broken)-8] ^= 1 // its checksum
	head := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
	sized := func(n int, b []byte) string { return head + fmt.Sprintf("Content-Length: %d\r\n\r\n", n) + string(b) }
	responses := map[string]string{
		"whole":              sized(len(packed), packed),
		"until the end":      head + "\r\n" + string(packed),
		"cut by the end":     head + "\r\n" + string(packed[:len(packed)/2]),
		"chunks":             head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(packed), packed),
		"cut chunks":         head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(packed), packed),
		"cut in a chunk":     head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(packed), packed[:100]),
		"cut":                sized(len(packed), packed[:len(packed)/2]),
		"shorter":            sized(len(packed)/2, packed[:len(packed)/2]),
		"checksum":           sized(len(broken), broken),
		"not at all":         sized(5, []byte("plain")),
		"two members":        sized(2*len(packed), append(packed[:len(packed):len(packed)], packed...)),
		"nothing":            sized(0, nil),
		"no chunks":          head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"no content":         "HTTP/1.1 204 X\r\nContent-Encoding: gzip\r\n\r\n",
		"not modified":       "HTTP/1.1 304 X\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n",
		"small letters":      strings.Replace(sized(len(packed), packed), "Content-Encoding: gzip", "content-encoding: GZIP", 1),
		"another status":     strings.Replace(sized(len(packed), packed), "200 OK", "404 X", 1),
		"unknown":            strings.Replace(sized(len(packed), packed), "gzip", "other", 1),
		"a trailer":          head + fmt.Sprintf("Trailer: X\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\nX: y\r\n\r\n", len(packed), packed),
		"head before a body": head + "X: y\r\nContent-Length: 5\r\n\r\n\x1f\x8b\x08\x00\x00",
	}
	url := converse(t, func(_ int, p *peer) {
		name := strings.ReplaceAll(strings.TrimPrefix(strings.Fields(p.head() + " / ")[1], "/"), "_", " ")
		p.say(strings.Replace(responses[name], "\r\n", "\r\nConnection: close\r\n", 1))
	})
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	for name := range responses {
		for _, method := range []string{"GET", "HEAD"} {
			at := url + "/" + strings.ReplaceAll(name, " ", "_")
			req, _ := http.NewRequest(method, at, nil)
			want, err := (&http.Client{Transport: tr}).Do(req)
			if err != nil {
				t.Fatal(name, err)
			}
			wantBody, wantErr := io.ReadAll(want.Body)
			want.Body.Close()
			got, err := newClient(t, client.Config{}).Do(t.Context(), &client.Request{Method: method, URL: at})
			if err != nil {
				t.Errorf("%s %s: %v", method, name, err)
				continue
			}
			body, err := io.ReadAll(got.Body())
			same := bytes.Equal(body, wantBody)
			if wantErr != nil { // how much can be made of what has come is the decoder's affair
				same = bytes.HasPrefix(body, wantBody) || bytes.HasPrefix(wantBody, body)
			}
			if !same || (err == nil) != (wantErr == nil) || got.StatusCode() != want.StatusCode ||
				errors.Is(err, io.ErrUnexpectedEOF) != errors.Is(wantErr, io.ErrUnexpectedEOF) {
				t.Errorf("%s %s: got %d, %d bytes, %v; net/http: %d, %d bytes, %v", method, name, got.StatusCode(), len(body), err, want.StatusCode, len(wantBody), wantErr)
			}
			if wantErr == nil && got.Trailer().GetString("X") != want.Trailer.Get("X") {
				t.Errorf("%s %s: trailer %q, net/http %q", method, name, got.Trailer().GetString("X"), want.Trailer)
			}
			if uncompressed := want.Uncompressed && len(wantBody) > 0; uncompressed && (!got.Decompressed() || got.ContentLength() != want.ContentLength) {
				t.Errorf("%s %s: %v, %d; net/http %v, %d", method, name, got.Decompressed(), got.ContentLength(), want.Uncompressed, want.ContentLength)
			}
			got.Close()
		}
	}
}
