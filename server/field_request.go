package server

import (
	"bytes"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// fill fills in m's request from the head h. end reports that the request has no body.
func (m *fieldMessage) fill(h *http2.Head, end bool) {
	hd := &m.head
	target := h.Path
	if target == "" {
		target = h.Authority // for CONNECT
	}
	method, upgrade := h.Method, asksForWebSocket(h)
	if upgrade {
		method = "GET"
	}
	b := append(append(append(append(m.text[:0], method...), ' '), target...), ' ')
	if h.Authority != "" {
		b = m.addLine(b, "host", h.Authority)
	}
	if h.Protocol != "" && !upgrade {
		b = m.addLine(b, ":protocol", h.Protocol)
	}
	b, expects := m.addFields(b, h.Fields, upgrade)
	if limit := m.srv.cfg.MaxHeadFields; limit > 0 && hd.Header.Len() > limit {
		m.refusal = errHeadSize
	}
	if upgrade {
		b = m.addUpgrade(b)
	}
	m.text = b
	hd.Header.Rebase(b)
	if limit := m.srv.cfg.maxTarget(); limit > 0 && len(target) > limit {
		m.refusal = errTarget
	}
	m.splitHead(h, len(method), len(target))
	length := h.ContentLength
	if end || upgrade {
		length = 0
	}
	m.req.major, m.req.minor, m.req.keepAlive, m.req.upgrade = m.major, 0, true, false
	m.req.begin(hd, length)
	switch {
	case upgrade:
		m.req.major, m.req.minor, m.req.upgrade, m.req.method = 1, 1, true, bodyplan.Upgrade
		return // what the client sends is no body
	case m.req.method == bodyplan.Connect:
		m.req.method = bodyplan.Tunnel
	}
	if !end {
		m.req.body.StartUntilEOF(length)
		m.req.body.initExpect(expects)
		m.req.body.streamTrailer = &m.trailer
	}
}

// addFields appends the lines of a request's fields to b. It reports whether the client waits for 100 Continue.
func (m *fieldMessage) addFields(b []byte, fields []http2.Field, upgrade bool) (_ []byte, expects bool) {
	cookieLines := 0
	for i := range fields {
		f := &fields[i]
		switch len(f.Name) {
		case len("host"):
			if f.Name == "host" {
				continue // fill has added it from h.Authority
			}
		case len("cookie"):
			if f.Name == "cookie" {
				cookieLines++
				continue
			}
			if f.Name == "expect" {
				expects = strings.EqualFold(f.Value, "100-continue")
				if !expects {
					m.refusal = errExpectation
				}
			}
		}
		if upgrade && leftOutOfUpgrade(f.Name) {
			continue
		}
		b = m.addLine(b, f.Name, f.Value)
	}
	if cookieLines > 0 {
		b = m.addCookie(b, fields)
	}
	return b, expects
}

// maxTarget returns the longest allowed target in bytes. A negative number means no limit.
func (cfg *Config) maxTarget() int {
	switch {
	case cfg.MaxTargetBytes != 0:
		return cfg.MaxTargetBytes
	case cfg.MaxHeadBytes < 0:
		return -1
	}
	return max(cfg.MaxHeadBytes/2, 8<<10)
}

// splitHead sets the head's slices to their parts of m.text, which begins with a method and a target of so many bytes.
func (m *fieldMessage) splitHead(h *http2.Head, method, target int) {
	hd, b := &m.head, m.text
	hd.Method, b = b[:method:method], b[method+1:]
	hd.Target = b[:target:target]
	if h.Path != "" {
		hd.Path, hd.Query, hd.HasQuery = bytes.Cut(hd.Target, questionMark)
	}
	hd.Scheme = schemeBytes(h.Scheme)
	if h.Authority != "" {
		_, hd.Host = hd.Header.At(0)
		hd.Authority = hd.Host
	}
}

var questionMark = []byte("?")

// schemeBytes returns s as bytes. It does not allocate for the common schemes.
func schemeBytes(s string) []byte {
	switch s {
	case "http":
		return schemeHTTP
	case "https":
		return schemeHTTPS
	case "":
		return nil
	}
	return []byte(s)
}

var schemeHTTP, schemeHTTPS = []byte("http"), []byte("https")

// addLine appends a line to b, the text of the head, and records it in the header.
func (m *fieldMessage) addLine(b []byte, name, value string) []byte {
	start := uint32(len(b))
	b = append(b, name...)
	colon := uint32(len(b))
	b = append(append(append(b, ": "...), value...), "\r\n"...)
	m.head.Header.Append(shockwave.Line{
		Name: shockwave.Span{Start: start, End: colon}, Value: shockwave.Span{Start: colon + 2, End: uint32(len(b) - 2)},
	})
	return b
}

// addCookie joins the cookie lines, into which clients may split their cookies, to one line (RFC 9113 §8.2.3, RFC 9114 §4.2.1).
func (m *fieldMessage) addCookie(b []byte, fields []http2.Field) []byte {
	start := len(b)
	b = append(b, "cookie: "...)
	value := len(b)
	for i := range fields {
		if f := &fields[i]; f.Name == "cookie" {
			if len(b) > value {
				b = append(b, "; "...)
			}
			b = append(b, f.Value...)
		}
	}
	b = append(b, "\r\n"...)
	m.head.Header.Append(shockwave.Line{
		Name:  shockwave.Span{Start: uint32(start), End: uint32(start + len("cookie"))},
		Value: shockwave.Span{Start: uint32(value), End: uint32(len(b) - 2)},
	})
	return b
}

// fillTrailer stores the request's trailer section. It must not be called once Read has returned io.EOF.
func (m *fieldMessage) fillTrailer(fields []http2.Field) {
	for i := range fields {
		m.trailer.Add(fields[i].Name, fields[i].Value)
	}
}
