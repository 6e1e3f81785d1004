package mux

import (
	"encoding/json"
	"net"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// events writes the events of the mux command: lines of JSON on stdout, or without -json lines on stderr.
type events struct {
	jsontalk.Loop
	digest bool // show the SHA-256 of a message in place of it
}

// place is where a channel is: the number of its session, and its name there.
type place struct {
	session int
	channel string
}

// ofSession begins an event of a session.
func (t *events) ofSession(name string, n int) *jsontalk.Event {
	return t.Out.Event(name).Int("session", int64(n))
}

// ofChannel begins an event of a channel.
func (t *events) ofChannel(name string, at place) *jsontalk.Event {
	return t.ofSession(name, at.session).Str("channel", at.channel)
}

func (t *events) session(n int, s *tcpmux.Session) {
	if !t.JSON {
		t.Logf("session %d: %s, %v", n, s.ID(), s.RemoteAddr())
		return
	}
	t.ofSession("session", n).Str("id", s.ID()).Str("remote", address(s.RemoteAddr())).End()
}

// address returns the text of a, or "" if a is nil.
func address(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

func (t *events) broken(n int, err error) {
	if err == nil {
		err = net.ErrClosed
	}
	if !t.JSON {
		t.Logf("session %d: broken: %v", n, err)
		return
	}
	t.ofSession("broken", n).Str("error", err.Error()).End()
}

func (t *events) resumed(n int, remote net.Addr, outage time.Duration) {
	if !t.JSON {
		t.Logf("session %d: resumed after %v, %v", n, outage.Round(time.Millisecond), remote)
		return
	}
	t.ofSession("resumed", n).Str("remote", address(remote)).Int("outage_ms", outage.Milliseconds()).End()
}

// over reports the end of a session: a lost event, or a closed event if it ended in an orderly way. undelivered counts the
// messages that the peer does not have.
func (t *events) over(n int, end tcpmux.EndError, undelivered uint64) {
	switch {
	case !t.JSON && end.Err != nil:
		t.Logf("session %d: lost: %v; %d messages not acknowledged", n, end.Err, end.Undelivered)
	case !t.JSON:
		t.Logf("session %d: closed by %v, %d messages not delivered", n, end.By, undelivered)
	case end.Err != nil:
		if end.Unacked == nil {
			end.Unacked = map[string]int64{}
		}
		unacked, _ := json.Marshal(end.Unacked)
		t.ofSession("lost", n).Str("error", end.Err.Error()).Raw("unacked", unacked).End()
	default:
		t.ofSession("closed", n).Str("by", end.By.String()).Int("undelivered", int64(undelivered)).End()
	}
}

func (t *events) open(at place, by tcpmux.Side) {
	if t.JSON {
		t.ofChannel("open", at).Str("by", by.String()).End()
	}
}

func (t *events) message(at place, p []byte) {
	sum := ""
	if t.digest {
		sum = jsontalk.Digest(p)
	}
	if !t.JSON {
		t.show(at.channel, p, sum)
		return
	}
	e := t.ofChannel("message", at).Int("len", int64(len(p)))
	if t.digest {
		e.Digest(sum)
	} else {
		e.Payload(p)
	}
	e.End()
}

// show prints a message of a channel when -json is not set.
func (t *events) show(channel string, p []byte, sum string) {
	line := append([]byte(channel), "< "...)
	if !jsontalk.Printable(line) {
		line = append(strconv.AppendQuote(nil, channel), "< "...)
	}
	t.Out.Line(jsontalk.AppendShown(line, p, t.digest, sum))
}

func (t *events) acked(at place, count uint64) {
	if t.JSON {
		t.ofChannel("acked", at).Int("count", int64(count)).End()
	}
}

func (t *events) ended(at place) {
	if t.JSON {
		t.ofChannel("end", at).End()
	}
}

func (t *events) reset(at place, code uint32) {
	if !t.JSON {
		t.Logf("channel %q: reset, code %d", at.channel, code)
		return
	}
	t.ofChannel("reset", at).Int("code", int64(code)).End()
}
