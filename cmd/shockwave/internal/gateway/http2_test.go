//lint:file-ignore SA1019 net/http's own transport asks for no extended CONNECT

package gateway

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
)

// WebSocket on a stream of HTTP/2 (RFC 8441) is passed on like any other.
func TestHTTP2(t *testing.T) {
	r := newRig(t, ways[1], Config{HalfClose: patience})
	client := &http2.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(client.CloseIdleConnections)
	url := "https" + r.url[3:]
	resp, err := (&http.Client{Transport: client}).Get(url + "/nowhere") // by now the client has the server's settings
	if err != nil || resp.StatusCode != 404 || resp.ProtoMajor != 2 {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	<-r.ends
	ours, body := io.Pipe()
	req, err := http.NewRequest("CONNECT", url+"/", ours)
	if err != nil {
		t.Fatal(err)
	}
	req.Header[":protocol"] = []string{"websocket"}
	req.Header.Set("Sec-WebSocket-Version", "13")
	if resp, err = client.RoundTrip(req); err != nil || resp.StatusCode != 200 {
		t.Fatalf("CONNECT: %v, %v", resp, err)
	}
	defer resp.Body.Close()
	b := r.accept()
	io.WriteString(body, "\x82\x85\x00\x00\x00\x00Hello\x88\x82\x00\x00\x00\x00\x03\xe8")
	b.want("Hello")
	b.wantEOF()
	b.say("you")
	b.Close()
	got := make([]byte, 9)
	if n, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "\x82\x03you\x88\x02\x03\xe8" {
		t.Errorf("the peer got %q, %v", got[:n], err)
	}
	body.Close()
	if e := r.wantEnd("peer closed 1000"); e.Protocol != "HTTP/2.0" || e.Method != "GET" || e.Status != 101 {
		t.Errorf("told %+v", e)
	}
}
