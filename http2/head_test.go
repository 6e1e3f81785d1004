package http2

import (
	"slices"
	"strings"
	"testing"
)

const getHead = ":method: GET|:scheme: https|:authority: example.com|:path: /"

// requestHeads are header sections of requests, and what a server makes of them. A result that begins with "!" is the
// message of the error that refuses the request.
var requestHeads = []struct{ fields, want string }{
	{getHead, "GET https example.com /"},
	{getHead + "|te: trailers", "GET https example.com / te=trailers"},
	{getHead + "|x:", "GET https example.com / x="},
	{getHead + "|host: EXAMPLE.com", "GET https example.com / host=EXAMPLE.com"},
	{getHead + "|host: example.com:443", "GET https example.com / host=example.com:443"},
	{getHead + "|host: example.com:80", "!host differs from :authority, or comes twice"},
	{getHead + "|host: example.com.", "!host differs from :authority, or comes twice"},
	{getHead + "|host: example.com|host: example.com", "!host differs from :authority, or comes twice"},
	{":method: GET|:scheme: http|:path: /|host: a:8080", "GET http a:8080 / host=a:8080"},
	{":method: GET|:scheme: http|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: http|:path: /|host:", "!malformed or missing authority"},
	{":method: GET|:scheme: https|:authority: u@example.com|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: https|:authority: a b|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: https|:authority:|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: foo|:path: /", "GET foo  /"},
	{":method: GET|:scheme: foo|:authority:|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: HTTPS|:authority: a|:path: /", "!malformed :scheme"},
	{":method: GET|:scheme: web+a.b-1|:authority: a|:path: /", "GET web+a.b-1 a /"},
	{":method: GET|:scheme: a_b|:authority: a|:path: /", "!malformed :scheme"},
	{":method: GET|:scheme: 1a|:authority: a|:path: /", "!malformed :scheme"},
	{":method: GET|:scheme:|:authority: a|:path: /", "!malformed :scheme"},
	{":method: GET|:scheme: https|:authority: a|:path: *", "!malformed :path"},
	{":method: OPTIONS|:scheme: https|:authority: a|:path: *", "OPTIONS https a *"},
	{":method: GET|:scheme: https|:authority: a|:path:", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: a", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: /#", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: /a b", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: /%4", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: /%4g", "!malformed :path"},
	{":method: GET|:scheme: https|:authority: a|:path: /?a=%4g%", "GET https a /?a=%4g%"},
	{":method: GET|:scheme: https|:authority: %41|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: https|:authority: [v1.a]|:path: /", "!malformed or missing authority"},
	{":method: GET|:scheme: https|:authority: [::1]|:path: /", "GET https [::1] /"},
	{":method: GET|:scheme: https|:authority: a|:path: /%41?a=b", "GET https a /%41?a=b"},
	{":method: GET|:scheme: https|:authority: a|:path: /\x7f", "!malformed :path"},
	{":method: G T|:scheme: https|:authority: a|:path: /", "!method is not a token"},
	{":method:|:scheme: https|:authority: a|:path: /", "!method is not a token"},
	{":scheme: https|:authority: a|:path: /", "!pseudo-field missing"},
	{":method: GET|:authority: a|:path: /", "!pseudo-field missing"},
	{":method: GET|:scheme: https|:authority: a", "!pseudo-field missing"},
	{"", "!pseudo-field missing"},
	{getHead + "|:path: /", "!pseudo-field more than once"},
	{getHead + "|:status: 200", "!pseudo-field that this message does not have"},
	{getHead + "|:foo: 1", "!pseudo-field that this message does not have"},
	{":method: GET|:scheme: https|a: b|:path: /|:authority: a", "!pseudo-field behind a field"},
	{getHead + "|Accept: a", "!field name is not a lower-case token"},
	{getHead + "|a b: c", "!field name is not a lower-case token"},
	{getHead + "|a\x00: c", "!field name is not a lower-case token"},
	{getHead + "|\xe9: c", "!field name is not a lower-case token"},
	{getHead + "|a: b\x00c", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: b\rc", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: 01234567\nc", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: 0123456\x7f01234567", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a:  b", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: b ", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: b\t", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: \tb", "!control byte, or white space at an end, in a field value"},
	{getHead + "|a: b\tc\xffd\x80 01234567", "GET https example.com / a=b\tc\xffd\x80 01234567"},
	{getHead + "|connection: close", "!connection-specific field"},
	{getHead + "|keep-alive: 1", "!connection-specific field"},
	{getHead + "|proxy-connection: a", "!connection-specific field"},
	{getHead + "|transfer-encoding: chunked", "!connection-specific field"},
	{getHead + "|upgrade: a", "!connection-specific field"},
	{getHead + "|http2-settings: a", "!connection-specific field"},
	{getHead + "|te: gzip", "!te is not trailers"},
	{getHead + "|te: trailers, gzip", "!te is not trailers"},
	{getHead + "|content-length: 0", "GET https example.com / content-length=0"},
	{getHead + "|content-length: 1", "!less DATA than content-length says"},
	{getHead + "|content-length: 0|content-length: 0", "!content-length is not one decimal number"},
	{getHead + "|content-length: +0", "!content-length is not one decimal number"},
	{getHead + "|content-length:", "!content-length is not one decimal number"},
	{getHead + "|content-length: 9223372036854775808", "!content-length is not one decimal number"},
	{":method: CONNECT|:authority: a:443", "CONNECT  a:443 "},
	{":method: CONNECT|:authority: [::1]:443|content-length: 7", "CONNECT  [::1]:443  content-length=7"},
	{":method: CONNECT|:authority: a", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: a:", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: a:0", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: :443", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: [::1]", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|host: a:443", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: a:443|:path: /", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: a:443|:scheme: https", "!CONNECT with :scheme or :path, or without host and port"},
	{":method: CONNECT|:authority: a:x", "!malformed or missing authority"},
	{":method: CONNECT|:protocol: websocket|:scheme: https|:authority: a|:path: /c", "CONNECT https a /c protocol=websocket"},
	{":method: CONNECT|:protocol: web socket|:scheme: https|:authority: a|:path: /c", "!:protocol without CONNECT, or not offered"},
	{":method: CONNECT|:protocol:|:scheme: https|:authority: a|:path: /c", "!:protocol without CONNECT, or not offered"},
	{":method: CONNECT|:protocol: websocket|:authority: a:1", "!pseudo-field missing"},
	{":method: GET|:protocol: websocket|:scheme: https|:authority: a|:path: /c", "!:protocol without CONNECT, or not offered"},
}

func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// Each header section of a request is parsed, or refused with the error, that the table says.
func TestRequestHeads(t *testing.T) {
	for _, c := range requestHeads {
		var h Head
		err := h.readRequest(fieldsOf(linesOf(c.fields)...), true, &facts{})
		got := strings.TrimPrefix(describe(Event{Kind: EventHeaders, Head: &h}), "Headers ")
		if err == nil && h.ContentLength > 0 && h.Method != "CONNECT" {
			err = ErrShort // as Conn has it for a request that ends with its head
		}
		if err != nil {
			got = "!" + err.Msg
		}
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.fields, got, c.want)
		}

		tk := server(t, Config{ConnectProtocol: true})
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, tk.raw(linesOf(c.fields)...)))
		if err == nil {
			tk.want("Headers 1 " + c.want + " END")
			continue
		}
		tk.want("Refused PROTOCOL_ERROR (" + c.want[1:] + ")")
		tk.silent()
		tk.says("RST_STREAM 1 PROTOCOL_ERROR")
	}
}

