package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Every way to write a body fails with http.ErrBodyNotAllowed for a response that has none.
func TestAnswersWithoutABody(t *testing.T) {
	file, err := os.Open("response_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report := make(chan string, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.Header.Get("X-Code"), &code)
		w.WriteHeader(code)
		n1, err1 := w.Write([]byte("body"))
		n2, err2 := io.WriteString(w, "body")
		n3, err3 := w.(io.ReaderFrom).ReadFrom(strings.NewReader("body"))
		n4, err4 := w.(io.ReaderFrom).ReadFrom(file)
		all := errors.Join(err1, err2, err3, err4)
		if n1+n2+int(n3)+int(n4) > 0 || strings.Count(fmt.Sprint(all), http.ErrBodyNotAllowed.Error()) != 4 {
			report <- fmt.Sprintf("%d: wrote %d %d %d %d: %v", code, n1, n2, n3, n4, all)
			return
		}
		report <- ""
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	for _, start := range []string{
		"GET / HTTP/1.1\r\nX-Code: 204", "GET / HTTP/1.1\r\nX-Code: 205", "GET / HTTP/1.1\r\nX-Code: 304",
		"HEAD / HTTP/1.1\r\nX-Code: 204", "CONNECT b:80 HTTP/1.1\r\nX-Code: 200", "CONNECT b:80 HTTP/1.1\r\nX-Code: 299",
	} {
		p := dial(t, addr)
		p.say(start + "\r\nHost: b:80\r\nConnection: close\r\n\r\n")
		if wrong := <-report; wrong != "" {
			t.Errorf("%.4s %s", start, wrong)
		}
		wire, err := io.ReadAll(p.in)
		_, body, _ := strings.Cut(string(wire), "\r\n\r\n")
		if err != nil || body != "" || strings.Contains(string(wire), "Content-Type") {
			t.Errorf("%.4s: %v, sent\n%s", start, err, wire)
		}
	}
}
