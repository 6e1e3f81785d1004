package bench

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/serve"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// WebSocket messages come back, with every combination of flags.
func TestBenchWebSocket(t *testing.T) {
	for name, tc := range map[string]struct {
		opt  echo.Options
		args string
		says string
	}{
		"binary":              {echo.Options{Native: true}, "", "4 connections, binary messages of 64 B"},
		"text, pipelined":     {echo.Options{Native: true}, "-text -size 1k -pipeline 16", "16 in flight on each, text messages of 1000 B"},
		"empty":               {echo.Options{}, "-size 0", "binary messages of 0 B"},
		"large":               {echo.Options{}, "-n 24 -size 300k -pipeline 2", "messages of 293.0 KiB"},
		"large, by callbacks": {echo.Options{WsCallback: true}, "-n 8 -size 3000k -text", "messages of 2.9 MiB"},
		"compressed":          {echo.Options{Deflate: true}, "-size 2k -text -deflate -pipeline 3", "text messages of 2.0 KiB, compressed"},
		"compressed, large":   {echo.Options{Deflate: true}, "-n 24 -size 200k -deflate", "compressed"},
		"a few uncompressed":  {echo.Options{Deflate: true}, "-size 10 -deflate", "compressed"},
		"takeover":            {echo.Options{Deflate: true}, "-size 1k -text -deflate -takeover", "compressed with takeover"},
		"takeover, pipelined": {echo.Options{Deflate: true, WsCallback: true}, "-deflate -takeover -pipeline 16", "with takeover"},
		"takeover, large":     {echo.Options{Deflate: true}, "-n 24 -size 200k -deflate -takeover -pipeline 2", "with takeover"},
		"takeover, empty":     {echo.Options{Deflate: true}, "-size 0 -deflate -takeover", "with takeover"},
		"takeover, a rate":    {echo.Options{Deflate: true}, "-size 500 -deflate -takeover -rate 1k -pipeline 4", "with takeover"},
		"with a rate":         {echo.Options{WsCallback: true}, "-rate 1k -pipeline 4", "asked for 1,000/s"},
		"TLS":                 {echo.Options{Native: true, Options: clitest.OverTLS}, "-k -pipeline 4", "4 in flight on each"},
		"large over TLS":      {echo.Options{Native: true, Options: clitest.OverTLS}, "-n 24 -k -size 300k", "messages of 293.0 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Serve(t, tc.opt)
			got, text := benched(t, 0, append(strings.Fields(tc.args), "ws"+strings.TrimPrefix(r.URL, "http")+"/x")...)
			switch {
			case got.Requests == 0 || got.Errors.Total() != 0 || len(got.Statuses) != 0:
				t.Errorf("%d messages, statuses %v, errors %+v", got.Requests, got.Statuses, got.Errors)
			case got.Latency.P50 <= 0 || got.BytesIn == 0:
				t.Errorf("%d bytes in, latency %+v", got.BytesIn, got.Latency)
			}
			clitest.WantText(t, "the report", text, tc.says)
			clitest.WantText(t, "the report", text, "echoed as they were sent")
			clitest.WantText(t, "the report", text, " of CPU a message")
		})
	}
}

// The flags about messages are checked.
func TestBenchWebSocketFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-X GET ws://h/":            "-X is about requests, with http:// or https://; this URL is for messages",
		"-body f wss://h/":          "-body is about requests",
		"-data x wss://h/":          "-data is about requests",
		"-same ws://h/":             "-same is about requests",
		"-size 5 http://h/":         "-size is about messages, with tcp://, tls://, ws:// or wss://; this URL is for requests",
		"-text h":                   "-text is about messages",
		"-deflate https://h/":       "-deflate is about messages",
		"-takeover http://h/":       "-takeover is about messages",
		"-takeover ws://h/":         "wants -deflate",
		"-size -1 ws://h/":          "want a whole number",
		"-H Upgrade:x -c 1 ws://h/": "belongs to the WebSocket handshake",
	} {
		_, text := benched(t, exitOf(want), strings.Fields(args)...)
		clitest.WantText(t, args, text, want)
	}
}

// exitOf is the exit code of a complaint: only the handshake's is found when the run begins.
func exitOf(complaint string) int {
	if strings.Contains(complaint, "handshake") {
		return 1
	}
	return 2
}

// A server without WebSocket, or without compression that is asked for, is a failed connection.
func TestBenchWebSocketFindsNone(t *testing.T) {
	page := clitest.Serve(t, serve.Options{})
	_, text := benched(t, 1, "ws://"+page.Addr+"/plaintext")
	clitest.WantText(t, "no WebSocket", text, "answers the WebSocket handshake with 200")
	_, text = benched(t, 1, "-deflate", "ws://"+page.Addr+"/ws")
	clitest.WantText(t, "no compression", text, "does not compress messages")
}

// The page of serve sends messages back.
func TestPageEchoes(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := clitest.Serve(t, serve.Options{Options: site.Options{TLS: secure}})
		k := r.Hello("/ws")
		k.SayFrame(clitest.Fin|clitest.Text, "ping 12.5")
		k.WantFrame("a text comes back", clitest.Fin|clitest.Text, "ping 12.5")
		if _, body := r.Do("GET", "/"); !strings.Contains(body, "'/ws'") || !strings.Contains(body, "ws"+strings.TrimPrefix(r.URL, "http")+"/ws") {
			t.Error("the page does not know of it")
		}
		if resp, _ := r.Do("GET", "/ws"); resp.StatusCode != 426 {
			t.Errorf("without an upgrade: %s, want 426", resp.Status)
		}
		foreign := r.Dial()
		if resp := foreign.Upgrade("/ws", "Origin: http://elsewhere.example"); resp.StatusCode != 403 {
			t.Errorf("from a foreign page: %s, want 403", resp.Status)
		}
		r.First()
		k.WantFrame("it goes away", clitest.Fin|clitest.Closes, "\x03\xe9")
		k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe9")
		k.WantEnd()
		k.Conn.Close()
	}
}
