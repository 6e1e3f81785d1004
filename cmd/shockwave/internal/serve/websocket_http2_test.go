//lint:file-ignore SA1019 net/http's own transport asks for no extended CONNECT

package serve

import (
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
)

// The echo, the page and the proxy accept WebSocket on a stream of HTTP/2 (RFC 8441).
func TestWebSocketOverHTTP2(t *testing.T) {
	behind, err := url.Parse(clitest.Serve(t, Options{}).URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func() *clitest.Running{
		"native":           func() *clitest.Running { return clitest.Serve(t, echo.Options{Native: true}) },
		"net/http's types": func() *clitest.Running { return clitest.Serve(t, echo.Options{}) },
		"by callbacks":     func() *clitest.Running { return clitest.Serve(t, echo.Options{Native: true, WsCallback: true}) },
		"over TLS":         func() *clitest.Running { return clitest.Serve(t, echo.Options{Native: true, Options: clitest.OverTLS}) },
		"the page":         func() *clitest.Running { return clitest.Serve(t, Options{}) },
		"the page, logged": func() *clitest.Running { return clitest.Serve(t, Options{Options: clitest.OverTLS, logFile: "-"}) },
		"a proxy":          func() *clitest.Running { return clitest.Serve(t, Options{Options: clitest.OverTLS, proxy: behind}) },
		"a proxy, logged":  func() *clitest.Running { return clitest.Serve(t, Options{proxy: behind, logFile: "-"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start()
			client := r.Extended()
			r.Client.Transport = client
			if resp, _ := r.Do("GET", "/plaintext"); resp.ProtoMajor != 2 { // by now the client has the server's settings
				t.Fatalf("it is %s", resp.Proto)
			}
			ours, body := io.Pipe()
			req, err := http.NewRequest("CONNECT", r.URL+"/ws", ours)
			if err != nil {
				t.Fatal(err)
			}
			req.Header[":protocol"] = []string{"websocket"}
			req.Header.Set("Sec-WebSocket-Version", "13")
			resp, err := client.RoundTrip(req)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("CONNECT: %v, %v", resp, err)
			}
			defer resp.Body.Close()
			io.WriteString(body, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58") // RFC 6455 §5.7
			got := make([]byte, 7)
			if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "\x81\x05Hello" {
				t.Errorf("%q came back, %v", got, err)
			}
			if resp, _ := r.Do("GET", "/plaintext"); resp.StatusCode != 200 {
				t.Errorf("another stream beside it: %s", resp.Status)
			}
			body.Close()
		})
	}
}
