package main

import (
	"strings"
	"testing"
)

func TestBenchWebSocket(t *testing.T) {
	for name, tc := range map[string]struct {
		opt  echoOptions
		args string
		says string
	}{
		"binary":              {echoOptions{native: true}, "", "4 connections, binary messages of 64 B"},
		"text, pipelined":     {echoOptions{native: true}, "-text -size 1k -pipeline 16", "16 in flight on each, text messages of 1000 B"},
		"empty":               {echoOptions{}, "-size 0", "binary messages of 0 B"},
		"large":               {echoOptions{}, "-n 24 -size 300k -pipeline 2", "messages of 293.0 KiB"},
		"large, by callbacks": {echoOptions{wsCallback: true}, "-n 8 -size 3000k -text", "messages of 2.9 MiB"},
		"compressed":          {echoOptions{deflate: true}, "-size 2k -text -deflate -pipeline 3", "text messages of 2.0 KiB, compressed"},
		"compressed, large":   {echoOptions{deflate: true}, "-n 24 -size 200k -deflate", "compressed"},
		"a few uncompressed":  {echoOptions{deflate: true}, "-size 10 -deflate", "compressed"},
		"takeover":            {echoOptions{deflate: true}, "-size 1k -text -deflate -takeover", "compressed with takeover"},
		"takeover, pipelined": {echoOptions{deflate: true, wsCallback: true}, "-deflate -takeover -pipeline 16", "with takeover"},
		"takeover, large":     {echoOptions{deflate: true}, "-n 24 -size 200k -deflate -takeover -pipeline 2", "with takeover"},
		"takeover, empty":     {echoOptions{deflate: true}, "-size 0 -deflate -takeover", "with takeover"},
		"takeover, a rate":    {echoOptions{deflate: true}, "-size 500 -deflate -takeover -rate 1k -pipeline 4", "with takeover"},
		"with a rate":         {echoOptions{wsCallback: true}, "-rate 1k -pipeline 4", "asked for 1,000/s"},
		"TLS":                 {echoOptions{native: true, siteOptions: overTLS}, "-k -pipeline 4", "4 in flight on each"},
		"large over TLS":      {echoOptions{native: true, siteOptions: overTLS}, "-n 24 -k -size 300k", "messages of 293.0 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tc.opt)
			got, text := benched(t, 0, append(strings.Fields(tc.args), "ws"+strings.TrimPrefix(r.url, "http")+"/x")...)
			switch {
			case got.Requests == 0 || got.Errors.total() != 0 || len(got.Statuses) != 0:
				t.Errorf("%d messages, statuses %v, errors %+v", got.Requests, got.Statuses, got.Errors)
			case got.Latency.P50 <= 0 || got.BytesIn == 0:
				t.Errorf("%d bytes in, latency %+v", got.BytesIn, got.Latency)
			}
			wantText(t, "the report", text, tc.says)
			wantText(t, "the report", text, "echoed as they were sent")
			wantText(t, "the report", text, " of CPU a message")
		})
	}
}

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
		wantText(t, args, text, want)
	}
}

// exitOf is the exit code of a complaint: only the handshake's is found when the run begins.
func exitOf(complaint string) int {
	if strings.Contains(complaint, "handshake") {
		return 1
	}
	return 2
}

// TestBenchWebSocketFindsNone: a server that speaks HTTP alone, or that does not compress, is no connection.
func TestBenchWebSocketFindsNone(t *testing.T) {
	page := start(t, serveOptions{})
	_, text := benched(t, 1, "ws://"+page.addr+"/plaintext")
	wantText(t, "no WebSocket", text, "answers the WebSocket handshake with 200")
	_, text = benched(t, 1, "-deflate", "ws://"+page.addr+"/ws")
	wantText(t, "no compression", text, "does not compress messages")
}

// TestPageEchoes: what the page's plot is made of.
func TestPageEchoes(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := start(t, serveOptions{siteOptions: siteOptions{tls: secure}})
		k := r.hello("/ws")
		k.sayFrame(fin|text, "ping 12.5")
		k.wantFrame("a text comes back", fin|text, "ping 12.5")
		if _, body := r.do("GET", "/"); !strings.Contains(body, "'/ws'") || !strings.Contains(body, "ws"+strings.TrimPrefix(r.url, "http")+"/ws") {
			t.Error("the page does not know of it")
		}
		if resp, _ := r.do("GET", "/ws"); resp.StatusCode != 426 {
			t.Errorf("without an upgrade: %s, want 426", resp.Status)
		}
		foreign := r.dial()
		if resp := foreign.upgrade("/ws", "Origin: http://elsewhere.example"); resp.StatusCode != 403 {
			t.Errorf("from a foreign page: %s, want 403", resp.Status)
		}
		r.first()
		k.wantFrame("it goes away", fin|closes, "\x03\xe9")
		k.sayFrame(fin|closes, "\x03\xe9")
		k.wantEnd()
		k.nc.Close()
	}
}
