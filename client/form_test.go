package client_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// A server can read the forms.
func TestForms(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		f, h, err := r.FormFile("file")
		text := []byte("none")
		if err == nil {
			text, _ = io.ReadAll(f)
			text = fmt.Append(text, " ", h.Filename)
		}
		fmt.Fprint(w, r.Method, r.PostForm["a"], r.FormValue("b"), string(text), r.ContentLength > 0)
	})
	c := newClient(t, client.Config{})
	values := url.Values{"a": {"1", "2 & 3"}, "b": {"ü"}}
	resp, err := c.PostForm(at, values)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := resp.AppendBody(nil); string(body) != "POST[1 2 & 3]ünonetrue" || err != nil {
		t.Errorf(`got %q, %v; want "POST[1 2 & 3]ünonetrue"`, body, err)
	}
	resp.Close()
	write := func(to io.Writer) *multipart.Writer {
		w := multipart.NewWriter(to)
		w.WriteField("b", "1")
		file, _ := w.CreateFormFile("file", "name")
		io.WriteString(file, "text")
		w.Close()
		return w
	}
	var buf bytes.Buffer
	req := client.NewMultipart(at, write(&buf), &buf)
	if _, body, err := do(c, req); body != "POST[]1text nametrue" || err != nil {
		t.Errorf(`got %q, %v; want "POST[]1text nametrue"`, body, err)
	}
	r, w := io.Pipe()
	mw := multipart.NewWriter(w)
	req = client.NewMultipart(at, mw, r)
	go func() {
		file, _ := mw.CreateFormFile("file", "large")
		for range 100 {
			file.Write(make([]byte, 10_000))
		}
		w.CloseWithError(mw.Close())
	}()
	resp, err = c.Do(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := resp.AppendBody(nil); len(body) < 1_000_000 || err != nil {
		t.Errorf("got %d bytes, %v", len(body), err)
	}
	resp.Close()
}
