package bodyplan

import (
	"testing"

	"github.com/shockwave-go/shockwave/http1"
)

// Every combination of inputs gives a plan that keeps the rules of RFC 9110 and RFC 9112.
func TestPlansKeepTheRules(t *testing.T) {
	for _, status := range []int{101, 200, 201, 204, 205, 299, 300, 304, 400, 500, 999} {
		for _, minor := range []int{0, 1} {
			for _, m := range []Method{AnyMethod, Head, Connect} {
				for _, known := range []int64{-1, 0, 7} {
					for _, length := range []int64{-1, 0, 9} {
						for w := range IsSpecial << 1 {
							for _, closes := range []bool{false, true} {
								q := Input{status, m, known, Options{length, w}, minor == 0}
								p := q.Decide()
								f := q.Frame(p, !closes)
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

// broken returns the rule that p, framed as f, breaks as a response to q on a connection that ends if closes is true.
func broken(q *Input, p Plan, f Framing, closes bool) string {
	tunnel := q.Status == 101 || q.Method == Connect && q.Status < 300
	switch {
	case (p.Body == NoBody) != (f.Body == http1.NoBody), (p.Body == OfLength) != (f.Body == http1.ByLength):
		return "the framing is the plan's"
	case f.Body == http1.ByChunks && q.IsHTTP10:
		return "RFC 9112 §6.1: no transfer coding to HTTP/1.0"
	case p.Length >= 0 && (q.Status < 200 || q.Status == 204 || tunnel):
		return "RFC 9110 §8.6: no Content-Length"
	case f.Body != http1.NoBody && (q.Method == Head || q.Status == 204 || q.Status == 304 || tunnel):
		return "RFC 9112 §6.3: no body"
	case f.Body == http1.ByLength && p.Length < 0, f.Body == http1.ByChunks && p.Length >= 0:
		return "RFC 9112 §6.2: Content-Length when and only when the body goes by it"
	case f.Body == http1.ByClose && !f.Close:
		return "RFC 9112 §6.3: the connection's end is the body's"
	case f.Body == http1.ByClose && q.Options.Length >= 0,
		f.Body == http1.ByClose && (!q.IsHTTP10 || q.Known >= 0) && !q.Options.Flags.Has(WantsCloseDelimited):
		return "a body goes by the connection's end only if nothing else is left, or the handler wants it"
	case f.Tunnel != tunnel:
		return "RFC 9110 §15.2.2 and §9.3.6: what a tunnel is"
	case !f.Close && (closes || q.Options.Flags.Has(WantsClose)):
		return "a connection that is to end ends"
	case f.Body == http1.ByLength && q.Options.Length >= 0 && p.Length != q.Options.Length:
		return "the handler's length stands"
	case q.Status == 205 && !tunnel && (f.Body != http1.NoBody || p.Length != 0):
		return "RFC 9110 §15.3.6: no content, and a Content-Length that says so"
	case q.Method == Connect && !f.Close:
		return "RFC 9110 §9.3.6: what follows a refused CONNECT may be meant for the tunnel"
	case f.Body == http1.NoBody && q.Method == AnyMethod && q.Status != 204 && q.Status != 205 && q.Status != 304 && !tunnel:
		return "an answer has a body"
	}
	return ""
}
