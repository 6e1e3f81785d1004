package client_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// A server sees the same fields, lengths and bytes of forms as from net/http's client.
func TestFormsLikeNetHTTP(t *testing.T) {
	var seen string
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Header["Content-Type"], r.ContentLength, r.TransferEncoding, " ", string(body))
	})
	c := newClient(t, client.Config{})
	hc := &http.Client{Transport: &http.Transport{}}
	defer hc.CloseIdleConnections()
	compare := func(name string, want *http.Response, werr error, got *client.Response, gerr error, wanted string) {
		if werr != nil || gerr != nil {
			t.Fatal(name, werr, gerr)
		}
		want.Body.Close()
		got.Close()
		if seen != wanted || !strings.HasPrefix(seen, "POST ") {
			t.Errorf("%s:\n got %q\nwant %q", name, seen, wanted)
		}
	}
	for _, values := range []url.Values{nil, {"a": {""}}, {"b": {"1", "2"}, "a": {"x y&=+%", "ü\r\n"}}, {"": {"\x00"}}} {
		want, werr := hc.PostForm(at+"/x?y", values)
		wanted := seen
		got, gerr := c.PostForm(at+"/x?y", values)
		compare(fmt.Sprint(values), want, werr, got, gerr, wanted)
	}
	form := func() (*bytes.Buffer, *multipart.Writer) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		w.SetBoundary("a boundary:x")
		w.WriteField("a", "ü")
		f, _ := w.CreateFormFile("file", `na"me\`)
		f.Write(make([]byte, 100_000))
		p, _ := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="j"`}, "Content-Type": {"application/json"}})
		io.WriteString(p, "{}")
		w.Close()
		return &b, w
	}
	b, w := form()
	want, werr := hc.Post(at, w.FormDataContentType(), b)
	wanted := seen
	b, w = form()
	got, gerr := c.Do(t.Context(), client.NewMultipart(at, w, b))
	compare("multipart", want, werr, got, gerr, wanted)
	b, w = form()
	want, werr = hc.Post(at, w.FormDataContentType(), io.MultiReader(b))
	wanted = seen
	b, w = form()
	got, gerr = c.Do(t.Context(), client.NewMultipart(at, w, io.MultiReader(b)))
	compare("multipart of unknown length", want, werr, got, gerr, wanted)
}
