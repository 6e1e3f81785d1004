package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// parseTarget reads the URL; http:// may be left out.
func parseTarget(s string) (*url.URL, error) {
	full := s
	if !strings.Contains(s, "://") {
		full = "http://" + s
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" && !isWebSocket(u) {
		return nil, usageError{fmt.Sprintf("bench: %q is no URL such as http://127.0.0.1:8080/", s)}
	}
	u.Fragment, u.RawFragment = "", "" // is not sent (RFC 9110 §4.2.5)
	return u, nil
}

// isWebSocket tells whether messages go there, and not requests.
func isWebSocket(u *url.URL) bool { return u.Scheme == "ws" || u.Scheme == "wss" }

// messageFlags are the flags for what is sent over WebSocket. The size is m's only there.
func messageFlags(set *flag.FlagSet, m *load.Message) *count {
	size := count(64)
	set.Var(&size, "size", "with ws:// and wss://: send messages of `N` bytes")
	set.BoolVar(&m.Text, "text", false, "with ws:// and wss://: send text instead of binary messages")
	set.BoolVar(&m.Deflate, "deflate", false,
		"with ws:// and wss://: send and want compressed messages, each by itself (permessage-deflate)")
	set.BoolVar(&m.Takeover, "takeover", false,
		"with -deflate: compress with what was sent before in the same direction (context takeover), both ways")
	return &size
}

// authorize turns a name and password in the URL into the field they mean (RFC 7617 §2).
func (opt *benchOptions) authorize() {
	user := opt.cfg.URL.User
	if user == nil || opt.cfg.Header.Has("Authorization") {
		return
	}
	password, _ := user.Password()
	opt.cfg.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
}