// raw encodes fields unchanged, including upper-case letters.
func (tk *talk) raw(lines ...string) string {
	b := []byte{}
	for _, f := range fieldsOf(lines...) {
		b = append(b, 0, byte(len(f.Name)))
		b = append(b, f.Name...)
		b = append(b, byte(len(f.Value)))
		b = append(b, f.Value...)
	}
	return string(b)
}

// A server that does not offer extended CONNECT refuses :protocol (RFC 8441 §4).
func TestExtendedConnectMustBeOffered(t *testing.T) {
	tk := server(t, Config{})
	tk.send(frame(FrameHeaders, FlagEndHeaders, 1, tk.block(":method: CONNECT", ":protocol: websocket", ":scheme: https", ":authority: a", ":path: /c")))
	tk.want("Refused PROTOCOL_ERROR (:protocol without CONNECT, or not offered)")
	tk.silent()
	tk.says("RST_STREAM 1 PROTOCOL_ERROR")
}

// responses are what a server sends for a request, and what the client makes of it: events, or the error of a reset.
var responses = []struct {
	method string
	frames []string // "flags|fields" is HEADERS, "=flags|bytes" is DATA; flags is E for END_STREAM
	want   []string
}{
	{"GET", []string{"|:status: 200|a: b", "=|x", "=E|y"}, []string{"Headers 1 200 a=b", `Data 1 "x"`, `Data 1 "y" END`}},
	{"GET", []string{"E|:status: 204"}, []string{"Headers 1 204 END"}},
	{"GET", []string{"|:status: 100", "|:status: 103|a: b", "E|:status: 200"}, []string{"Informational 1 100", "Informational 1 103 a=b", "Headers 1 200 END"}},
	{"GET", []string{"E|:status: 100"}, []string{"!informational response with END_STREAM"}},
	{"GET", []string{"|:status: 101"}, []string{"!status 101, which only HTTP/1.1 has"}},
	{"GET", []string{"|:status: 20"}, []string{"!malformed :status"}},
	{"GET", []string{"|:status: 2x0"}, []string{"!malformed :status"}},
	{"GET", []string{"|:status: 20x"}, []string{"!malformed :status"}},
	{"GET", []string{"|:status: 000"}, []string{"!malformed :status"}},
	{"GET", []string{"|:status: 2000"}, []string{"!malformed :status"}},
	{"GET", []string{"|:status: 999"}, []string{"Headers 1 999"}},
	{"GET", []string{"|a: b"}, []string{"!pseudo-field missing"}},
	{"GET", []string{"|"}, []string{"!pseudo-field missing"}},
	{"GET", []string{"|:path: /"}, []string{"!pseudo-field that this message does not have"}},
	{"GET", []string{"|:status: 200|:path: /"}, []string{"!pseudo-field that this message does not have"}},
	{"GET", []string{"|:status: 200|:status: 200"}, []string{"!pseudo-field more than once"}},
	{"GET", []string{"|:status: 200|a: b|:status: 200"}, []string{"!pseudo-field behind a field"}},
	{"GET", []string{"|:status: 200|connection: close"}, []string{"!connection-specific field"}},
	{"GET", []string{"=|x"}, []string{"!DATA before the head of its message"}},
	{"GET", []string{"|:status: 100", "=|x"}, []string{"Informational 1 100", "!DATA before the head of its message"}},
	{"GET", []string{"|:status: 200|content-length: 3", "=|ab", "=E|c"}, []string{"Headers 1 200 content-length=3", `Data 1 "ab"`, `Data 1 "c" END`}},
	{"GET", []string{"|:status: 200|content-length: 3", "=|ab", "=|cd"}, []string{"Headers 1 200 content-length=3", `Data 1 "ab"`, "!more DATA than content-length says"}},
	{"GET", []string{"|:status: 200|content-length: 3", "=E|ab"}, []string{"Headers 1 200 content-length=3", `Data 1 "ab"`, "!less DATA than content-length says"}},
	{"GET", []string{"|:status: 200|content-length: 3", "=|ab", "E|a: b"}, []string{"Headers 1 200 content-length=3", `Data 1 "ab"`, "!less DATA than content-length says"}},
	{"GET", []string{"|:status: 200|content-length: 2", "=|ab", "E|a: b"}, []string{"Headers 1 200 content-length=2", `Data 1 "ab"`, "Trailers 1 a=b END"}},
	{"GET", []string{"E|:status: 200|content-length: 3"}, []string{"!less DATA than content-length says"}},
	{"GET", []string{"|:status: 200", "|a: b"}, []string{"Headers 1 200", "!trailers without END_STREAM"}},
	{"GET", []string{"|:status: 200", "E|:status: 200"}, []string{"Headers 1 200", "!pseudo-field that this message does not have"}},
	{"GET", []string{"|:status: 200", "E|a: b|:status: 200"}, []string{"Headers 1 200", "!pseudo-field behind a field"}},
	{"GET", []string{"|:status: 200", "E|a: b|content-length: 7|content-type: c|d: e"}, []string{"Headers 1 200", "Trailers 1 a=b d=e END"}},
	{"GET", []string{"|:status: 200", "E|te: gzip"}, []string{"Headers 1 200", "!te is not trailers"}},
	{"GET", []string{"|:status: 200", "E|"}, []string{"Headers 1 200", "Trailers 1 END"}},
	{"HEAD", []string{"E|:status: 200|content-length: 3"}, []string{"Headers 1 200 content-length=3 END"}},
	{"HEAD", []string{"|:status: 200|content-length: 3", "=E|"}, []string{"Headers 1 200 content-length=3", `Data 1 "" END`}},
	{"HEAD", []string{"|:status: 200|content-length: 3", "=E|abc"}, []string{"Headers 1 200 content-length=3", "!more DATA than content-length says"}},
	{"GET", []string{"E|:status: 304|content-length: 3"}, []string{"Headers 1 304 content-length=3 END"}},
	{"GET", []string{"|:status: 204", "=E|abc"}, []string{"Headers 1 204", "!more DATA than content-length says"}},
	{"CONNECT", []string{"|:status: 200|content-length: 1", "=|abc", "=E|"}, []string{"Headers 1 200 content-length=1", `Data 1 "abc"`, `Data 1 "" END`}},
	{"CONNECT", []string{"|:status: 200", "E|a: b"}, []string{"Headers 1 200", "!HEADERS inside a tunnel"}},
	{"CONNECT", []string{"|:status: 404", "E|a: b"}, []string{"Headers 1 404", "Trailers 1 a=b END"}},
}

