package reqhead

import (
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// fields returns a field list of lines.
func fields(lines ...string) *shockwave.Header {
	h := new(shockwave.Header)
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		h.Add(name, value)
	}
	return h
}

// TestReadFields: special fields are summed up, and those that the client sets itself, or that break a rule, are refused.
func TestReadFields(t *testing.T) {
	for lines, want := range map[string]Summary{
		"X-A: 1":                              {Length: -1},
		"User-Agent: a":                       {Agent: true, Length: -1},
		"accept-encoding: br":                 {Encoding: true, Length: -1},
		"Range: bytes=0-1":                    {Ranges: true, Length: -1},
		"Cookie: a=b":                         {Cookie: true, Length: -1},
		"Authorization: x":                    {Login: true, Length: -1},
		"Referer: x":                          {Length: -1},
		"Connection: keep-alive":              {Length: -1},
		"Connection: x, Close":                {},
		"Connection: Keep-Alive, close":       {Close: true, Length: -1},
		"Expect: 100-Continue":                {Expect: true, Length: -1},
		"Expect: 200-ok":                      {},
		"TE: Trailers":                        {Trailers: true, Length: -1},
		"TE: gzip":                            {},
		"Content-Length: 12":                  {Length: 12},
		"Content-Length: -1":                  {},
		"Content-Length: 9223372036854775808": {},
		"Content-Length: 1|Content-Length: 1": {},
		"Host: a":                             {},
		"Upgrade: x":                          {},
		"Trailer: x":                          {},
		"Transfer-Encoding: chunked":          {},
		"Bad Name: x":                         {},
		"X-A: a\x00b":                         {},
	} {
		refused := want == Summary{}
		got, err := ReadFields(fields(strings.Split(lines, "|")...))
		if (err != nil) != refused || !refused && got != want {
			t.Errorf("%q: %+v, %v", lines, got, err)
		}
	}
	if _, err := ReadFields(fields("X-Secret: a\nb")); err == nil || strings.Contains(err.Error(), "a\nb") {
		t.Errorf("%v: it tells the value", err)
	}
}

// head returns the head of a GET of a URL with fields of the program's own.
func head(t *testing.T, url string, own ...string) *Head {
	t.Helper()
	h := &Head{Own: fields(own...), Method: "GET", Host: "a.test", Agent: "agent", Length: -1}
	var err error
	if h.Fields, err = ReadFields(h.Own); err != nil {
		t.Fatal(err)
	}
	if err := h.To.Parse(url); err != nil {
		t.Fatal(err)
	}
	return h
}

// texts writes a request's section as text.
type texts struct{ carrier.Fields }

func (texts) AppendField(dst []byte, name, value string) []byte {
	return append(append(append(append(dst, name...), ": "...), value...), '|')
}

func (f texts) AppendFieldBytes(dst, name, value []byte) []byte {
	return f.AppendField(dst, string(name), string(value))
}

