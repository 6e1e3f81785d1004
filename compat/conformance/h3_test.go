package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go/http3"
	"github.com/shockwave-go/shockwave/compat/internal/h3server"
)

const h3CasesDir = casesDir + "/http3"

// Every case of testdata/http3 passes on the echo, with both kinds of handlers. SHOCKWAVE_CONFORMANCE_H3=HOST:PORT runs them
// against any server that echoes.
func TestConformanceHTTP3(t *testing.T) {
	t.Parallel()
	cases := loadTopics(t, h3CasesDir, parseH3Topic)
	if addr := os.Getenv("SHOCKWAVE_CONFORMANCE_H3"); addr != "" {
		playAllH3(t, &target{name: addr, addr: addr, oracle: true}, cases, whole, h3StepsOf)
		return
	}
	skipH3Elsewhere(t)
	if len(cases) < 200 {
		t.Errorf("%d cases", len(cases))
	}
	if testing.Short() {
		cases = sample(cases, 5)
	}
	for name, flags := range map[string][]string{"nethttp": {"-h3"}, "native": {"-h3", "-native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playAllH3(t, startEcho(t, flags...), cases, whole, h3StepsOf)
		})
	}
}

// skipH3Elsewhere skips a test of our own server if the cases are played against another one, or if it is run for the sake of the serve
// loop: HTTP/3 has none.
func skipH3Elsewhere(t *testing.T) {
	t.Helper()
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" || os.Getenv("SHOCKWAVE_CONFORMANCE_H3") != "" {
		t.Skip("the cases are played elsewhere")
	}
	if whole && os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("HTTP/3 is the same on every serve loop")
	}
}

// playAllH3 plays the cases, whose steps are those that stepsOf returns: each in its plain manner and in one that depends on the name
// alone, or in every manner.
func playAllH3(t *testing.T, tg *target, cases []conversation, everyManner bool, stepsOf func(*testing.T, *conversation) []h3Step) {
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			steps := stepsOf(t, &c)
			manners := h3Manners(steps)
			if !everyManner {
				manners = append(manners[:1:1], manners[1+seedOf(c.name())%uint64(len(manners)-1)])
			}
			for _, m := range manners {
				if err := playH3(tg, steps, m, unhurried); err != nil {
					t.Fatalf("%s (%s, %s): %v", m.name, c.rule, c.level, err)
				}
			}
		})
	}
}

// h3Manners are the ways to play a case; the plain one comes first.
func h3Manners(steps []h3Step) []h3Manner {
	all := []h3Manner{
		{name: "in few writes"},
		{name: "a write for each byte", every: true},
		{name: "after another request", between: true},
		{name: "among reserved types", grease: true},
	}
	frames, streams := false, false // of the runner's making; of the script's own
	for i := range steps {
		for j := range steps[i].say {
			frames = frames || !steps[i].say[j].plain
			streams = streams || steps[i].say[j].uni != ""
		}
	}
	if frames {
		all = append(all, h3Manner{name: "with long numbers, compressed", long: true, compress: true},
			h3Manner{name: "compressed, content in pieces", compress: true, pieces: true})
	}
	if !streams {
		all = append(all, h3Manner{name: "before a lower stream", late: true})
		if !mayClose(steps[len(steps)-1].hear) {
			all = append(all, h3Manner{name: "compressed, between others, twice", compress: true, between: true, twice: true})
		}
	}
	return all
}

