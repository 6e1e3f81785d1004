package echo

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// onBothEchoes runs a test against the native echo and against net/http's types, in the clear and with TLS, where HTTP/3 is
// served, too.
func onBothEchoes(t *testing.T, test func(t *testing.T, r *clitest.Running)) {
	for _, opt := range []Options{{}, {Native: true}, {Options: clitest.Everywhere}, {Native: true, Options: clitest.Everywhere}} {
		t.Run(fmt.Sprintf("native=%v,tls=%v", opt.Native, opt.TLS), func(t *testing.T) {
			t.Parallel()
			test(t, clitest.Serve(t, opt))
		})
	}
}

func report(method, target, host, probe, body string) string {
	return fmt.Sprintf("method: %s\ntarget: %s\nhost: %s\nprobe: %s\nlength: %d\n\n%s", method, target, host, probe, len(body), body)
}

// Each path of the echo answers as documented.
func TestEchoContract(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
	cases := []struct {
		name, say string
		status    int
		body      string
	}{
		{"a plain GET", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "/", "h", "", "")},
		{"the target stays as it was sent", "GET /a%2Fb/../c;d?q=%20+&&x HTTP/1.1\r\nHost: h:81\r\n\r\n",
			200, report("GET", "/a%2Fb/../c;d?q=%20+&&x", "h:81", "", "")},
		{"two slashes", "GET //x/chunked HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "//x/chunked", "h", "", "")},
		{"an empty query", "GET /? HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "/?", "h", "", "")},
		{"absolute-form: its authority is the host", "GET http://other:82/p?q HTTP/1.1\r\nHost: h\r\n\r\n",
			200, report("GET", "http://other:82/p?q", "other:82", "", "")},
		{"absolute-form: its authority as it was sent", "GET http://A!$&'()*+,;=b: HTTP/1.1\r\nHost: h\r\n\r\n",
			200, report("GET", "http://A!$&'()*+,;=b:", "A!$&'()*+,;=b:", "", "")},
		{"absolute-form: an address", "GET HTTPS://[2001:DB8::1]:443/?q HTTP/1.1\r\nHost: h\r\n\r\n",
			200, report("GET", "HTTPS://[2001:DB8::1]:443/?q", "[2001:DB8::1]:443", "", "")},
		{"a Host field as it was sent", "GET / HTTP/1.1\r\nHost: [v1.a]:\r\n\r\n", 200, report("GET", "/", "[v1.a]:", "", "")},
		{"asterisk-form", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("OPTIONS", "*", "h", "", "")},
		{"a method of one's own", "BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("BREW", "/pot", "h", "", "")},
		{"probes in order", "GET / HTTP/1.1\r\nHost: h\r\nX-Probe: b\r\nA: -\r\nx-probe:  a \r\nX-PROBE: c, d\r\n\r\n",
			200, report("GET", "/", "h", "b, a, c, d", "")},
		{"empty probes count", "GET / HTTP/1.1\r\nHost: h\r\nX-Probe:\r\nX-Probe: a\r\nX-Probe:\r\n\r\n",
			200, report("GET", "/", "h", ", a, ", "")},
		{"a body by length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
			200, report("POST", "/", "h", "", "hello")},
		{"a body by chunks", "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: t\r\n\r\n",
			200, report("PUT", "/c", "h", "", "hello")},
		{"a GET with a body", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n\x00\xff", 200, report("GET", "/", "h", "", "\x00\xff")},
		{"a body of 1 MiB", fmt.Sprintf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(big), big),
			200, report("POST", "/", "h", "", big)},
		{"chunked answer", "POST /chunked?x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi",
			200, report("POST", "/chunked?x", "h", "", "hi")},
		{"a path is known by its bytes", "GET /%63hunked HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "/%63hunked", "h", "", "")},
		{"a path is known whole", "GET /plaintext/ HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "/plaintext/", "h", "", "")},
		{"a path is known without its query", "GET /?/plaintext HTTP/1.1\r\nHost: h\r\n\r\n", 200, report("GET", "/?/plaintext", "h", "", "")},
		{"204", "GET /status/204 HTTP/1.1\r\nHost: h\r\n\r\n", 204, ""},
		{"304", "GET /status/304 HTTP/1.1\r\nHost: h\r\n\r\n", 304, ""},
		{"plaintext", "GET /plaintext HTTP/1.1\r\nHost: h\r\n\r\n", 200, "Hello, World!"},
		{"plaintext by absolute-form", "GET http://h/plaintext HTTP/1.1\r\nHost: h\r\n\r\n", 200, "Hello, World!"},
		{"noread", "POST /noread HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody", 200, "noread"},
		{"big", "GET /big?n=100000 HTTP/1.1\r\nHost: h\r\n\r\n", 200, strings.Repeat("x", 100000)},
		{"big and empty", "GET /big?n=0 HTTP/1.1\r\nHost: h\r\n\r\n", 200, ""},
		{"big without a number", "GET /big HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
		{"big with a sign", "GET /big?n=-1 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
		{"big beyond 18 digits", "GET /big?n=1000000000000000000 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
		{"big beyond 63 bits", "GET /big?n=9223372036854775808 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
		{"sleep", "GET /sleep?ms=1 HTTP/1.1\r\nHost: h\r\n\r\n", 200, "slept\n"},
		{"sleep without a number", "GET /sleep?ms=soon HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
		{"sleep for a year", "GET /sleep?ms=31536000000 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "*"},
	}
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		k := r.Dial() // one connection for all: each answer must leave it fit for the next request
		for _, tc := range cases {
			method, _, _ := strings.Cut(tc.say, " ")
			k.Say(tc.say)
			resp, body := k.Hear(method)
			if resp.StatusCode != tc.status || tc.body != "*" && body != tc.body {
				t.Errorf("%s: got %d %.300q\nwant %d %.300q", tc.name, resp.StatusCode, body, tc.status, tc.body)
			}
			if tc.status == 200 && !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
				t.Errorf("%s: Content-Type %q", tc.name, resp.Header.Get("Content-Type"))
			}
			if chunked := strings.HasPrefix(tc.name, "chunked"); tc.status == 200 && chunked != (resp.ContentLength < 0) {
				t.Errorf("%s: Content-Length %d, Transfer-Encoding %q", tc.name, resp.ContentLength, resp.TransferEncoding)
			}
			if resp.Close {
				t.Fatalf("%s: the server wants to close", tc.name)
			}
		}
	})
}

// HEAD has the fields of GET and no body.
func TestEchoHead(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		k := r.Dial()
		for _, tc := range []struct {
			target string
			status int
			length int64 // -1: none is given
		}{
			{"/", 200, int64(len(report("HEAD", "/", "h", "", "")))},
			{"/chunked", 200, -1},
			{"/plaintext", 200, 13},
			{"/noread", 200, 6},
			{"/big?n=999999999999999999", 200, 999999999999999999},
			{"/sleep?ms=0", 200, 6},
			{"/status/204", 204, -1},
		} {
			k.Say("HEAD " + tc.target + " HTTP/1.1\r\nHost: h\r\n\r\n")
			resp, _ := k.Hear("HEAD")
			length := int64(-1)
			if s := resp.Header.Get("Content-Length"); s != "" {
				fmt.Sscan(s, &length)
			}
			if resp.StatusCode != tc.status || length != tc.length {
				t.Errorf("HEAD %s: %d with length %d, want %d with %d", tc.target, resp.StatusCode, length, tc.status, tc.length)
			}
		}
	})
}

// CONNECT is answered with 405.
func TestEchoRefusesConnect(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		for _, target := range []string{"h:443", "h%41:443", "[v1.a]:443"} {
			k := r.Dial()
			k.Say("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")
			if resp, _ := k.Hear("CONNECT"); resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") == "" {
				t.Errorf("CONNECT %s: %s, Allow %q; want 405 and the methods", target, resp.Status, resp.Header.Get("Allow"))
			}
		}
	})
}

// A Host that two recipients may read differently is refused.
func TestEchoRefusesOddHosts(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		for _, target := range []string{
			"http://ex%41mple.com/", "http://ex%c3%a9.com/", "http://%41/", "http://[v1.a]/", "http://[fe80::1%25en0]/",
			"http://u@h/", "http:///", "http://:80/",
		} {
			k := r.Dial()
			k.Say("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n")
			if resp, _ := k.Hear("GET"); resp.StatusCode != 400 || !resp.Close {
				t.Errorf("GET %s: %s, close %v; want 400 and close", target, resp.Status, resp.Close)
			}
			k.WantEnd()
		}
	})
}

