package echo

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// The first signal lets a request over HTTP/3 finish, and new ones are refused.
func TestStopOverHTTP3(t *testing.T) {
	for _, native := range []bool{false, true} {
		r := clitest.Serve(t, Options{Native: native, Options: clitest.Alone})
		r.OverHTTP3()
		in, out := io.Pipe()
		answered := make(chan string, 1)
		go func() {
			resp, err := r.Client.Post(r.URL+"/busy", "text/plain", in)
			if err != nil {
				answered <- err.Error()
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			answered <- fmt.Sprint(resp.Status, " ", string(body), err)
		}()
		io.WriteString(out, "hel")
		r.First()
		other := &http.Client{Timeout: time.Second}
		another := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer another.Close()
		other.Transport = another
		wiretest.Eventually(t, "the server to refuse others", func() bool {
			resp, err := other.Get(r.URL + "/plaintext")
			if err == nil {
				resp.Body.Close()
			}
			return err != nil
		})
		io.WriteString(out, "lo")
		out.Close()
		if got := wiretest.Within(t, "the answer", answered); !strings.HasPrefix(got, "200 OK ") || !strings.HasSuffix(got, "hello<nil>") {
			t.Errorf("the request in flight got %q", got)
		}
		if err := r.End(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}
