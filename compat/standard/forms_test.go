package standard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

const urlencoded = "application/x-www-form-urlencoded"

// showForm responds with all that a handler can read of a form.
func showForm(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		fmt.Fprintln(w, "error:", err)
	}
	fmt.Fprintln(w, "form", r.Form.Encode())
	fmt.Fprintln(w, "body", r.PostForm.Encode())
	fmt.Fprintln(w, "one", r.FormValue("one"), r.PostFormValue("one"))
}

// Forms in queries and bodies are parsed the same on both servers.
func TestForms(t *testing.T) {
	t.Parallel()
	requests := []both.Request{
		both.Get(200, "/?one=1&two=a%20b&one=2"),
		both.Post(200, "/?one=query", "one=body&two=a+b%26", "Content-Type", urlencoded),
		both.Post(200, "/?one=query", "one=body", "Content-Type", "text/plain"),
		both.Post(200, "/", "one=%zz", "Content-Type", urlencoded),
		both.Post(200, "/", "one=1;two=2", "Content-Type", urlencoded),
		both.Get(200, "/?one=1;two=2"),
		{Status: 200, Method: "PUT", Target: "/", Body: "one=put", Fields: []string{"Content-Type", urlencoded}},
		{Status: 200, Method: "DELETE", Target: "/", Body: "one=del", Fields: []string{"Content-Type", urlencoded}},
		both.Post(200, "/", strings.Repeat("one=1&", 100_000), "Content-Type", urlencoded),
	}
	both.Same(t, http.HandlerFunc(showForm), requests)
	both.Same(t, http.AllowQuerySemicolons(http.HandlerFunc(showForm)), requests)
}

// upload returns a multipart body with a value and two files, one of them large.
func upload(t *testing.T) (contentType, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := errors.Join(w.SetBoundary("edge"), w.WriteField("title", "the title")); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"small": 10, "large": 200_000} {
		f, err := w.CreateFormFile(name, name+".txt")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, strings.Repeat(name[:1], size))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.String()
}

// Multipart forms are parsed the same on both servers.
func TestMultipart(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(10_000); err != nil { // the large one goes to a file
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		defer r.MultipartForm.RemoveAll()
		fmt.Fprintln(w, r.FormValue("title"))
		for _, name := range []string{"small", "large", "none"} {
			f, head, err := r.FormFile(name)
			if err != nil {
				fmt.Fprintln(w, name, err)
				continue
			}
			b, err := io.ReadAll(f)
			fmt.Fprintln(w, head.Filename, head.Size, len(b), strings.Trim(string(b), name[:1]) == "", err, f.Close())
		}
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		for err == nil {
			var part *multipart.Part
			if part, err = parts.NextPart(); err == nil {
				n, copied := io.Copy(io.Discard, part)
				fmt.Fprintln(w, part.FormName(), part.FileName(), n, copied)
			}
		}
		fmt.Fprintln(w, err)
	})
	kind, body := upload(t)
	var requests []both.Request
	for _, target := range []string{"/file", "/stream"} {
		status := 200
		if target == "/file" {
			status = 400
		}
		requests = append(requests,
			both.Post(200, target, body, "Content-Type", kind),
			both.Post(status, target, body[:len(body)-20], "Content-Type", kind),
			both.Post(status, target, body, "Content-Type", "multipart/form-data"),
			both.Post(status, target, "no form", "Content-Type", "text/plain"))
	}
	both.Same(t, mux, requests)
}