// A body that breaks off or is malformed is refused.
func TestEchoRefusesBrokenBodies(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		k := r.Dial()
		k.Say("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nfive\r\n")
		resp, _ := k.Hear("POST")
		if resp.StatusCode != 400 || !resp.Close {
			t.Errorf("a chunk size that is no number: %s, close %v; want 400 and close", resp.Status, resp.Close)
		}
		k.WantEnd()

		k = r.Dial()
		k.Say("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nshort")
		k.Conn.(interface{ CloseWrite() error }).CloseWrite()
		if answer, err := io.ReadAll(k.R); strings.HasPrefix(string(answer), "HTTP/1.1 2") {
			t.Errorf("half a body: got %q, %v; want no success", answer, err)
		}

		k = r.Dial()
		k.Say("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n")
		if resp, _ := k.Hear("POST"); resp.StatusCode != 413 || !resp.Close {
			t.Errorf("93 GiB announced: %s, close %v; want 413 and close", resp.Status, resp.Close)
		}
	})
}

// A chunked body beyond the limit is refused.
func TestEchoBoundsBodiesOfUnknownLength(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		k := r.Dial()
		k.Say("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
		go func() {
			chunk := "100000\r\n" + strings.Repeat("x", 1<<20) + "\r\n"
			for range maxBody>>20 + 1 {
				if _, err := io.WriteString(k.Conn, chunk); err != nil {
					return // the server has heard enough
				}
			}
		}()
		if resp, _ := k.Hear("POST"); resp.StatusCode != 413 || !resp.Close {
			t.Errorf("one chunk more than the limit: %s, close %v; want 413 and close", resp.Status, resp.Close)
		}
	})
}

