package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

const ok = "HTTP/1.1 200 OK\r\n"

// Heads that are malformed or have no end are refused.
func TestGetRefusesHeads(t *testing.T) {
	x := strings.Repeat("x", 8<<10)
	facing(t, time.Minute, []hostile{
		{name: "nothing", bad: cut(""), want: "without a response"},
		{name: "garbage", bad: says("\x00\x01\x02\x03\r\n\r\n"), want: "http1: "},
		{name: "another protocol", bad: says("SSH-2.0-OpenSSH_9.9\r\n"), want: "http1: "},
		{name: "HTTP/0.9", bad: cut("hello"), want: "http1: "},
		{name: "HTTP/2 in words", bad: says("HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"), want: "http1: "},
		{name: "half a head", bad: cut(ok + "Content-Le"), want: "too early"},
		{name: "a status of two digits", bad: says("HTTP/1.1 20 OK\r\n\r\n"), want: "http1: "},
		{name: "a status of four digits", bad: says("HTTP/1.1 2000 OK\r\n\r\n"), want: "http1: "},
		{name: "a status below 100", bad: says("HTTP/1.1 099 OK\r\n\r\n"), want: "http1: "},
		{name: "another protocol that nobody asked for", bad: says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), want: "101"},
		{name: "a folded line", bad: says(ok + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n"), want: "http1: "},
		{name: "a blank before a colon", bad: says(ok + "Content-Length : 0\r\n\r\n"), want: "http1: "},
		{name: "a line without a colon", bad: says(ok + "Content-Length\r\n\r\n"), want: "http1: "},
		{name: "a zero byte", bad: says(ok + "X: a\x00b\r\nContent-Length: 0\r\n\r\n"), want: "http1: "},
		{name: "a bare carriage return", bad: says(ok + "X: a\rb\r\nContent-Length: 0\r\n\r\n"), want: "http1: "},
		{name: "endless version", bad: endless("HTTP/1.", "1"), want: "http1: "},
		{name: "endless reason", bad: endless("HTTP/1.1 200 ", x), want: "http1: "},
		{name: "endless name", bad: endless(ok, x), want: "http1: "},
		{name: "endless value", bad: endless(ok+"X: ", x), want: "http1: "},
		{name: "endless fields", bad: endless(ok, "X: y\r\n"), want: "http1: "},
		{name: "endless empty lines", bad: endless("", "\r\n"), want: "http1: "},
		{name: "endless interim responses", bad: endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), want: "too many informational"},
		{name: "endless requests to continue", bad: endless("", "HTTP/1.1 100 Continue\r\n\r\n"), want: "too many informational"},
		{name: "redirects without end", bad: says("HTTP/1.1 302 Found\r\nLocation: /bad\r\nContent-Length: 0\r\n\r\n"), want: "redirects"},
		{name: "a redirect to a file", bad: says("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"), want: "scheme"},
	}, overTCP((*hostile).serveHTTP1))
}

