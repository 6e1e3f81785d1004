package main

import (
	"encoding/json"
	"net"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// event begins an event of the session.
func (m *muxSession) event(name string) *jsontalk.Event {
	return m.run.out.Event(name).Int("session", int64(m.n))
}

// event begins an event of the channel.
func (mc *muxChannel) event(name string) *jsontalk.Event {
	return mc.session.event(name).Str("channel", mc.c.Name())
}

func (r *muxRun) listening(url, sum string) {
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

func (r *muxRun) session(m *muxSession) {
	if !r.opt.json {
		r.logf("session %d: %s, %v", m.n, m.s.ID(), m.s.RemoteAddr())
		return
	}
	m.event("session").Str("id", m.s.ID()).Str("remote", address(m.s.RemoteAddr())).End()
}

// address returns the text of a, or "" if a is nil.
func address(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

func (r *muxRun) tellBroken(m *muxSession, err error) {
	if err == nil {
		err = net.ErrClosed
	}
	if !r.opt.json {
		r.logf("session %d: broken: %v", m.n, err)
		return
	}
	m.event("broken").Str("error", err.Error()).End()
}

func (r *muxRun) tellResumed(m *muxSession, remote net.Addr, outage time.Duration) {
	if !r.opt.json {
		r.logf("session %d: resumed after %v, %v", m.n, outage.Round(time.Millisecond), remote)
		return
	}
	m.event("resumed").Str("remote", address(remote)).Int("outage_ms", outage.Milliseconds()).End()
}

func (r *muxRun) tellOpen(mc *muxChannel) {
	if r.opt.json {
		mc.event("open").Str("by", mc.by.String()).End()
	}
}

func (r *muxRun) tellMessage(mc *muxChannel, p []byte) {
	sum := ""
	if r.opt.digest {
		sum = jsontalk.Digest(p)
	}
	if !r.opt.json {
		r.show(mc, p, sum)
		return
	}
	e := mc.event("message").Int("len", int64(len(p)))
	if r.opt.digest {
		e.Digest(sum)
	} else {
		e.Payload(p)
	}
	e.End()
}

// show prints a message when -json is not set.
func (r *muxRun) show(mc *muxChannel, p []byte, sum string) {
	line := append([]byte(mc.c.Name()), "< "...)
	if !printable(line) {
		line = append(strconv.AppendQuote(nil, mc.c.Name()), "< "...)
	}
	r.out.Line(appendShown(line, p, r.opt.digest, sum))
}

func (r *muxRun) tellAcked(mc *muxChannel, count uint64) {
	if r.opt.json {
		mc.event("acked").Int("count", int64(count)).End()
	}
}

func (r *muxRun) tellEnd(mc *muxChannel) {
	if r.opt.json {
		mc.event("end").End()
	}
}

func (r *muxRun) tellReset(mc *muxChannel, code uint32) {
	if !r.opt.json {
		r.logf("channel %q: reset, code %d", mc.c.Name(), code)
		return
	}
	mc.event("reset").Int("code", int64(code)).End()
}

// tellOver reports the end of a session: a lost event, or a closed event if it ended in an orderly way.
func (r *muxRun) tellOver(m *muxSession, end tcpmux.End) {
	if end.Err == nil {
		r.mu.Lock()
		r.closed++
		r.mu.Unlock()
	}
	switch {
	case !r.opt.json && end.Err != nil:
		r.logf("session %d: lost: %v; %d messages not acknowledged", m.n, end.Err, end.Undelivered)
	case !r.opt.json:
		r.logf("session %d: closed by %v, %d messages not delivered", m.n, end.By, m.undelivered)
	case end.Err != nil:
		if end.Unacked == nil {
			end.Unacked = map[string]uint64{}
		}
		unacked, _ := json.Marshal(end.Unacked)
		m.event("lost").Str("error", end.Err.Error()).Raw("unacked", unacked).End()
	default:
		m.event("closed").Str("by", end.By.String()).Int("undelivered", int64(m.undelivered)).End()
	}
}