// TestHeads: the client's fields stand beside the program's own, in each version of HTTP.
func TestHeads(t *testing.T) {
	for name, c := range map[string]struct {
		own     []string
		set     func(h *Head)
		http1   string // behind the fields that are always there
		section string // of HTTP/2 and HTTP/3, likewise
	}{
		"own":         {[]string{"X-A: 1", "Range: bytes=0-"}, nil, "X-A: 1|Range: bytes=0-", "x-a: 1|range: bytes=0-"},
		"own agent":   {[]string{"User-Agent: own"}, func(h *Head) { h.Agent = "" }, "User-Agent: own", "user-agent: own"},
		"no agent":    {[]string{"User-Agent: "}, func(h *Head) { h.Agent = "" }, "", ""},
		"length":      {[]string{"Content-Length: 0"}, func(h *Head) { h.Length = 0 }, "Content-Length: 0", "content-length: 0"},
		"chunked":     {nil, func(h *Head) { h.Chunked, h.Length = true, 5 }, "Transfer-Encoding: chunked", "content-length: 5"},
		"close":       {[]string{"Connection: close"}, func(h *Head) { h.Close = true }, "Connection: close", ""},
		"trailers":    {[]string{"TE: trailers"}, nil, "Connection: TE|TE: trailers", "te: trailers"},
		"both":        {[]string{"TE: trailers"}, func(h *Head) { h.Close = true }, "Connection: close, TE|TE: trailers", "te: trailers"},
		"encoding":    {nil, func(h *Head) { h.AcceptEncoding = true }, "Accept-Encoding: gzip, br, zstd", "accept-encoding: gzip, br, zstd"},
		"expects":     {nil, func(h *Head) { h.Expects = true }, "Expect: 100-continue", "expect: 100-continue"},
		"announced":   {nil, func(h *Head) { h.Trailer = fields("X-T: 1", "X-U: 2") }, "Trailer: X-T|Trailer: X-U", "trailer: x-t|trailer: x-u"},
		"login":       {nil, (*Head).SetLogin, "Authorization: Basic dTpw", "authorization: Basic dTpw"},
		"own login":   {[]string{"Authorization: own"}, (*Head).SetLogin, "Authorization: own", "authorization: own"},
		"own cookies": {[]string{"Cookie: a=1; b=2", "Cookie: c=3"}, func(h *Head) { h.SetCookies(nil) }, "Cookie: a=1; b=2; c=3", "cookie: a=1|cookie: b=2|cookie: c=3"},
		"redirected": {[]string{"Authorization: own", "Content-Type: x", "Referer: own", "X-A: 1"}, func(h *Head) {
			h.Redirected, h.DropCredentials, h.DropBodyFields, h.Referer = true, true, true, "http://b.test/"
			h.SetLogin()
		}, "X-A: 1|Authorization: Basic dTpw|Referer: http://b.test/", "x-a: 1|authorization: Basic dTpw|referer: http://b.test/"},
		"redirected to the same": {[]string{"Authorization: own", "Content-Type: x", "Referer: own"}, func(h *Head) { h.Redirected = true },
			"Authorization: own|Content-Type: x", "authorization: own|content-type: x"},
		"not redirected": {[]string{"Content-Type: x", "Referer: own"}, nil, "Content-Type: x|Referer: own", "content-type: x|referer: own"},
	} {
		h := head(t, "http://u:p@a.test/p?q=1", c.own...)
		if c.set != nil {
			c.set(h)
		}
		agent, lower := "User-Agent: agent|", "user-agent: agent|"
		if h.Agent == "" {
			agent, lower = "", ""
		}
		got := strings.ReplaceAll(string(h.AppendHTTP1(nil, true)), "\r\n", "|")
		if want := "GET /p?q=1 HTTP/1.1|Host: a.test|" + agent + line(c.http1) + "|"; sorted(got) != sorted(want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		got = string(h.AppendTo(texts{}, nil))
		if want := ":authority: a.test|:method: GET|:path: /p?q=1|:scheme: http|" + lower + line(c.section); sorted(got) != sorted(want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// line ends fields, unless there are none.
func line(fields string) string {
	if fields == "" {
		return ""
	}
	return fields + "|"
}

// sorted returns fields in an order of their own, because that of one name's is all that counts.
func sorted(fields string) string {
	f := strings.Split(fields, "|")
	slices.SortStableFunc(f, func(a, b string) int {
		a, _, _ = strings.Cut(a, ": ")
		b, _, _ = strings.Cut(b, ": ")
		return strings.Compare(a, b)
	})
	return strings.Join(f, "|")
}

// TestForwarded: a proxy that forwards gets the whole URL, and its login; a server does not.
func TestForwarded(t *testing.T) {
	h := head(t, "http://a.test?q")
	h.ProxyLogin = "Basic x"
	for direct, want := range map[bool]string{
		false: "GET http://a.test/?q HTTP/1.1|Host: a.test|User-Agent: agent|Proxy-Authorization: Basic x||",
		true:  "GET /?q HTTP/1.1|Host: a.test|User-Agent: agent||",
	} {
		if got := strings.ReplaceAll(string(h.AppendHTTP1(nil, direct)), "\r\n", "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	h = head(t, "http://a.test")
	if got := string(h.AppendTo(texts{}, nil)); !strings.Contains(got, "|:path: /|") {
		t.Errorf("%q", got)
	}
}

// TestJar: cookies of the jar stand behind the program's own, one that a server sets anew in place of the program's; at another host
// the program's own are left out.
func TestJar(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := head(t, "http://a.test/", "Cookie: own=1; same=2")
	cookie := func() string { h.SetCookies(jar); return string(h.cookies) }
	if got := cookie(); got != "own=1; same=2" {
		t.Errorf("at first: %s", got)
	}
	h.KeepCookies(jar, fields("X-A: 1"))
	h.KeepCookies(nil, fields("Set-Cookie: same=0"))
	h.KeepCookies(jar, fields("Set-Cookie: same=3", "Set-Cookie: =;bad", "Set-Cookie: new=4"))
	if got := cookie(); got != "own=1; same=3; new=4" {
		t.Errorf("behind a response: %s", got)
	}
	h.DropCredentials = true
	if got := cookie(); got != "same=3; new=4" {
		t.Errorf("without the program's: %s", got)
	}
	if err := h.To.Parse("http://b.test/"); err != nil {
		t.Fatal(err)
	}
	if got := cookie(); got != "" {
		t.Errorf("at another host: %s", got)
	}
	h.Reset()
	if h.Own != nil || len(h.cookies) != 0 || h.replaced != nil || h.DropCredentials {
		t.Errorf("%+v is left over", h)
	}
}
