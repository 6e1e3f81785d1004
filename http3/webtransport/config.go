package webtransport

import (
	"cmp"
	"time"
)

// Config says which sessions are accepted, and how they behave. A zero field means its default. One Config may be used for any number of
// sessions.
type Config struct {
	// Origins lists origins, besides the request's own host, whose pages may open sessions. An entry is a host such as "example.com", in
	// which "*" stands for any run of characters but "." ("*.example.com"); an origin with its scheme ("https://example.com"); or "*"
	// alone for every origin. Requests without an Origin do not come from browsers and are accepted.
	Origins []string
	// CheckOrigin, if set, decides instead of Origins, also for pages of the request's own host. origin is the request's Origin
	// field as it was sent, or "" if there is none; host is the request's host. A request with two origins is refused without a call.
	CheckOrigin func(origin, host string) bool

	// Protocols are the application protocols of this end. The first one that the client offers, in its order, is chosen
	// (draft-ietf-webtrans-http3 §3.3); Session.Protocol returns the choice. A client that offers none of them gets none.
	Protocols []string

	// MaxQueuedDatagrams is how many received datagrams wait for ReceiveDatagram. When there are more, the oldest are dropped, and
	// Session.DroppedDatagrams counts them. Default 128.
	MaxQueuedDatagrams int

	// CloseTimeout is how long the client has to take the end of the session, from the call of Close. Default 5 s.
	CloseTimeout time.Duration
}

// withDefaults returns cfg with zero fields replaced by their defaults.
func (cfg Config) withDefaults() Config {
	cfg.MaxQueuedDatagrams = max(cmp.Or(cfg.MaxQueuedDatagrams, 128), 1)
	if cfg.CloseTimeout = cmp.Or(cfg.CloseTimeout, 5*time.Second); cfg.CloseTimeout < 0 {
		cfg.CloseTimeout = 0
	}
	return cfg
}
