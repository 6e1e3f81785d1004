package conformance

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Scripts for a right response, and for a right response with a close behind it.
const (
	askOnce = `C: GET /a HTTP/1.1\r\nHost: h\r\n\r\n` + "\n"
	askLast = `C: GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n` + "\n"
)

// wrongExpectations are what the runner must complain of, and a part of its complaint; the first is right.
var wrongExpectations = []struct{ script, want string }{
	{askOnce + "S: 200 target=/a host=h length=0 body= keep", ""},
	{askOnce + "S: 400 close", "status 200"},
	{askOnce + "S: 200 target=/b keep", "target"},
	{askOnce + "S: 200 host=x|y keep", "host"},
	{askOnce + "S: 200 probe=1 keep", "probe"},
	{askOnce + "S: 200 length=1 keep", "length"},
	{askOnce + "S: 200 body=x keep", "body"},
	{askOnce + "S: 200 method=PUT keep", "method"},
	{askOnce + "S: 200 has=X-None keep", "has"},
	{askOnce + "S: 200 not=Date keep", "not"},
	{askOnce + `S: 200 field="Content-Type: text/html" keep`, "field"},
	{askOnce + "S: 200 bytes=3 keep", "bytes"},
	{askOnce + "S: 200 text=x keep", "text"},
	{askOnce + "S: 200 close", "stays open"},
	{askOnce + "S: wait", "got a response"},
	{askOnce + "S: close", "one more"},
	{askLast + "S: 200 keep", "closed after 1"},
	{askLast + "S: 200, 200, keep", "closed after 1"},
	{askOnce + askOnce + "S: 200 close", "one more"},
	{askOnce + askOnce + "S: 200 keep", "afterwards"},
	{askOnce + "S: 200\n" + askOnce + "S: 404 keep", "status 200"},
	{`C: GET / HTTP/1.1\r\n` + "\nS: close", "stays open"},
	{`C: GET / HTTP/1.1\r\n\r\n` + "\nS: wait", "got a response"},
	{`C: GET / HTTP/1.1\r\n\r\n` + "\nS: 400 keep", "closed after 1"},
	{`C: POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc{fin}` + "\nS: 200 close", "status 400"},
}

// The runner complains of wrong expectations.
func TestConformanceRunner(t *testing.T) {
	tg := startOracle(t)
	for _, tc := range wrongExpectations {
		t.Run(tc.script, func(t *testing.T) {
			t.Parallel()
			mustComplain(t, tg, tc.script, tc.want)
		})
	}
}

// mustComplain plays a script and wants a complaint with the given words, or none for "".
func mustComplain(t *testing.T, tg *target, script, want string) {
	t.Helper()
	steps, err := parseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	_, err = playOnce(tg, steps, steps, pace{hasty: want == "stays open"})
	switch {
	case err == nil && want != "":
		t.Errorf("no complaint, want %q", want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		t.Errorf("the complaint is %q, want %q", err, want)
	}
}

const today = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

// The runner complains of responses that break the protocol.
func TestConformanceReader(t *testing.T) {
	const old = `C: GET /a HTTP/1.0\r\nHost: h\r\n\r\n` + "\n"
	for name, tc := range map[string]struct{ script, response, want string }{
		"a right one":            {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", ""},
		"no close announced":     {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Content-Length: 0\r\n\r\n", "without Connection: close"},
		"no Date":                {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "Date"},
		"a bad Date":             {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\nDate: 1994-11-06\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "IMF-fixdate"},
		"framed twice":           {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "framed twice"},
		"two lengths":            {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", "framed twice"},
		"204 with a length":      {askLast + "S: 204 close", "HTTP/1.1 204 No Content\r\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", "framing"},
		"405 without Allow":      {askLast + "S: 405 close", "HTTP/1.1 405 No\r\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", "Allow"},
		"a bare LF":              {askLast + "S: 200 close", "HTTP/1.1 200 OK\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", "CRLF"},
		"a short status line":    {askLast + "S: 200 close", "HTTP/1.1 200\r\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", "status line"},
		"a bad field":            {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "X Y: z\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "bad field"},
		"too short a body":       {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nContent-Length: 5\r\n\r\nabc", "EOF"},
		"a bad chunk":            {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "chunk size"},
		"chunks that do not end": {askLast + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "chunk"},
		"more than was asked":    {askLast + "S: 200 close", strings.Repeat("HTTP/1.1 200 OK\r\n"+today+"Connection: close\r\nContent-Length: 0\r\n\r\n", 2), "one more"},
		"a body for HEAD":        {askLast + "S: 200 head close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nContent-Length: 3\r\n\r\nabc", "status line"},
		"chunks for HTTP/1.0":    {old + "S: 200 close", "HTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.0"},
		"100 for HTTP/1.0":       {old + "S: 200 close", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" + today + "Connection: close\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0"},
		"nothing":                {askLast + "S: 200 close", "", "closed after 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustComplain(t, &target{name: name, addr: alwaysRespond(t, tc.response)}, tc.script, tc.want)
		})
	}
}

// alwaysRespond listens for one connection, reads a head and writes response, whatever was asked.
func alwaysRespond(t *testing.T, response string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = nc.Close() }()
		_ = nc.SetDeadline(time.Now().Add(patience))
		var head []byte
		for b := make([]byte, 512); !strings.HasSuffix(string(head), "\r\n\r\n"); {
			n, err := nc.Read(b)
			if head = append(head, b[:n]...); err != nil {
				return
			}
		}
		_, _ = io.WriteString(nc, response)
	}()
	return l.Addr().String()
}

// Malformed cases are refused.
func TestConformanceScript(t *testing.T) {
	const good = "## Title\nRFC 9112 §3, MUST. Why.\n```\nC: x{y*3}\\r\\n{fin}\nS: 400 close\n```\n"
	if cs, err := parseTopic("t", good); err != nil || len(cs) != 1 || string(firstSend(cs[0].steps)) != "xyyy\r\n" {
		t.Fatalf("a good case: got %+v, %v", cs, err)
	}
	for name, edit := range map[string][2]string{
		"no rule":            {"RFC 9112 §3, ", ""},
		"no level":           {"MUST", "PERHAPS"},
		"no script":          {"```\nC", "C"},
		"an open script":     {"close\n```", "close"},
		"no expectation":     {"S: 400 close", "C: more"},
		"an unknown speaker": {"S: ", "X: "},
		"an unknown escape":  {`\r\n`, `\q`},
		"an unknown check":   {"400 ", "400 taste=sweet "},
		"no status":          {"400 close", "bad close"},
		"a short status":     {"400", "40"},
		"an ending too soon": {"400 close", "400 close, 200"},
		"an open quote":      {"400 ", `400 text="x `},
		"a row too short":    {"```\n", "```\n| case | v |\n|---|---|\n| a |\n"},
	} {
		at := strings.LastIndex(good, edit[0])
		bad := good[:at] + edit[1] + good[at+len(edit[0]):]
		if cs, err := parseTopic("t", bad); err == nil {
			t.Errorf("%s: taken for %d cases", name, len(cs))
		}
	}
}
