package nethttptest_test

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/nethttp/nethttptest"
)

// NewServer starts a server on a port, as in net/http/httptest.
func ExampleNewServer() {
	s := nethttptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "Hello, "+r.URL.Query().Get("name")+"!")
	}))
	defer s.Close()
	res, err := s.Client().Get(s.URL + "/?name=Ada")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Println(string(body), err)
	// Output: Hello, Ada! <nil>
}

// A memory server needs no port. In a synctest.Test bubble the timeout takes no real time.
func ExampleNewMemoryServer() {
	s := nethttptest.NewMemoryServer(http.TimeoutHandler(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		10*time.Millisecond, "too late"))
	defer s.Close()
	res, err := s.Client().Get(s.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Println(s.URL, res.StatusCode, string(body), err)
	// Output: http://example.com 503 too late <nil>
}