// A request of HTTP/1.0 is answered without chunks.
func TestEchoHTTP10(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		k := r.Dial()
		k.Say("GET /chunked HTTP/1.0\r\nHost: h\r\n\r\n")
		resp, body := k.Hear("GET")
		if want := report("GET", "/chunked", "h", "", ""); body != want || resp.ContentLength != -1 || len(resp.TransferEncoding) > 0 {
			t.Errorf("got %q, length %d, %q; want %q up to the end of the connection", body, resp.ContentLength, resp.TransferEncoding, want)
		}
		k.WantEnd()
	})
}

// /big streams its bytes.
func TestEchoStreamsBig(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
		// A terabyte could not be held: the first part of it must come without the rest.
		k := r.Dial()
		k.Say("GET /big?n=1000000000000 HTTP/1.1\r\nHost: h\r\n\r\n")
		resp, err := http.ReadResponse(k.R, nil)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 4<<20)
		if _, err := io.ReadFull(resp.Body, part); err != nil || strings.Trim(string(part), "x") != "" {
			t.Errorf("the first 4 MiB: %v, or not all x", err)
		}
	})
}

// The echo prints its address and its certificate.
func TestEchoSaysWhere(t *testing.T) {
	r := clitest.Serve(t, Options{Native: true, Options: clitest.OverTLS})
	r.Do("GET", "/plaintext") // it listens, so it has spoken
	lines := strings.Split(r.Out.String(), "\n")
	if !strings.HasPrefix(lines[0], "listening on "+r.URL+"/ ") || !strings.HasPrefix(lines[1], "certificate SHA-256 ") {
		t.Errorf("said %q, want the URL and the certificate", lines)
	}
}