// Each response of the table is received as the table says.
func TestResponses(t *testing.T) {
	for _, c := range responses {
		tk := client(t, Config{})
		s, err := tk.c.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		tk.c.AppendHeaders(nil, s, fieldsOf(":method: "+c.method, ":scheme: https", ":authority: a", ":path: /"), false)
		for _, f := range c.frames {
			f, isData := strings.CutPrefix(f, "=")
			mark, rest, _ := strings.Cut(f, "|")
			flags := FlagEndHeaders
			if mark == "E" {
				flags |= FlagEndStream
			}
			if isData {
				tk.send(data(1, flags&FlagEndStream, rest))
			} else {
				tk.send(frame(FrameHeaders, flags, 1, tk.raw(linesOf(rest)...)))
			}
		}
		for _, want := range c.want {
			if msg, bad := strings.CutPrefix(want, "!"); bad {
				want = "Reset 1 PROTOCOL_ERROR (" + msg + ")"
				tk.want(want)
				tk.says("RST_STREAM 1 PROTOCOL_ERROR")
				continue
			}
			tk.want(want)
		}
		tk.silent()
	}
}

// In a tunnel only DATA is allowed.
func TestTunnelOfServer(t *testing.T) {
	tk := server(t, Config{})
	tk.send(frame(FrameHeaders, FlagEndHeaders, 1, tk.block(":method: CONNECT", ":authority: a:443")))
	tk.want("Headers 1 CONNECT  a:443 ")
	tk.send(data(1, 0, "abc") + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, tk.block("a: b")))
	tk.want(`Data 1 "abc"`, "Reset 1 PROTOCOL_ERROR (HEADERS inside a tunnel)")
}

