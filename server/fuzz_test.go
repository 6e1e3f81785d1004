package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// FuzzConversation sends the input in one piece and byte by byte. Both must get the same responses, each well-formed for
// net/http's reader, and then the end.
func FuzzConversation(f *testing.F) {
	for _, seed := range []string{
		get("/text") + "GET", head1("/big"), get("/status?204"), get("/status?304"), with("Connection|close"),
		"GET /write HTTP/1.1\r\nHost: h\r\n\r\nGET /trailer HTTP/1.1\r\nHost: h\r\n\r\nGET /flush HTTP/1.0\r\n\r\n",
		"POST /echo HTTP/1.1\r\nHost: h\r\n" + chunkedField + "\r\n3;a=b\r\nabc\r\n0\r\nX-T: 1\r\n\r\nGET /text HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc",
		"POST /text HTTP/1.1\r\nHost: h\r\n" + expectField + "Content-Length: 5\r\n\r\nabcde",
		"POST /echo HTTP/1.1\r\nHost: h\r\n" + expectField + chunkedField + "\r\n5\r\nabcde\r\n0\r\n\r\n",
		"\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n\x00",
	} {
		f.Add([]byte(seed))
	}
	l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
	s := startOn(f, l, server.Config{Handler: server.HandlerFunc(site)})
	f.Fuzz(func(t *testing.T, sent []byte) {
		whole, intact := converse(t, l, sent, nil)
		split, alike := converse(t, l, sent, wiretest.EveryByte)
		// Whether "100 Continue" is sent, and the body then read, depends on what has arrived.
		waits := bytes.Contains(bytes.ToLower(sent), []byte("expect"))
		if split != whole && intact && alike && !waits {
			t.Errorf("sent %q\n in one piece %q\n byte by byte %q", sent, whole, split)
		}
		if !intact {
			return
		}
		if err := wellFormed(whole, sent); err != nil {
			t.Errorf("sent %q\n got %q: %v", sent, whole, err)
		}
		if s.Stats().Panics != 0 {
			t.Fatalf("sent %q: panic", sent)
		}
	})
}

// converse sends all of sent and then the end, and returns what the server sends. intact is false if the connection was
// reset: a client that sends more after it has asked for the close cannot expect the response (RFC 9112 §9.6).
func converse(t *testing.T, l *wiretest.Listener, sent []byte, split wiretest.Split) (got string, intact bool) {
	nc, err := l.DialConfig(wiretest.Config{Split: split}, wiretest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(time.Minute))
	go func() {
		nc.Write(sent)
		nc.CloseWrite()
	}()
	all, err := io.ReadAll(nc)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("sent %q\n got %q and no end", sent, all)
	}
	return undated(strings.ReplaceAll(string(all), "HTTP/1.1 100 Continue\r\n\r\n", "")), err == nil
}

// wellFormed reads responses until there are none. Responses to HEAD and CONNECT need the request to be read, so
// conversations with these are not checked.
func wellFormed(got string, sent []byte) error {
	if bytes.Contains(sent, []byte("HEAD")) || bytes.Contains(sent, []byte("CONNECT")) {
		return nil
	}
	for r := bufio.NewReader(strings.NewReader(got)); ; {
		if _, err := r.Peek(1); err == io.EOF {
			return nil
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		res.Body.Close()
	}
}
