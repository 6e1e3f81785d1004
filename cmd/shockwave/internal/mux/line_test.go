//go:build unix

package mux

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// 64 channels echo over a line that something else breaks. scripts/muxlines says in SHOCKWAVE_MUX_LINE where the far
// and the near program run, on which address, and for how long.
func TestMuxLine(t *testing.T) {
	line := strings.Split(os.Getenv("SHOCKWAVE_MUX_LINE"), "|")
	if len(line) != 4 {
		t.Skip("scripts/muxlines has not made a line")
	}
	duration, err := time.ParseDuration(line[3])
	if err != nil {
		t.Fatal(err)
	}
	far := runMuxBehind(t, duration, line[0], "-listen", "tcp://"+line[2], "-echo", "-keepalive", "500ms")
	far.sees(`{"event":"listening"}`)
	near := runMuxBehind(t, duration, line[1], "-connect", "tcp://"+line[2], "-keepalive", "500ms")
	near.sees(`{"event":"session"}`)
	const channels = 64
	for c := range channels {
		near.carried(fmt.Sprintf(`{"do":"open","channel":"%d"}`, c))
	}
	rounds := 0
	for end := time.Now().Add(duration); time.Now().Before(end); rounds++ {
		for c := range channels {
			near.Say(fmt.Sprintf(`{"do":"send","channel":"%d","base64":"%s"}`, c, stormMessage(rounds, c)))
		}
		time.Sleep(20 * time.Millisecond)
	}
	for c := range channels {
		near.Say(fmt.Sprintf(`{"do":"send","channel":"%d","text":"last"}`, c))
	}
	for c := range channels {
		near.seesWithin(duration+clitest.Patience, fmt.Sprintf(`{"event":"message","channel":"%d","text":"last"}`, c))
	}
	near.closes()
	far.closes()
	wantStorm(t, near, channels, rounds)
	wantAlternating(t, near)
	t.Logf("%d breaks were resumed, the longest outage was %v ms, %d messages on each of %d channels",
		near.count(`{"event":"resumed"}`), longestOutage(near), rounds+1, channels)
}

// runMuxBehind runs shockwave mux -json by another program, given with its arguments.
func runMuxBehind(t *testing.T, duration time.Duration, before string, args ...string) *muxer {
	t.Helper()
	words := strings.Fields(before)
	own := clitest.ProgramCommand(t, append([]string{"mux", "-json"}, args...)...)
	cmd := exec.Command(words[0], append(words[1:], own.Args...)...)
	cmd.Env = own.Env
	m := &muxer{Script: clitest.RunScript(t, cmd, duration+2*clitest.Patience), used: map[int]bool{}, more: make(chan struct{}), ending: make(chan struct{})}
	go m.listen()
	return m
}