// A request whose header section is too large can be responded to with 431; a trailer section that is too large resets the
// stream.
func TestHeadersTooLarge(t *testing.T) {
	tk := server(t, Config{MaxHeaderList: 2000})
	big := "x: " + strings.Repeat("a", 1900)
	tk.send(tk.get(1, big) + tk.get(3))
	tk.want("HeadersTooLarge 1 GET END", "Headers 3 GET https example.com / END")
	s := streamOf(tk.c, 1)
	tk.wrote(tk.c.AppendHeaders(nil, s, fieldsOf(":status: 431"), true), "HEADERS 1 :status=431 END")
	tk.c.Release(s)
	tk.send(tk.post(5) + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 5, tk.block(big, big)))
	tk.want("Headers 5 POST https example.com /", "Reset 5 ENHANCE_YOUR_CALM (header section larger than SETTINGS_MAX_HEADER_LIST_SIZE)")
	tk.says("RST_STREAM 5 ENHANCE_YOUR_CALM")
}

// A header section may have MaxFields fields, and no more.
func TestTooManyFields(t *testing.T) {
	tk := server(t, Config{MaxFields: 8})
	tk.send(tk.get(1, "a: 1", "a: 2", "a: 3", "a: 4") + tk.get(3, "a: 1", "a: 2", "a: 3", "a: 4", "a: 5"))
	tk.want("Headers 1 GET https example.com / a=1 a=2 a=3 a=4 END", "HeadersTooLarge 3 GET END")
}

