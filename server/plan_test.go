package server

import (
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
)

// TestPlansKeepTheRules asks every question there is and holds the plan against what the RFCs forbid and demand.
func TestPlansKeepTheRules(t *testing.T) {
	for _, status := range []int{101, 200, 201, 204, 205, 299, 300, 304, 400, 500, 999} {
		for _, minor := range []int{0, 1} {
			for _, m := range []method{anyMethod, isHead, isConnect} {
				for _, known := range []int64{-1, 0, 7} {
					for _, length := range []int64{-1, 0, 9} {
						for w := range isSpecial << 1 {
							for _, closes := range []bool{false, true} {
								q := planInput{status, m, known, headerOptions{length, w}, minor == 0}
								p := q.decide()
								f := q.frame(p, !closes)
								if rule := broken(&q, p, f, closes); rule != "" {
									t.Errorf("%+v makes %+v, %+v, against %s", q, p, f, rule)
								}
							}
						}
					}
				}
			}
		}
	}
}

// broken returns the rule that p, framed as f, breaks as an answer to q on a connection that is to end if closes.
func broken(q *planInput, p plan, f framing, closes bool) string {
	tunnel := q.status == 101 || q.method == isConnect && q.status < 300
	switch {
	case (p.body == noBody) != (f.body == http1.NoBody), (p.body == ofLength) != (f.body == http1.ByLength):
		return "the framing is the plan's"
	case f.body == http1.ByChunks && q.isHTTP10:
		return "RFC 9112 §6.1: no transfer coding to HTTP/1.0"
	case p.length >= 0 && (q.status < 200 || q.status == 204 || tunnel):
		return "RFC 9110 §8.6: no Content-Length"
	case f.body != http1.NoBody && (q.method == isHead || q.status == 204 || q.status == 304 || tunnel):
		return "RFC 9112 §6.3: no body"
	case f.body == http1.ByLength && p.length < 0, f.body == http1.ByChunks && p.length >= 0:
		return "RFC 9112 §6.2: Content-Length when and only when the body goes by it"
	case f.body == http1.ByClose && !f.close:
		return "RFC 9112 §6.3: the connection's end is the body's"
	case f.body == http1.ByClose && q.options.length >= 0,
		f.body == http1.ByClose && (!q.isHTTP10 || q.known >= 0) && !q.options.flags.has(wantsCloseDelimited):
		return "a body goes by the connection's end only if nothing else is left, or the handler wants it"
	case f.tunnel != tunnel:
		return "RFC 9110 §15.2.2 and §9.3.6: what a tunnel is"
	case !f.close && (closes || q.options.flags.has(wantsClose)):
		return "a connection that is to end ends"
	case f.body == http1.ByLength && q.options.length >= 0 && p.length != q.options.length:
		return "the handler's length stands"
	case q.status == 205 && !tunnel && (f.body != http1.NoBody || p.length != 0):
		return "RFC 9110 §15.3.6: no content, and a Content-Length that says so"
	case q.method == isConnect && !f.close:
		return "RFC 9110 §9.3.6: what follows a refused CONNECT may be meant for the tunnel"
	case f.body == http1.NoBody && q.method == anyMethod && q.status != 204 && q.status != 205 && q.status != 304 && !tunnel:
		return "an answer has a body"
	}
	return ""
}

func TestDeclaredLength(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   int64
	}{
		{nil, -1},
		{[]string{"0"}, 0},
		{[]string{"12"}, 12},
		{[]string{"12", "12"}, 12},
		{[]string{"12", "13"}, -1},
		{[]string{"0", "12"}, -1},
		{[]string{"12", "x"}, -1},
		{[]string{"9223372036854775807"}, math.MaxInt64},
		{[]string{"9223372036854775808"}, -1},
		{[]string{"9999999999999999999"}, -1},
		{[]string{"99999999999999999999999999"}, -1},
		{[]string{"00000000000000000000000012"}, 12},
		{[]string{""}, -1},
		{[]string{"+1"}, -1},
		{[]string{"-1"}, -1},
		{[]string{" 1"}, -1},
		{[]string{"1, 1"}, -1},
		{[]string{"0x1"}, -1},
	} {
		w := &ResponseWriter{setLength: -1}
		h := w.Header()
		h.Add("X-Length", "77")
		for _, v := range c.values {
			h.Add("content-LENGTH", v)
		}
		if got := w.declaredLength(); got != c.want {
			t.Errorf("%q before the commit: %d, want %d", c.values, got, c.want)
		}
		if got := readFields(h, w.setLength).length; got != c.want {
			t.Errorf("%q at the commit: %d, want %d", c.values, got, c.want)
		}
		w.SetContentLength(5)
		if before, at := w.declaredLength(), readFields(h, w.setLength); before != 5 || at.length != 5 || at.flags.has(badLength) {
			t.Errorf("%q beside SetContentLength: %d before the commit, %+v at it", c.values, before, at)
		}
	}
}

func TestConnectionOptions(t *testing.T) {
	for value, want := range map[string][2]bool{
		"":                     {false, false},
		"close":                {true, false},
		"Close":                {true, false},
		"keep-alive":           {false, false},
		"Keep-Alive, CLOSE":    {true, false},
		" , close ,":           {true, false},
		"upgrade":              {false, true},
		"x-hop\t,close, other": {true, true},
		"closed":               {false, true},
		"close d":              {false, true},
	} {
		if closes, others := connectionOptions([]byte(value)); closes != want[0] || others != want[1] {
			t.Errorf("%q: %v %v, want %v", value, closes, others, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for i, k := range kinds {
		if k.name != "" && (len(k.name) != i || kindOf([]byte(k.name)) != k.kind) {
			t.Errorf("%q does not stand where its length says", k.name)
		}
	}
	for _, name := range []string{"", "x", "dat", "daté", "content\rtype", "Content_Length", "transfer-encodings", "connection-header-with-a-long-name"} {
		if kindOf([]byte(name)) != ordinary {
			t.Errorf("%q is not ordinary", name)
		}
	}
	if kindOf([]byte("Transfer-ENCODING")) != transferEncoding {
		t.Error("case matters")
	}
}
