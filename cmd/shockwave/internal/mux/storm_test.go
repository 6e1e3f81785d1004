//go:build unix

package mux

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// storms is how many times TestMuxStorm breaks the connection: SHOCKWAVE_STORM, or a few.
func storms(t *testing.T) int {
	n := 30
	if s := os.Getenv("SHOCKWAVE_STORM"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// While their connection is broken again and again, the messages of 64 channels come back once, whole, and in order.
func TestMuxStorm(t *testing.T) {
	cuts, channels := storms(t), 64
	far := runMux(t, "-listen", "tcp://127.0.0.1:0", "-echo", "-keepalive", "1s")
	proxy := breaks.New(t, strings.TrimPrefix(far.sees(`{"event":"listening"}`)["url"].(string), "tcp://"))
	near := runMux(t, "-connect", "tcp://"+proxy.Addr(), "-keepalive", "1s", "-redial", "5ms,20ms")
	for _, m := range []*muxer{far, near} {
		m.Stuck.Reset(2*clitest.Patience + time.Duration(cuts)*200*time.Millisecond)
	}
	near.sees(`{"event":"session"}`)
	for c := range channels {
		near.carried(fmt.Sprintf(`{"do":"open","channel":"%d"}`, c))
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		dice := rand.New(rand.NewPCG(1, 2))
		for done := 0; done < cuts; {
			done += breakOnce(proxy, dice)
		}
		proxy.CutAfter(0)
	}()
	rounds := 0
	for ending := false; !ending; rounds++ {
		select {
		case <-over:
			ending = true
		case <-time.After(5 * time.Millisecond):
		}
		for c := range channels {
			near.Say(fmt.Sprintf(`{"do":"send","channel":"%d","base64":"%s"}`, c, stormMessage(rounds, c)))
		}
	}
	last := time.Now()
	for c := range channels {
		near.Say(fmt.Sprintf(`{"do":"send","channel":"%d","text":"last"}`, c))
	}
	for c := range channels {
		near.sees(fmt.Sprintf(`{"event":"message","channel":"%d","text":"last"}`, c), fmt.Sprintf(`{"event":"acked","channel":"%d","count":%d}`, c, rounds+1))
	}
	t.Logf("%d breaks were resumed, %d messages on each of %d channels; the longest outage was %v ms, the last ones took %v",
		near.count(`{"event":"resumed"}`), rounds+1, channels, longestOutage(near), time.Since(last).Round(time.Millisecond))
	near.closes()
	far.closes()
	wantStorm(t, near, channels, rounds)
	wantAlternating(t, near)
	wantAlternating(t, far)
}

// longestOutage is that of the resumptions that were told, in milliseconds.
func longestOutage(m *muxer) (longest float64) {
	for _, e := range m.told() {
		if ms, ok := e["outage_ms"].(float64); ok {
			longest = max(longest, ms)
		}
	}
	return longest
}

// breakOnce breaks the connection, if there is one, in one of the ways there are, and tells how often.
func breakOnce(p *breaks.Proxy, dice *rand.Rand) int {
	time.Sleep(time.Duration(dice.IntN(20)) * time.Millisecond)
	switch dice.IntN(5) {
	case 0:
		return p.Cut(breaks.End)
	case 1:
		return p.Cut(breaks.Ghost)
	case 2:
		p.CutAfter(int64(1 + dice.IntN(20_000)))
		defer p.CutAfter(0)
		n := p.Cut(breaks.Reset)
		time.Sleep(10 * time.Millisecond)
		return n
	case 3:
		p.Exorcise()
	}
	return p.Cut(breaks.Reset)
}

// stormMessage is a message in base64: sizes from 3 bytes to some KiB.
func stormMessage(round, channel int) string {
	return strings.Repeat(fmt.Sprintf("%04d", round%10_000), 1+(round*7+channel)%50*(round%20))
}

// wantStorm wants the messages of every channel, each once and in order.
func wantStorm(t *testing.T, m *muxer, channels, rounds int) {
	t.Helper()
	next := make([]int, channels)
	for _, e := range m.told() {
		if e["event"] != "message" {
			continue
		}
		c, _ := strconv.Atoi(e["channel"].(string))
		want := float64(len(stormMessage(next[c], c)) / 4 * 3)
		if next[c] == rounds {
			want = 4
		}
		if e["len"] != want {
			t.Fatalf("channel %d: message %d has %v bytes, want %v", c, next[c], e["len"], want)
		}
		if got, _ := e["base64"].(string); got != "" && next[c] < rounds && got != stormMessage(next[c], c) {
			t.Fatalf("channel %d: message %d is another", c, next[c])
		}
		next[c]++
	}
	for c, n := range next {
		if n != rounds+1 {
			t.Errorf("channel %d: %d messages came back, want %d", c, n, rounds+1)
		}
	}
}