// Cookies count as one field, however many lines they come in, and a flood of them is too large.
func TestCookieCrumbs(t *testing.T) {
	crumbs := func(n int, more ...string) []string { return append(slices.Repeat([]string{"cookie: a"}, n), more...) }
	tk := server(t, Config{MaxFields: 8})
	tk.send(tk.get(1, crumbs(100, "a: 1", "a: 2", "a: 3")...) + tk.get(3, crumbs(100, "a: 1", "a: 2", "a: 3", "a: 4")...))
	tk.want("Headers 1 GET https example.com / "+strings.Repeat("cookie=a ", 100)+"a=1 a=2 a=3 END", "HeadersTooLarge 3 GET END")
	tk.send(tk.get(5, crumbs(1004)...) + tk.get(7, crumbs(1005)...) + tk.get(9))
	tk.want("Headers 5 GET https example.com / "+strings.Repeat("cookie=a ", 1004)+"END", "HeadersTooLarge 7 GET END",
		"Headers 9 GET https example.com / END")
}

// The method of a request that is too large is known if it came before the limit.
func TestMethodOfTooLarge(t *testing.T) {
	big := "x: " + strings.Repeat("a", 2000)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{":method: HEAD", ":scheme: https", ":authority: a", ":path: /", big}, "HeadersTooLarge 1 HEAD END"},
		{[]string{":method: HEAD", big, ":scheme: https"}, "HeadersTooLarge 1 HEAD END"},
		{[]string{big, ":method: HEAD"}, "HeadersTooLarge 1  END"},
		{[]string{":method: H EAD", big}, "HeadersTooLarge 1  END"},
		{[]string{"method: HEAD", big}, "HeadersTooLarge 1  END"},
		{[]string{big}, "HeadersTooLarge 1  END"},
	} {
		tk := server(t, Config{MaxHeaderList: 1000})
		block := tk.block(c.lines...)
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block))
		tk.want(c.want)
		tk.send(tk.get(3)) // has nothing of it
		tk.want("Headers 3 GET https example.com / END")
	}
}

// A header block that cannot be decoded ends the connection (RFC 9113 §4.3).
func TestCompressionError(t *testing.T) {
	for _, block := range []string{"\x80", "\xff\xff\xff\xff\xff\xff", "\x40\x05a"} {
		tk := server(t, Config{})
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block))
		tk.want("error http2: header block that cannot be decompressed (COMPRESSION_ERROR, RFC 9113 §4.3)")
	}
}

// ValidField refuses names in upper case, line breaks in values, and fields of a connection (RFC 9113 §8.2).
func TestValidField(t *testing.T) {
	for field, want := range map[string]bool{
		":status: 200": true, "a: b": true, "te: trailers": true, "te: x": false, "A: b": false, ":x: 1": false, "a: b\n": false,
		"connection: a": false, "keep-alive: a": false, "upgrade: a": false, "transfer-encoding: a": false, "a: ": true,
	} {
		f := fieldsOf(field)[0]
		if ValidField(f.Name, f.Value) != want {
			t.Error(field)
		}
	}
}

// Several cookie fields become one (RFC 9113 §8.2.3).
func TestAppendCookies(t *testing.T) {
	b, ok := AppendCookies([]byte("cookie: "), fieldsOf("cookie: a=1", "x: y", "cookie: b=2"))
	if string(b) != "cookie: a=1; b=2" || !ok {
		t.Errorf("%q %v", b, ok)
	}
	if b, ok := AppendCookies(nil, fieldsOf("x: y")); b != nil || ok {
		t.Errorf("%q %v", b, ok)
	}
}
