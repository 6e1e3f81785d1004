package keep

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// message is a request that follows from its number alone: what is sent, and what a handler must see.
type message struct {
	number  int
	method  string
	target  string
	host    string
	fields  [][2]string // in the order of the wire, spelt as sent; framing is not among them
	body    []byte
	chunked bool
	form    bool // the body is a form
	trailer string
}

// messageOf makes message number n.
func messageOf(n int) *message {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	m := &message{number: n, method: "GET", host: fmt.Sprintf("host-%d.test:8080", n%977)}
	m.target = targetOf(n, r, m.host)
	m.fields = fieldsOf(n, r)
	switch n % 8 {
	case 1:
		m.method = "DELETE"
	case 2:
		m.method = fmt.Sprintf("REPORT-%d", n)
	case 3, 4:
		m.method, m.body = "POST", bodyOf(n, r)
	case 5, 6:
		m.method, m.body, m.chunked = "PUT", bodyOf(n, r), true
		if n%3 == 0 {
			m.trailer = fmt.Sprintf("end of %d", n)
		}
	case 7:
		m.method, m.form = "POST", true
		m.body = fmt.Appendf(nil, "id=%d&two=first+%d&two=%%26&text=%s", n, n, strings.Repeat("z", r.IntN(90)))
		m.fields = append(m.fields, [2]string{"content-type", "application/x-www-form-urlencoded"})
	}
	return m
}

// targetOf makes a target: short or long, with or without a query, with escapes, and also in the absolute form.
func targetOf(n int, r *rand.Rand, host string) string {
	t := fmt.Sprintf("/keep/%d", n)
	switch {
	case n%100 == 0:
		t += strings.Repeat(fmt.Sprintf("/segment-%d", n), 100)
	case n%5 == 0:
		t += fmt.Sprintf("/a%%2Fb%%20%d/%%C3%%A9", n)
	default:
		t += strings.Repeat("/x", r.IntN(12))
	}
	if n%3 == 1 {
		t += fmt.Sprintf("?q=%d&q=again&name=a+b&%s", n, strings.Repeat("w", r.IntN(60)))
	}
	if n%11 == 0 {
		return "http://" + host + t
	}
	return t
}

// fieldsOf makes 0 to 20 fields, few more often than many. Ten names are shared by all of them, so some come twice.
func fieldsOf(n int, r *rand.Rand) [][2]string {
	count := r.IntN(21) * r.IntN(21) / 20
	var all [][2]string
	for i := range count {
		name := fmt.Sprintf("X-Field-%d", r.IntN(10))
		switch r.IntN(4) {
		case 0:
			name = strings.ToLower(name)
		case 1:
			name = "x-only-" + strconv.Itoa(n)
		case 2:
			name = []string{"User-Agent", "Accept", "cookie", "If-None-Match"}[r.IntN(4)]
		}
		value := fmt.Sprintf("%d/%d", n, i) + strings.Repeat("v", r.IntN(40))
		if r.IntN(12) == 0 {
			value = ""
		}
		all = append(all, [2]string{name, value})
	}
	return all
}

func bodyOf(n int, r *rand.Rand) []byte {
	size := 1 + r.IntN(300)
	if n%200 == 5 || n%200 == 3 {
		size = 10_000 + r.IntN(10_000)
	}
	unit := fmt.Sprintf("%d.", n)
	return []byte(strings.Repeat(unit, size/len(unit)+1))
}

// wire is the message as it is sent. Where it is cut into chunks follows from its number.
func (m *message) wire() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", m.method, m.target, m.host)
	for _, f := range m.fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f[0], f[1])
	}
	switch {
	case m.chunked:
		b.WriteString("transfer-encoding: chunked\r\n\r\n")
		for rest := m.body; len(rest) > 0; {
			n := min(len(rest), 1+m.number%150)
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		b.WriteString("0\r\n")
		if m.trailer != "" {
			fmt.Fprintf(&b, "x-end: %s\r\n", m.trailer)
		}
		b.WriteString("\r\n")
	case m.body != nil:
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m.body), m.body)
	default:
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// header is what Request.Header must hold.
func (m *message) header() http.Header {
	h := http.Header{}
	for _, f := range m.fields {
		h.Add(f[0], f[1])
	}
	if m.body != nil && !m.chunked {
		h.Set("Content-Length", strconv.Itoa(len(m.body)))
	}
	return h
}

// request is what a handler must see, but for what belongs to the connection.
func (m *message) request() *http.Request {
	r := &http.Request{
		Method: m.method, RequestURI: m.target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Host: m.host, Header: m.header(), ContentLength: int64(len(m.body)),
	}
	r.URL, _ = url.ParseRequestURI(m.target)
	if m.chunked {
		r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	}
	if m.trailer != "" {
		r.Trailer = http.Header{"X-End": {m.trailer}}
	}
	if m.form {
		r.PostForm, _ = url.ParseQuery(string(m.body))
		r.Form, _ = url.ParseQuery(string(m.body) + "&" + r.URL.RawQuery)
	}
	return r
}
