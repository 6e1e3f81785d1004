package accesslog

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// The log has the final status and the bytes of the body, also when a handler panics.
func TestAccessLogNotesTheAnswer(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		`" 200 0 "`: func(http.ResponseWriter, *http.Request) {},
		`" 200 3 "`: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.Write([]byte("abc"))
			w.WriteHeader(http.StatusTeapot)
		},
		`" 500 5 "`: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			w.WriteHeader(200)
			w.(io.ReaderFrom).ReadFrom(strings.NewReader("hello"))
		},
		`" 502 0 "`: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			panic(http.ErrAbortHandler)
		},
	} {
		var out bytes.Buffer
		l, err := Open("-", cli.Console{Out: &out})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { recover() }()
			r, _ := http.NewRequest("GET", "/", nil)
			l.Handler(handler).ServeHTTP(new(nowhere), r)
		}()
		clitest.WantText(t, "the log", out.String(), want)
	}
}

// nowhere is a http.ResponseWriter whose answers nobody reads.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header { return n.header }

func (n *nowhere) WriteHeader(int) {}

func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
