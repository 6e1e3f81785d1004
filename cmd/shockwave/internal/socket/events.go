package socket

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/streamsock"
)

// events writes the events of the socket command: lines of JSON on stdout, or without -json lines on stderr.
type events struct {
	jsontalk.Loop
	digest bool // show the SHA-256 of a message in place of it
}

func (t *events) connected(m streamsock.Message) {
	p := m.Peer
	if !t.JSON {
		t.Logf("%d %v: %s %v", p.ID(), m.Kind, p.Transport(), p.RemoteAddr())
		return
	}
	e := t.Out.Event(m.Kind.String()).Int("peer", int64(p.ID())).Str("transport", p.Transport()).
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

func (t *events) disconnected(m streamsock.Message) {
	end := m.End
	if !t.JSON {
		said := ""
		if end.Code != 0 {
			said = fmt.Sprintf(" %d", uint16(end.Code))
		}
		if end.Text != "" {
			said += fmt.Sprintf(" %q", end.Text)
		}
		t.Logf("%d disconnected: %v%s", m.Peer.ID(), end.Reason, said)
		return
	}
	e := t.Out.Event("disconnected").Int("peer", int64(m.Peer.ID())).Str("reason", end.Reason.String())
	if end.Code != 0 {
		e.Int("code", int64(end.Code)).Str("text", end.Text)
	} else if end.Text != "" {
		e.Str("text", end.Text)
	}
	e.Bool("redial", end.Returns).End()
}

func (t *events) refused(f streamsock.Refusal) {
	if !t.JSON {
		t.Logf("refused %v: %v: %v", f.Remote, f.Reason, f.Err)
		return
	}
	e := t.Out.Event("refused").Str("remote", f.Remote.String()).Str("reason", f.Reason.String())
	if f.Status != 0 {
		e.Int("status", int64(f.Status))
	}
	if f.Err != nil {
		e.Str("error", f.Err.Error())
	}
	e.End()
}

func (t *events) received(m streamsock.Message) {
	sum := ""
	if t.digest {
		sum = jsontalk.Digest(m.Data)
	}
	if !t.JSON {
		t.show(m, sum)
		return
	}
	e := t.Out.Event("message").Int("peer", int64(m.Peer.ID())).Int("len", int64(len(m.Data)))
	if t.digest {
		e.Digest(sum)
	} else {
		e.Payload(m.Data)
	}
	if m.Kind == streamsock.KindText {
		e.Str("kind", "text")
	}
	e.End()
}

// show prints a message when -json is not set.
func (t *events) show(m streamsock.Message, sum string) {
	line := append(strconv.AppendUint(nil, uint64(m.Peer.ID()), 10), "< "...)
	t.Out.Line(jsontalk.AppendShown(line, m.Data, t.digest, sum))
}

// closed writes the closed event.
func (t *events) closed(undelivered int) {
	if t.JSON {
		t.Out.Event("closed").Int("undelivered", int64(undelivered)).End()
	}
}

// peerLine describes a peer in the peers event.
type peerLine struct {
	Peer          streamsock.ID `json:"peer"`
	Transport     string        `json:"transport"`
	Dialled       bool          `json:"dialled"`
	Received      int64         `json:"received"`
	Sent          int64         `json:"sent"`
	ReceivedBytes int64         `json:"received_bytes"`
	SentBytes     int64         `json:"sent_bytes"`
	Queued        int64         `json:"queued"`
	QueuedBytes   int64         `json:"queued_bytes"`
	Dropped       int64         `json:"dropped"`
	Connections   int64         `json:"connections"`
}

// peers answers the peers command with the counters of all peers.
func (t *events) peers(tag json.RawMessage, all []*streamsock.Peer) {
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
		t.Out.Error(tag, err)
		return
	}
	t.Out.Event("peers").Raw("tag", tag).Raw("peers", list).End()
	t.Out.OK(tag)
}
