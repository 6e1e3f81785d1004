package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/streamsock"
)

// socketEvents writes the events of the socket command: lines of JSON on stdout, or without -json lines on stderr.
type socketEvents struct {
	commandLoop
	digest bool // show the SHA-256 of a message in place of it
}

func (t *socketEvents) listening(url, sum string) {
	switch {
	case t.json:
		e := t.out.Event("listening").Str("url", url)
		if sum != "" {
			e.Str("sha256", sum)
		}
		e.End()
	case sum != "":
		t.logf("listening on %s, certificate SHA-256 %s", url, sum)
	default:
		t.logf("listening on %s", url)
	}
}

func (t *socketEvents) connected(m streamsock.Message) {
	p := m.Peer
	if !t.json {
		t.logf("%d %v: %s %v", p.ID(), m.Kind, p.Transport(), p.RemoteAddr())
		return
	}
	e := t.out.Event(m.Kind.String()).Int("peer", int64(p.ID())).Str("transport", p.Transport()).
		Str("remote", p.RemoteAddr().String()).Bool("dialled", p.Dialled()).Bool("tls", p.TLS() != nil)
	if p.Dialled() {
		e.Str("url", p.URL())
	}
	if q := p.Request(); q != nil {
		e.Str("path", requestPath(q.URL)).Str("subprotocol", p.Subprotocol()).Str("origin", q.Header.Get("Origin"))
	}
	e.End()
}

// requestPath returns the path of a request's URL with its query, percent-encoded as it was sent.
func requestPath(u *url.URL) string {
	path := cmp.Or(u.EscapedPath(), "/")
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return path
}

func (t *socketEvents) disconnected(m streamsock.Message) {
	end := m.End
	if !t.json {
		said := ""
		if end.Code != 0 {
			said = fmt.Sprintf(" %d", uint16(end.Code))
		}
		if end.Text != "" {
			said += fmt.Sprintf(" %q", end.Text)
		}
		t.logf("%d disconnected: %v%s", m.Peer.ID(), end.Reason, said)
		return
	}
	e := t.out.Event("disconnected").Int("peer", int64(m.Peer.ID())).Str("reason", end.Reason.String())
	if end.Code != 0 {
		e.Int("code", int64(end.Code)).Str("text", end.Text)
	} else if end.Text != "" {
		e.Str("text", end.Text)
	}
	e.Bool("redial", end.Returns).End()
}

func (t *socketEvents) refused(f streamsock.Refusal) {
	if !t.json {
		t.logf("refused %v: %v: %v", f.Remote, f.Reason, f.Err)
		return
	}
	e := t.out.Event("refused").Str("remote", f.Remote.String()).Str("reason", f.Reason.String())
	if f.Status != 0 {
		e.Int("status", int64(f.Status))
	}
	if f.Err != nil {
		e.Str("error", f.Err.Error())
	}
	e.End()
}

func (t *socketEvents) received(m streamsock.Message) {
	sum := ""
	if t.digest {
		sum = jsontalk.Digest(m.Data)
	}
	if !t.json {
		t.show(m, sum)
		return
	}
	e := t.out.Event("message").Int("peer", int64(m.Peer.ID())).Int("len", int64(len(m.Data)))
	if t.digest {
		e.Digest(sum)
	} else {
		e.Payload(m.Data)
	}
	if m.Kind == streamsock.Text {
		e.Str("kind", "text")
	}
	e.End()
}

// show prints a message when -json is not set.
func (t *socketEvents) show(m streamsock.Message, sum string) {
	line := append(strconv.AppendUint(nil, uint64(m.Peer.ID()), 10), "< "...)
	t.out.Line(appendShown(line, m.Data, t.digest, sum))
}

// appendShown appends the message p in readable form, or with digest its length and SHA-256.
func appendShown(line, p []byte, digest bool, sum string) []byte {
	switch {
	case digest:
		return fmt.Appendf(line, "%d bytes, SHA-256 %s", len(p), sum)
	case printable(p):
		return append(line, p...)
	}
	return strconv.AppendQuote(line, string(p))
}

// printable reports whether b is UTF-8 text without control characters, which can be printed as it is.
func printable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(c rune) bool { return !unicode.IsPrint(c) })
}

// closed writes the closed event.
func (t *socketEvents) closed(undelivered int) {
	if t.json {
		t.out.Event("closed").Int("undelivered", int64(undelivered)).End()
	}
}

// peerLine describes a peer in the peers event.
type peerLine struct {
	Peer          streamsock.ID `json:"peer"`
	Transport     string        `json:"transport"`
	Dialled       bool          `json:"dialled"`
	Received      uint64        `json:"received"`
	Sent          uint64        `json:"sent"`
	ReceivedBytes uint64        `json:"received_bytes"`
	SentBytes     uint64        `json:"sent_bytes"`
	Queued        int           `json:"queued"`
	QueuedBytes   int64         `json:"queued_bytes"`
	Dropped       uint64        `json:"dropped"`
	Connections   uint64        `json:"connections"`
}

// peers answers the peers command with the counters of all peers.
func (t *socketEvents) peers(tag json.RawMessage, all []*streamsock.Peer) {
	lines := []peerLine{}
	for _, p := range all {
		s := p.Stats()
		transport := p.Transport()
		if transport == "" { // not connected yet
			transport, _, _ = strings.Cut(p.URL(), "://")
		}
		lines = append(lines, peerLine{
			p.ID(), transport, p.Dialled(), s.Received, s.Sent, s.ReceivedBytes, s.SentBytes, s.Queued, s.QueuedBytes,
			s.Dropped, s.Connections,
		})
	}
	list, err := json.Marshal(lines)
	if err != nil {
		t.out.Error(tag, err)
		return
	}
	t.out.Event("peers").Raw("tag", tag).Raw("peers", list).End()
	t.out.OK(tag)
}
