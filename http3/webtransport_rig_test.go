package http3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
	"github.com/shockwave-go/shockwave/server"
)

// sessionRig is a server that accepts every session, and passes it to the test.
type sessionRig struct {
	*rig
	sessions chan *webtransport.Session
}

// startSessions serves sessions, at most the given number at once on a connection.
func startSessions(t *testing.T, most int, cfg server.Config, wt webtransport.Config) *sessionRig {
	t.Helper()
	r := &sessionRig{sessions: make(chan *webtransport.Session, 100)}
	cfg.Handler = server.HandlerFunc(func(w *server.ResponseWriter, q *server.Request) {
		switch string(q.Path()) {
		case "/refuse":
			w.Error(404, "no such session")
			return
		case "/x":
			page(w, q)
			return
		}
		s, err := webtransport.Upgrade(w, q, wt)
		if err == nil {
			r.sessions <- s
		} else {
			t.Log(err)
		}
	})
	r.rig = start(t, cfg, http3.Config{WebTransportSessions: most})
	return r
}

// sessionSettings is the control stream of a client that supports sessions.
const sessionSettings = "00 04 02 3301"

// talk is a connection whose client supports sessions.
func (r *sessionRig) talk() *talk {
	r.Helper()
	k := r.mute()
	k.uni(unhex(r, sessionSettings))
	return k
}

// mute is a connection whose client has not sent its settings.
func (r *sessionRig) mute() *talk {
	r.Helper()
	_, pool := certificate()
	c, err := quic.DialAddr(r.Context(), r.addr, clientTLS(pool), &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { c.CloseWithError(0x100, "") })
	return &talk{r.rig, c}
}

// connect is the head of a request that opens a session, with further fields.
func connect(protocol, path, more string) string {
	return "[:method CONNECT|:protocol " + protocol + "|:scheme https|:authority a.test|:path " + path + more + "]"
}

// session opens a session. It returns the stream of its CONNECT, after the response, and the server's end.
func (r *sessionRig) session(k *talk) (*quic.Stream, *webtransport.Session) {
	r.Helper()
	s := k.open(unhex(r, connect("webtransport", "/", "")), false)
	if got := k.status(s); got != "200" {
		r.Fatalf("the response is %s", got)
	}
	return s, wiretest.Within(r, "a session", r.sessions)
}

// status reads the head of a response, and returns its status.
func (k *talk) status(s *quic.Stream) string {
	k.Helper()
	head := k.fields(s)
	status, _, _ := strings.Cut(head, " ")
	if status, ok := strings.CutPrefix(status, ":status="); ok {
		return status
	}
	return head
}

// fields reads the head of a response, and returns its fields without the date, in alphabetical order.
func (k *talk) fields(s *quic.Stream) string {
	k.Helper()
	s.SetReadDeadline(time.Now().Add(10 * time.Second))
	var m h3frame.Message
	m.Reset(1 << 20)
	var in []byte
	for {
		p, _, bad := m.Next(in)
		if bad != nil {
			return bad.Error()
		}
		if p.Kind == h3frame.Section {
			fields, err := new(qpack.Decoder).Decode(p.Bytes, nil)
			if err != nil {
				return err.Error()
			}
			var lines []string
			for _, f := range fields {
				if f.Name != "date" {
					lines = append(lines, f.Name+"="+f.Value)
				}
			}
			slices.Sort(lines)
			return strings.Join(lines, " ")
		}
		b := make([]byte, 1)
		if _, err := io.ReadFull(s, b); err != nil {
			return ending(err)
		}
		in = append(in, b...)
	}
}

// capsules reads the capsules on the stream of a CONNECT, until its end.
func (k *talk) capsules(s *quic.Stream) string {
	s.SetReadDeadline(time.Now().Add(10 * time.Second))
	said := ""
	var in h3frame.Capsules
	for {
		var head [2]byte // of a short DATA frame
		_, err := io.ReadFull(s, head[:])
		if err == io.EOF {
			return said + "end"
		}
		if err != nil {
			return said + ending(err)
		}
		b := make([]byte, head[1])
		if head[0] != 0 || head[1] > 63 {
			return fmt.Sprintf("%sgarbage %x", said, head)
		}
		if _, err := io.ReadFull(s, b); err != nil {
			return said + ending(err)
		}
		if bad := in.Read(b, func(c h3frame.Capsule) {
			switch c.Type {
			case h3frame.CloseSession:
				said += fmt.Sprintf("close %d %q ", c.Code, c.Reason)
			case h3frame.DrainSession:
				said += "drain "
			}
		}); bad != nil {
			return said + bad.Error()
		}
	}
}

// data is a DATA frame with a short payload, in hexadecimal.
func data(t testing.TB, payload string) string {
	return fmt.Sprintf("00 %02x %s ", len(unhex(t, payload)), payload)
}

// all reads a stream, and returns its bytes and how it has ended.
func all(s interface {
	io.Reader
	SetReadDeadline(time.Time) error
}) string {
	s.SetReadDeadline(time.Now().Add(10 * time.Second))
	b, err := io.ReadAll(s)
	if e, ok := errors.AsType[*quic.StreamError](err); ok {
		if app, ok := h3frame.Code(e.ErrorCode).App(); ok {
			return fmt.Sprintf("%s reset %d", b, app)
		}
	}
	if err != nil {
		return string(b) + " " + ending(err)
	}
	return string(b)
}

// whyEnded waits for the end of a session.
func whyEnded(t testing.TB, s *webtransport.Session) string {
	t.Helper()
	wiretest.Within(t, "the session's end", s.Context().Done())
	return context.Cause(s.Context()).Error()
}