// Bodies whose end is ambiguous, wrong or missing are refused.
func TestGetRefusesFraming(t *testing.T) {
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	facing(t, time.Minute, []hostile{
		{name: "a length of 2^40", bad: cut(ok + "Content-Length: 1099511627776\r\n\r\nabc"), want: "too early"},
		{name: "a length of 2^63", bad: says(ok + "Content-Length: 9223372036854775808\r\n\r\nabc"), want: "http1: "},
		{name: "a length of 2^64 and 3", bad: says(ok + "Content-Length: 18446744073709551619\r\n\r\nabc"), want: "http1: "},
		{name: "a length below 0", bad: says(ok + "Content-Length: -1\r\n\r\n"), want: "http1: "},
		{name: "a length with a sign", bad: says(ok + "Content-Length: +3\r\n\r\nabc"), want: "http1: "},
		{name: "a length in hex", bad: says(ok + "Content-Length: 0x3\r\n\r\nabc"), want: "http1: "},
		{name: "no length", bad: says(ok + "Content-Length:\r\n\r\n"), want: "http1: "},
		{name: "two lengths", bad: says(ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), want: "http1: "},
		{name: "two lengths in a list", bad: says(ok + "Content-Length: 3, 4\r\n\r\nabcd"), want: "http1: "},
		{name: "a length and chunks", bad: says(ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), want: "http1: "},
		{name: "chunked twice", bad: says(ok + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), want: "http1: "},
		{name: "chunked and then more", bad: says(ok + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), want: "http1: "},
		{name: "an unknown coding", bad: says(ok + "Transfer-Encoding: x\r\n\r\n"), want: "http1: "},
		{name: "chunks in HTTP/1.0", bad: says("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), want: "http1: "},
		{name: "half a body", bad: cut(ok + "Content-Length: 10\r\n\r\nhello"), want: "too early (status 200, after 5 bytes of the body)"},
		{name: "half a chunk", bad: cut(chunked + "a\r\nhello"), want: "too early (status 200, after 5 bytes of the body)"},
		{name: "no last chunk", bad: cut(chunked + "5\r\nhello\r\n"), want: "too early"},
		{name: "a chunk of 2^60", bad: cut(chunked + "1000000000000000\r\nabc"), want: "too early"},
		{name: "a chunk of 2^64", bad: says(chunked + "10000000000000000\r\nabc"), want: "http1: "},
		{name: "a chunk below 0", bad: says(chunked + "-1\r\nabc"), want: "http1: "},
		{name: "a chunk that goes on", bad: says(chunked + "3\r\nabcdef\r\n0\r\n\r\n"), want: "http1: "},
		{name: "no size", bad: says(chunked + "\r\nabc\r\n0\r\n\r\n"), want: "http1: "},
		{name: "a size with blanks", bad: says(chunked + " 3\r\nabc\r\n0\r\n\r\n"), want: "http1: "},
		{name: "an endless size", bad: endless(chunked, "0"), want: "http1: "},
		{name: "an endless extension", bad: endless(chunked+"3;", "x"), want: "http1: "},
		{name: "endless extensions", bad: endless(chunked, "1;"+strings.Repeat("x", 200)+"\r\nx\r\n"), want: "http1: "},
		{name: "an endless trailer", bad: endless(chunked+"0\r\nX: ", "y"), want: "http1: "},
		{name: "endless trailers", bad: endless(chunked+"0\r\n", "X: y\r\n"), want: "http1: "},
		{name: "a malformed trailer", bad: says(chunked + "0\r\nX : y\r\n\r\n"), want: "http1: "},
		{name: "a length, and a second response", bad: says(ok + "Content-Length: 3\r\n\r\nabc" + ok + "Content-Length: 4\r\n\r\nevil"), body: "abc"},
		{name: "chunks, and a second response", bad: says(chunked + "3\r\nabc\r\n0\r\n\r\n" + ok + "Content-Length: 4\r\n\r\nevil"), body: "abc"},
		{name: "no content, and some", bad: says("HTTP/1.1 204 No Content\r\n\r\n" + ok + "Content-Length: 4\r\n\r\nevil")},
		{name: "not modified, and a body", bad: says("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n" + ok + "Content-Length: 4\r\n\r\nevil")},
	}, overTCP((*hostile).serveHTTP1))
}

// Small compressed bodies that become large cost little memory.
func TestGetBombs(t *testing.T) {
	brotlis, err := base64.StdEncoding.DecodeString(brotliBomb)
	if err != nil {
		t.Fatal(err)
	}
	half := bomb(40, 2)
	if !program.Raced { // or it takes too long
		half = bomb(1000, 1) // of which half a GiB is let through
	}
	facing(t, time.Minute, []hostile{
		{name: "gzip", bad: half, want: "decompressed body too large"},
		{name: "gzip, twice", bad: bomb(40, 2), want: "decompressed body too large"},
		{name: "deflate of nothing", bad: says(ok + "Content-Encoding: deflate\r\nContent-Length: 3\r\n\r\nabc"), want: "too early"},
		{name: "brotli", bad: encoded("br", string(brotlis)), want: "decompressed body too large"},
		{name: "zstd", bad: encoded("zstd", zstdBomb), want: "decompressed body too large"},
		{name: "a window of 2 GiB", bad: says(ok + "Content-Encoding: zstd\r\nContent-Length: 7\r\n\r\n\x28\xb5\x2f\xfd\x00\xa8\x00"), want: "zstd"},
		{name: "broken gzip", bad: says(ok + "Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\nhellohello"), want: "gzip"},
		{name: "half of gzip", bad: cut(ok + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00"), want: "too early"},
		{name: "a hundred codings", bad: says(ok + "Content-Encoding: " + strings.Repeat("gzip,", 100) + "gzip\r\nContent-Length: 3\r\n\r\nabc"), body: "abc"},
	}, overTCP((*hostile).serveHTTP1))
}

// bomb is a body of zeros, of so many MiB, compressed with gzip so many times.
func bomb(size, times int) func(net.Conn) bool {
	var body bytes.Buffer
	w := []io.WriteCloser{gzip.NewWriter(&body)}
	for range times - 1 {
		w = append(w, gzip.NewWriter(w[len(w)-1]))
	}
	repeats := 1
	if times == 1 {
		size, repeats = 20, size/20 // in as many members (RFC 1952 §2.2)
	}
	for zeros := make([]byte, 1<<20); size > 0; size-- {
		w[times-1].Write(zeros)
	}
	for _, one := range slices.Backward(w) {
		one.Close()
	}
	return encoded(strings.Repeat("gzip, ", times-1)+"gzip", strings.Repeat(body.String(), repeats))
}

// encoded is a response with a body that was compressed before.
func encoded(coding, body string) func(net.Conn) bool {
	return says(fmt.Sprintf("%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", ok, coding, len(body), body))
}

// zstdBomb is a frame (RFC 8878 §3.1.1) with a window of 8 MiB, and 100 MiB of zeros: blocks of one byte that is repeated
// 128 Ki times.
var zstdBomb = "\x28\xb5\x2f\xfd\x00\x68" + strings.Repeat("\x02\x00\x10\x00", 800) + "\x03\x00\x00\x00"

// brotliBomb is 100 MiB of zeros, with a window of 4 MiB.
const brotliBomb = "y///PwAkAOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8A" +
	"CYA4LADd+z/+//8BIAEQhwWge//H//8/ACQA4rAAdO//+P//B4AEQBwWgO79H////wCQAIjDAtC9/+P//x8AEgBxWAC693/5//8DQAIgDgtA9/4H"

// Servers that send nothing, too little, or never stop are given up in time.
func TestGetEndsInTime(t *testing.T) {
	t.Parallel()
	const late = "taken too long"
	drip := func(s, more string) func(net.Conn) bool {
		return func(nc net.Conn) bool {
			_, err := io.WriteString(nc, s)
			for err == nil {
				time.Sleep(20 * time.Millisecond)
				_, err = io.WriteString(nc, more)
			}
			return false
		}
	}
	facingEach(t, 2*time.Second, []hostile{
		{name: "silence", bad: says(""), want: late},
		{name: "half a line", bad: says("HTTP/1.1 2"), want: late},
		{name: "half a head", bad: says(ok + "X: "), want: late},
		{name: "no body", bad: says(ok + "Content-Length: 1099511627776\r\n\r\n"), want: late},
		{name: "half a body", bad: says(ok + "Content-Length: 10\r\n\r\nhello"), want: late},
		{name: "half a chunk", bad: says(ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffff\r\nhello"), want: late},
		{name: "a head by the byte", bad: drip(ok, "x"), want: late},
		{name: "a body by the byte", bad: drip(ok+"\r\n", "x"), want: late},
		{name: "interim responses", bad: drip("", "HTTP/1.1 102 Processing\r\n\r\n"), want: late, or: "too many informational responses"},
		{name: "a body without end", bad: endless(ok+"\r\n", "x"), want: late},
		{name: "chunks without end", bad: endless(ok+"Transfer-Encoding: chunked\r\n\r\n", "4\r\nabcd\r\n"), want: late},
		{name: "gzip that stops", bad: says(ok + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), want: late},
	}, overTCP((*hostile).serveHTTP1))
}
