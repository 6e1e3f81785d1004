package http1

import "testing"

// chrome is a head as a browser sends it.
const chrome = "GET /assets/app.js?v=20240611 HTTP/1.1\r\n" +
	"Host: www.example.com\r\n" +
	"Connection: keep-alive\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8\r\n" +
	"Referer: https://www.example.com/some/page/with/a/path?and=query\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Accept-Language: en-US,en;q=0.9,de;q=0.8\r\n" +
	"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=yes; _ga=GA1.2.1234567890.1234567890\r\n" +
	"\r\n"

const smallest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// The head of a browser's request is parsed whole.
func TestParseBrowserHead(t *testing.T) {
	var r Request
	n, err := r.Parse([]byte(chrome))
	if err != nil || n != len(chrome) {
		t.Fatalf("Parse = %d, %v; want %d", n, err, len(chrome))
	}
	if string(r.Method) != "GET" || string(r.Path) != "/assets/app.js" || string(r.Query) != "v=20240611" {
		t.Errorf("request line: %q %q %q", r.Method, r.Path, r.Query)
	}
	if string(r.Host) != "www.example.com" || r.Header.Len() != 8 || !r.KeepAlive {
		t.Errorf("host %q, %d fields, keep-alive %t", r.Host, r.Header.Len(), r.KeepAlive)
	}
	if v := r.Header.GetString("accept-language"); v != "en-US,en;q=0.9,de;q=0.8" {
		t.Errorf("Accept-Language: %q", v)
	}
}
