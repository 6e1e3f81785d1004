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

// onMessage handles everything a peer's connection delivers. It is called on the goroutine of the connection. While
// nobody reads stdout it blocks, and nothing more is read from that peer.
func (r *socketRun) onMessage(m streamsock.Message) {
	<-r.opened
	switch m.Kind {
	case streamsock.Connected, streamsock.Reconnected:
		r.addLive(1)
		r.connected(m)
	case streamsock.Disconnected:
		r.disconnected(m)
		r.addLive(-1)
	default:
		if !r.opt.quiet {
			r.received(m)
		}
		if r.opt.echo {
			_ = m.Reply(m.Data) // if the peer is gone its disconnected event says so
		}
	}
}

// addLive adds n to the number of live connections.
func (r *socketRun) addLive(n int) {
	r.mu.Lock()
	r.live += n
	r.ended.Broadcast()
	r.mu.Unlock()
}

func (r *socketRun) listening(url, sum string) {
	switch {
	case r.opt.json:
		e := r.out.Event("listening").Str("url", url)
		if sum != "" {
			e.Str("sha256", sum)
		}
		e.End()
	case sum != "":
		r.logf("listening on %s, certificate SHA-256 %s", url, sum)
	default:
		r.logf("listening on %s", url)
	}
}

func (r *socketRun) connected(m streamsock.Message) {
	p := m.Peer
	r.mu.Lock()
	delete(r.failures, p.ID())
	r.mu.Unlock()
	if !r.opt.json {
		r.logf("%d %v: %s %v", p.ID(), m.Kind, p.Transport(), p.RemoteAddr())
		return
	}
	e := r.out.Event(m.Kind.String()).Int("peer", int64(p.ID())).Str("transport", p.Transport()).
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

func (r *socketRun) disconnected(m streamsock.Message) {
	end := m.End
	if !r.opt.json {
		said := ""
		if end.Code != 0 {
			said = fmt.Sprintf(" %d", uint16(end.Code))
		}
		if end.Text != "" {
			said += fmt.Sprintf(" %q", end.Text)
		}
		r.logf("%d disconnected: %v%s", m.Peer.ID(), end.Reason, said)
		return
	}
	e := r.out.Event("disconnected").Int("peer", int64(m.Peer.ID())).Str("reason", end.Reason.String())
	if end.Code != 0 {
		e.Int("code", int64(end.Code)).Str("text", end.Text)
	} else if end.Text != "" {
		e.Str("text", end.Text)
	}
	e.Bool("redial", end.Returns).End()
}

func (r *socketRun) refused(f streamsock.Refusal) {
	<-r.opened
	if !r.opt.json {
		r.logf("refused %v: %v: %v", f.Remote, f.Reason, f.Err)
		return
	}
	e := r.out.Event("refused").Str("remote", f.Remote.String()).Str("reason", f.Reason.String())
	if f.Status != 0 {
		e.Int("status", int64(f.Status))
	}
	if f.Err != nil {
		e.Str("error", f.Err.Error())
	}
	e.End()
}

// onDialError reports why a peer that is redialled cannot be reached. It prints the same reason only once in a row.
func (r *socketRun) onDialError(p *streamsock.Peer, err error) {
	if r.opt.cfg.RedialFirst < 0 {
		return // peers are dialled once: watch reports the error
	}
	said := err.Error()
	r.mu.Lock()
	known := r.failures[p.ID()] == said
	r.failures[p.ID()] = said
	r.mu.Unlock()
	if !known {
		r.logf("shockwave: peer %d: %s; trying again", p.ID(), said)
	}
}

func (r *socketRun) received(m streamsock.Message) {
	sum := ""
	if r.opt.digest {
		sum = jsontalk.Digest(m.Data)
	}
	if !r.opt.json {
		r.show(m, sum)
		return
	}
	e := r.out.Event("message").Int("peer", int64(m.Peer.ID())).Int("len", int64(len(m.Data)))
	if r.opt.digest {
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
func (r *socketRun) show(m streamsock.Message, sum string) {
	line := append(strconv.AppendUint(nil, uint64(m.Peer.ID()), 10), "< "...)
	r.out.Line(appendShown(line, m.Data, r.opt.digest, sum))
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
func (r *socketRun) closed(undelivered int) {
	if r.opt.json {
		r.out.Event("closed").Int("undelivered", int64(undelivered)).End()
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
func (r *socketRun) peers(tag json.RawMessage) {
	lines := []peerLine{}
	for _, p := range r.allPeers() {
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
		r.out.Error(tag, err)
		return
	}
	r.out.Event("peers").Raw("tag", tag).Raw("peers", list).End()
	r.out.OK(tag)
}
