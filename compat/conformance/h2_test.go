package conformance

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

const h2CasesDir = casesDir + "/http2"

// Every case of testdata/http2 passes on the echo, with both kinds of handlers, with prior knowledge (RFC 9113 §3.3)
// and TLS.
func TestConformanceHTTP2(t *testing.T) {
	t.Parallel()
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" {
		t.Skip("the cases are played elsewhere, over HTTP/1.1")
	}
	cases := loadTopics(t, h2CasesDir, parseH2Topic)
	if len(cases) < 450 {
		t.Errorf("%d cases", len(cases))
	}
	if testing.Short() {
		cases = sample(cases, 5)
	}
	overTLS := cases
	if !whole {
		overTLS = sample(cases, 5)
	}
	for name, flags := range map[string][]string{"nethttp": nil, "native": {"-native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playAllH2(t, startEcho(t, flags...), cases)
		})
		t.Run(name+"-tls", func(t *testing.T) {
			t.Parallel()
			playAllH2(t, startEcho(t, append(flags, "-tls")...), overTLS)
		})
	}
}

// playAllH2 plays the cases in all manners. Afterwards nothing of them is left open.
func playAllH2(t *testing.T, tg *target, cases []conversation) {
	sockets := openSockets(t, tg)
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				playManners(t, tg, &c)
			})
		}
	})
	mustLetGo(t, tg, sockets)
}

// playManners plays a case whole, and then in all manners, or else in one of them that depends on the name alone.
func playManners(t *testing.T, tg *target, c *conversation) {
	manners := h2Manners(c.name())
	if !whole {
		manners = append(manners[:1:1], manners[1+seedOf(c.name())%uint64(len(manners)-1)])
	}
	for _, m := range manners {
		report, err := playH2(tg, h2StepsOf(t, c), m)
		if err != nil {
			t.Fatalf("%s (%s, %s): %v\nheard:\n%s", m.name, c.rule, c.level, err, report)
		}
	}
}

// h2Manners are the ways to play a case; the plain one comes first.
func h2Manners(name string) []h2Manner {
	return []h2Manner{
		{name: "in one write"},
		{name: "a write for each byte", every: true},
		{name: "in CONTINUATION frames", cut: 1 + int(seedOf(name)%40)},
		{name: "compressed, twice", compress: true, twice: true},
		{name: "padded", padded: true},
		{name: "between others", between: true},
		{name: "compressed, between others", compress: true, between: true, twice: true},
	}
}

func h2StepsOf(t *testing.T, c *conversation) []h2Step {
	t.Helper()
	steps, err := parseH2Script(c.script)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// startH2Oracle is startOracle of HTTP/2.
func startH2Oracle(t *testing.T) *target {
	t.Helper()
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return startOracleWith(t, p)
}

// The cases of HTTP/2 agree with net/http, except where they say why not.
func TestConformanceHTTP2Oracle(t *testing.T) {
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" {
		t.Skip("the cases are played elsewhere")
	}
	tg := startH2Oracle(t)
	for _, c := range loadTopics(t, h2CasesDir, parseH2Topic) {
		if c.differs != "" && !whole {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			report, err := playH2(tg, h2StepsOf(t, &c), h2Manner{})
			switch {
			case err != nil && c.differs == "":
				t.Errorf("net/http: %v\nheard:\n%s", err, report)
			case err == nil && c.differs != "":
				t.Logf("net/http agrees now, though: %s", c.differs)
			}
		})
	}
}

// The runner fails on wrong expectations. The first of each pair is right; "|" separates complaints of which one is
// enough.
func TestConformanceHTTP2Runner(t *testing.T) {
	tg := startH2Oracle(t)
	for _, tc := range []struct{ script, complaint string }{
		{"R: GET /a\nS: 200 target=/a host=a length=0", ""},
		{"R: GET /a\nS: 404", "status 200, want 404"},
		{"R: GET /a\nS: 200 target=/b", "target"},
		{"R: GET /a\nS: RST_STREAM PROTOCOL_ERROR", `after responses [200], want "PROTOCOL_ERROR"`},
		{"R: GET /a\nS: wait", "an incomplete message got a response"},
		{"R: GET /a\nS: 100", "status 200, want 100"},
		{"R: GET /a\nF: X=1\nS: RST_STREAM PROTOCOL_ERROR", ""},
		{"R: GET /a\nF: X=1\nS: 200", `reset "PROTOCOL_ERROR" after responses [], want ""`},
		{"R: GET /a\nF: X=1\nS: RST_STREAM CANCEL", `want "CANCEL"`},
		{"R: GET /a\nF: X=1\nS: wait", "an incomplete message got a response"},
		{"R: POST /\nD: ab\nO:\nS: wait\nD: c\nS: 200 body=abc", ""},
		{"R: POST /\nD: ab\nS: wait\nD: c\nS: 200 body=abc", "STREAM_CLOSED | body: got"}, // the response may have come before
		{"R: POST /\nF: 3* x-probe=1\nD: a\nT: x=y\nS: 200 probe=\"1, 1, 1\" body=a", ""},
		{"R: HEAD /plaintext\nS: 200 head bytes=0", ""},
		{"R: GET /plaintext\nS: 200 head", "200 with 13 bytes"},
		{"R: GET /a\nS: 404 | RST_STREAM CANCEL | 200", ""},
	} {
		t.Run(tc.script, func(t *testing.T) {
			t.Parallel()
			for _, m := range h2Manners(tc.script) {
				_, err := playH2(tg, h2StepsOf(t, &conversation{script: tc.script}), m)
				for tries := 1; err == nil && strings.HasSuffix(tc.script, "wait") && tries < 50; tries++ { // responses overtake each other
					_, err = playH2(tg, h2StepsOf(t, &conversation{script: tc.script}), m)
				}
				said := func(complaint string) bool { return strings.Contains(err.Error(), complaint) }
				if (err == nil) != (tc.complaint == "") || err != nil && !slices.ContainsFunc(strings.Split(tc.complaint, " | "), said) {
					t.Errorf("%s: the complaint is %v, want %q", m.name, err, tc.complaint)
				}
			}
		})
	}
	for _, script := range []string{"", "R: GET /", "S: 200 keep", "R: GET /\nS: keep", "R: GET /\nS: RST_STREAM NONSENSE", "R: GET /\nS: close",
		"X: 1\nS: 200", "F: a=b\nS: 200", "R: GET /\nF: a\nS: 200", "R: GET /\nD: {fin}\nS: 200", "R: GET /\nnothing\nS: 200"} {
		if steps, err := parseH2Script(script); err == nil {
			t.Errorf("%q is taken for %d steps", script, len(steps))
		}
	}
}