func h3StepsOf(t *testing.T, c *conversation) []h3Step {
	t.Helper()
	steps, err := parseH3Script(c.script)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// playH3 plays a case in one manner.
func playH3(tg *target, steps []h3Step, m h3Manner, pace h3Pace) error {
	k, err := tg.dialH3(m)
	if err != nil {
		return err
	}
	defer k.close()
	k.pace = pace
	if err := k.play(steps); err != nil {
		return errors.Join(err, k.server.blamed())
	}
	if mayClose(steps[len(steps)-1].hear) && k.c.Context().Err() != nil {
		return k.server.blamed()
	}
	return k.goesOn(!tg.oracle)
}

// play plays a case.
func (k *h3Talk) play(steps []h3Step) error {
	if !opensControl(steps) {
		if err := k.greet(); err != nil {
			return err
		}
	}
	var lower *h3Stream
	var err error
	if k.manner.late {
		if lower, err = k.request(); err != nil {
			return err
		}
	}
	if k.manner.between {
		if err := k.served("/before"); err != nil {
			return fmt.Errorf("a request before: %w", err)
		}
	}
	streams, err := k.open(steps)
	if err != nil {
		return err
	}
	for _, s := range streams {
		k.say(s, &steps[0])
	}
	behind := error(nil)
	if last := steps[len(steps)-1].hear; k.manner.between && !mayClose(last) {
		behind = k.served("/behind")
	}
	for _, s := range streams {
		if err := k.goOn(s, steps); err != nil {
			return err
		}
	}
	if lower != nil && k.c.Context().Err() == nil {
		if err := k.servedOn(lower, "/lower"); err != nil && !mayClose(steps[len(steps)-1].hear) {
			return fmt.Errorf("a stream with a lower number: %w", err)
		}
	}
	return behind
}

// open opens the request streams of a script: none, one or two.
func (k *h3Talk) open(steps []h3Step) ([]*h3Stream, error) {
	asks := false
	for i := range steps {
		asks = asks || steps[i].onRequest()
	}
	if !asks {
		return []*h3Stream{nil}, nil
	}
	streams := make([]*h3Stream, 1, 2)
	if k.manner.twice {
		streams = streams[:2]
	}
	for i := range streams {
		s, err := k.request()
		if err != nil {
			return nil, err
		}
		streams[i] = s
	}
	return streams, nil
}

// opensControl reports whether a script opens the control stream itself.
func opensControl(steps []h3Step) bool {
	for i := range steps {
		for j := range steps[i].say {
			if steps[i].say[j].uni == "control" {
				return true
			}
		}
	}
	return false
}

// goOn plays a case on a stream, where its first step was said.
func (k *h3Talk) goOn(s *h3Stream, steps []h3Step) error {
	heard := 0
	for i := range steps {
		if i > 0 {
			k.say(s, &steps[i])
		}
		var err error
		if heard, err = k.hear(s, heard, steps[i].hear); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if !steps[len(steps)-1].hear[0].wait || s == nil {
		return nil
	}
	if err := k.served("/later"); err != nil {
		return fmt.Errorf("while a message is incomplete: %w", err)
	}
	wide := k.pace
	k.pace.response = 20 * time.Millisecond // whatever was said until now has come
	_ = k.read(s, func() bool { return false })
	k.pace = wide
	if s.heard.ended || s.heard.received > 0 {
		return fmt.Errorf("an incomplete message got a response: %v %s", statuses(s.heard.replies), s.heard.reset)
	}
	return nil
}

// served checks that a plain request gets its response.
func (k *h3Talk) served(path string) error {
	s, err := k.request()
	if err != nil {
		return err
	}
	return k.servedOn(s, path)
}

// servedOn is served on a stream that is open.
func (k *h3Talk) servedOn(s *h3Stream, path string) error {
	steps, err := parseH3Script("R: GET " + path + "\nS: 200 method=GET host=a length=0 target=" + path)
	if err != nil {
		return err
	}
	k.say(s, &steps[0])
	return k.goOn(s, steps)
}

// goesOn checks that the connection can be used, and that the server has broken no rule on streams of its own. With strict it checks
// that what the script has said on a stream that must stay open was read whole: it is the end of that stream, and nothing before it,
// which ends the connection.
func (k *h3Talk) goesOn(strict bool) error {
	if err := k.served("/afterward"); err != nil {
		return fmt.Errorf("afterward: %w", errors.Join(err, k.server.blamed()))
	}
	timer := time.NewTimer(k.pace.end)
	defer timer.Stop()
	select {
	case <-k.server.settled:
	case <-k.server.broken:
	case <-k.c.Context().Done():
	case <-timer.C:
		return errors.Join(errors.New("no SETTINGS come (RFC 9114 §6.2.1)"), k.server.blamed())
	}
	if err := k.server.blamed(); err != nil || k.control == "" || !strict {
		return err
	}
	_ = k.unis[k.control].Close()
	if err := k.closed(nil, []h3Outcome{{closes: []string{"H3_CLOSED_CRITICAL_STREAM"}}}); err != nil {
		return fmt.Errorf("at the end of the %s stream: %w", strings.TrimPrefix(k.control, "reserved "), err)
	}
	return k.server.blamed()
}

// startH3Oracle is startOracle of HTTP/3: quic-go's server.
func startH3Oracle(t *testing.T) *target {
	t.Helper()
	pc, cfg, _ := h3server.ListenUDP(t)
	s := &http3.Server{Handler: http.HandlerFunc(oracleEcho), TLSConfig: cfg}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(pc)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-served
	})
	return &target{name: "quic-go", addr: pc.LocalAddr().String(), oracle: true}
}

// The cases of HTTP/3 agree with quic-go's server, except where they say why not.
func TestConformanceHTTP3Oracle(t *testing.T) {
	skipH3Elsewhere(t)
	tg := startH3Oracle(t)
	for _, c := range loadTopics(t, h3CasesDir, parseH3Topic) {
		if c.differs != "" && !whole {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			pace := unhurried
			if c.differs != "" {
				pace = h3Pace{time.Second, 200 * time.Millisecond}
			}
			err := playH3(tg, h3StepsOf(t, &c), h3Manner{}, pace)
			switch {
			case err != nil && c.differs == "":
				t.Errorf("quic-go: %v", err)
			case err == nil && c.differs != "":
				t.Logf("quic-go agrees now, though: %s", c.differs)
			}
		})
	}
}
