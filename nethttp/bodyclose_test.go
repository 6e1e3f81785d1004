package nethttp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// Close of a body ends a Read of it that waits, as net/http does over HTTP/2, and the client still gets its response.
func TestCloseOfABodyThatIsBeingRead(t *testing.T) {
	for _, k := range carriers {
		t.Run(k.name, func(t *testing.T) {
			said := make(chan string, 1)
			var ours bool
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				read := make(chan error)
				io.ReadFull(r.Body, make([]byte, 4))
				go func() {
					_, err := r.Body.Read(make([]byte, 10))
					read <- err
				}()
				for ours && !nethttp.BodyIsBeingRead(w) {
					runtime.Gosched()
				}
				closed := r.Body.Close()
				err := <-read
				_, again := r.Body.Read(make([]byte, 10))
				if ours && !errors.Is(err, http.ErrBodyReadAfterClose) {
					t.Errorf("Read: %v", err)
				}
				said <- fmt.Sprintln(closed, "|", err, "|", again, "|", r.Body.Close(), "|", r.Context().Err())
			})
			want := "<nil> | body closed by handler | body closed by handler | <nil> | <nil>\n"
			if !k.h2 {
				want = strings.ReplaceAll(want, "body closed by handler", http.ErrBodyReadAfterClose.Error())
			}
			test := func(t *testing.T, s *served) {
				ours = s.ours
				for tries := 0; ; tries++ {
					a := s.ask(t, []string{"/"}, 10, "1234")
					if got := wiretest.Within(t, "the handler", said); got != want {
						t.Errorf("got  %swant %s", got, want)
					}
					if k.h2 {
						return
					}
					p := &peer{t: t, Conn: a.links[0], in: bufio.NewReader(a.links[0])}
					got := p.answer("POST")
					if strings.HasPrefix(got, "HTTP/1.1 200 OK\n(closes)\n") {
						return
					}
					// If Close came before the Read began to wait, the connection stays usable and need not close.
					if !strings.HasPrefix(got, "HTTP/1.1 200 OK\n") || tries == 20 {
						t.Fatalf("answered:\n%s", got)
					}
				}
			}
			if k.h2 {
				k.onBoth(t, h, test)
			} else {
				test(t, k.serve(t, true, h)) // net/http's Close waits for the Read
			}
		})
	}
}
