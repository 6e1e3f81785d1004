package conformance

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"sync"
	"testing"
	"time"
)

const casesDir = "testdata"

// thorough says that every byte position is tried, over TLS too: SHOCKWAVE_CONFORMANCE_LONG=1.
var thorough = os.Getenv("SHOCKWAVE_CONFORMANCE_LONG") != ""

// whole says that every case is to be played in all its variants, and what waits for the server's limits to be run:
// SHOCKWAVE_CONFORMANCE=whole, as scripts/conformance sets it.
var whole = thorough || os.Getenv("SHOCKWAVE_CONFORMANCE") == "whole"

// Every case of testdata passes on the echo, with both kinds of handlers, with TLS and without.
// SHOCKWAVE_CONFORMANCE_ADDR=HOST:PORT runs them against any server that echoes.
func TestConformance(t *testing.T) {
	t.Parallel()
	cases := loadConversations(t, casesDir)
	if addr := os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR"); addr != "" {
		playAll(t, &target{name: addr, addr: addr}, cases)
		return
	}
	if testing.Short() {
		cases = sample(cases, 5)
	}
	overTLS := 5
	if !whole {
		overTLS = 20
	}
	for name, flags := range map[string][]string{"nethttp": nil, "native": {"-native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playAll(t, startEcho(t, flags...), cases)
		})
		t.Run(name+"-tls", func(t *testing.T) {
			t.Parallel()
			playAll(t, startEcho(t, append(flags, "-tls")...), sample(cases, overTLS))
		})
	}
}

// There are many cases, and each names its RFC.
func TestConformanceCases(t *testing.T) {
	cases := loadConversations(t, casesDir)
	levels, topics := map[string]int{}, map[string]int{}
	for _, c := range cases {
		levels[c.level]++
		topics[c.topic]++
	}
	t.Logf("%d cases: %v; %v", len(cases), levels, topics)
	if len(cases) < 450 || levels["MUST"] < 200 {
		t.Errorf("%d cases, %d of them MUST; want 450 and 200", len(cases), levels["MUST"])
	}
}

// net/http passes each case, except where the case says that net/http differs; such a case is run only to see when that changes.
func TestConformanceOracle(t *testing.T) {
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" {
		t.Skip("the cases are played elsewhere")
	}
	tg := startOracle(t)
	for _, c := range loadConversations(t, casesDir) {
		if c.differs != "" && !whole {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			report, err := playOnce(tg, c.steps, c.steps, pace{hasty: c.differs != "", vain: c.differs != ""})
			switch {
			case err != nil && c.differs == "":
				t.Errorf("net/http: %v\n%s", err, report)
			case err == nil && c.differs != "":
				t.Logf("net/http agrees now, though: %s", c.differs)
			}
		})
	}
}

// sample returns every n-th case, or all in the thorough mode.
func sample(cases []conversation, n int) []conversation {
	if thorough {
		return cases
	}
	var some []conversation
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// playAll plays the cases in all their variants. Afterwards nothing of them is left open.
func playAll(t *testing.T, tg *target, cases []conversation) {
	sockets := openSockets(t, tg)
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				playVariants(t, tg, &c)
			})
		}
	})
	mustLetGo(t, tg, sockets)
}

// playVariants plays a case whole, and then cut into writes, after another request, in front of one, and twice: in all of
// these ways, or else in one of them that depends on the name alone.
func playVariants(t *testing.T, tg *target, c *conversation) {
	try := func(variant string, steps []step, p pace) bool {
		report, err := playOnce(tg, steps, c.steps, p)
		if err != nil {
			t.Errorf("%s (%s, %s): %v\n%s", variant, c.rule, c.level, err, report)
		}
		return err == nil
	}
	if !try("in one write", c.steps, pace{}) {
		return // the variants would fail in the same way
	}
	variants := variantsOf(c, try)
	if !whole {
		variants = variants[seedOf(c.name())%uint64(len(variants)):][:1]
	}
	var all sync.WaitGroup
	for _, play := range variants {
		all.Go(play)
	}
	all.Wait()
}

// variantsOf are the ways to play a case besides in one write. There is always one.
func variantsOf(c *conversation, try func(variant string, steps []step, p pace) bool) (all []func()) {
	add := func(variant string, steps []step, p pace) { all = append(all, func() { try(variant, steps, p) }) }
	if n := len(firstSend(c.steps)); n < 2000 {
		add("a write for each byte", c.steps, pace{every: true})
		for _, at := range cuts(c.name(), n) {
			add(fmt.Sprintf("cut after byte %d", at), c.steps, pace{at: at})
		}
	}
	add("after another request", behindAnother(c.steps), pace{})
	if refused(c.steps) {
		add("in front of another request", inFrontOfAnother(c.steps), pace{})
	}
	if twice := twiceOver(c.steps); twice != nil {
		add("twice", twice, pace{})
	}
	return all
}

// seedOf is a number that depends on the name alone.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// playOnce opens a connection and plays steps on it; the report holds the bytes both ways. original is the case as it
// was written.
func playOnce(tg *target, steps, original []step, p pace) (report string, err error) {
	nc, err := tg.dial()
	if err != nil {
		return "", err
	}
	defer func() { _ = nc.Close() }()
	tk := begin(nc, p)
	if tg.oracle {
		tk.lenientDate, tk.patience, tk.endsWithin = true, unlimited, unlimited
	}
	if p.hasty {
		tk.endsWithin = time.Second
	}
	if p.vain {
		tk.patience = time.Second
	}
	err = tk.play(steps, onlyHTTP10(original))
	if err != nil {
		report = fmt.Sprintf("sent:  %q\nheard: %q", firstBytes(tk.sent.Bytes(), 1500), firstBytes(tk.heard.Bytes(), 1500))
	}
	return report, err
}

// onlyHTTP10 reports whether a case begins with a request of HTTP/1.0.
func onlyHTTP10(steps []step) bool {
	line, _, _ := bytes.Cut(firstSend(steps), []byte("\r\n"))
	return bytes.HasSuffix(line, []byte(" HTTP/1.0"))
}

// cuts returns where a message of n bytes is cut in two: everywhere, or at three places that depend on the name alone.
func cuts(name string, n int) []int {
	if thorough {
		all := make([]int, 0, n)
		for i := 1; i < n; i++ {
			all = append(all, i)
		}
		return all
	}
	if n < 2 {
		return nil
	}
	seed := seedOf(name)
	some := make([]int, 0, 3)
	for range 3 {
		some = append(some, 1+int(seed%uint64(n-1)))
		seed /= 1009
	}
	return some
}
