package altsvc_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/altsvc"
)

const day = 24 * time.Hour

// The field Alt-Svc is read as RFC 7838 §3 writes it, and a malformed one is an error.
func TestParse(t *testing.T) {
	for value, want := range map[string][]altsvc.Alternative{
		`h3=":443"`:                          {{Protocol: "h3", Port: 443, MaxAge: day}},
		`h3=":443"; ma=60`:                   {{Protocol: "h3", Port: 443, MaxAge: time.Minute}},
		`h3=":443";ma=60;persist=1`:          {{Protocol: "h3", Port: 443, MaxAge: time.Minute}},
		`h3="Alt.Test:8443" ; MA = 60`:       nil,
		`h3="Alt.Test:8443" ; MA=60`:         {{Protocol: "h3", Host: "alt.test", Port: 8443, MaxAge: time.Minute}},
		`h3="[::1]:1"`:                       {{Protocol: "h3", Host: "[::1]", Port: 1, MaxAge: day}},
		`h3=":443"; ma="60"`:                 {{Protocol: "h3", Port: 443, MaxAge: time.Minute}},
		`h3=":443"; ma=99999999999999999999`: {{Protocol: "h3", Port: 443, MaxAge: 365 * day}},
		`h3=":443"; ma=0`:                    {{Protocol: "h3", Port: 443}},
		`h3=":443"; v="46,\"43"; x=y`:        {{Protocol: "h3", Port: 443, MaxAge: day}},
		`h2=":1", , h3=":2",`:                {{Protocol: "h2", Port: 1, MaxAge: day}, {Protocol: "h3", Port: 2, MaxAge: day}},
		`w%3Dx%3Ay#z=":443"`:                 {{Protocol: "w=x:y#z", Port: 443, MaxAge: day}},
		`h3="\:443"`:                         {{Protocol: "h3", Port: 443, MaxAge: day}},
		``:                                   {},
		`clear, h3=":443"`:                   nil,
		`h3`:                                 nil,
		`h3=443`:                             nil,
		`h3=":443`:                           nil,
		`h3="443"`:                           nil,
		`h3=":0"`:                            nil,
		`h3=":65536"`:                        nil,
		`h3=":+1"`:                           nil,
		`h3=":"`:                             nil,
		`h3="a b:1"`:                         nil,
		`h3="::1:1"`:                         nil,
		`h3="[::1]:2:3"`:                     nil,
		`h3=":443"; ma=-1`:                   nil,
		`h3=":443"; ma=`:                     nil,
		`h3=":443"; ma`:                      nil,
		`h3=":443" ma=1`:                     nil,
		`h%3=":443"`:                         nil,
		`h%zz=":443"`:                        nil,
		`=":443"`:                            nil,
	} {
		got, clear, err := altsvc.Parse(value)
		if (err != nil) != (want == nil) || clear || len(want) > 0 && !reflect.DeepEqual(got, want) || len(got) != len(want) {
			t.Errorf("%s: %+v, %v, %v", value, got, clear, err)
		}
	}
	if got, clear, err := altsvc.Parse("clear"); got != nil || !clear || err != nil {
		t.Errorf("clear: %v, %v, %v", got, clear, err)
	}
}

// What Parse returns can be written and parsed again with the same result.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`h3=":443"; ma=60, h2="a.test:1"`, "clear", `w%3Dx=":1"; v="\""`, `h3="[::1]:2"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		alts, clear, err := altsvc.Parse(value)
		if err != nil && (alts != nil || clear) {
			t.Fatalf("%+v beside an error", alts)
		}
		var again []string
		for _, a := range alts {
			if a.Port == 0 || a.MaxAge < 0 || a.MaxAge > 365*day {
				t.Fatalf("%+v", a)
			}
			id := ""
			for _, c := range []byte(a.Protocol) {
				id += fmt.Sprintf("%%%02x", c)
			}
			again = append(again, fmt.Sprintf(`%s="%s:%d"; ma=%d`, id, a.Host, a.Port, int(a.MaxAge/time.Second)))
		}
		if len(alts) > 0 {
			if got, _, err := altsvc.Parse(strings.Join(again, ",")); err != nil || !reflect.DeepEqual(got, alts) {
				t.Fatalf("%+v became %+v, %v", alts, got, err)
			}
		}
	})
}

// clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

const origin = "a.test:443"

func found(t *testing.T, c *altsvc.Cache, wantAddr string, wantKnown bool) {
	t.Helper()
	if addr, known := c.Find(origin); addr != wantAddr || known != wantKnown {
		t.Errorf("%q, %v; want %q, %v", addr, known, wantAddr, wantKnown)
	}
}

// The last Alt-Svc field of a server counts, for as long as it says.
func TestLearn(t *testing.T) {
	k := &clock{time.Unix(1e9, 0)}
	c := altsvc.NewCache("h3", k.now)
	found(t, c, "", false)
	c.Learn(origin, `h2=":1", h3=":2"; ma=60, h3=":3"`)
	found(t, c, "a.test:2", true)
	k.pass(time.Minute - 1)
	found(t, c, "a.test:2", true)
	k.pass(1)
	found(t, c, "", false)
	for value, addr := range map[string]string{`h3="b.test:4"`: "b.test:4", `h3="[::1]:5"`: "[::1]:5", `h3=":6`: "a.test:2", ``: "a.test:2", `h2=":1"`: "", `clear`: ""} {
		c.Learn(origin, `h3=":2"`)
		c.Learn(origin, value)
		found(t, c, addr, addr != "")
	}
	c.Learn("no port", `h3=":2"`)
	if _, known := c.Find("no port"); known {
		t.Error("an origin without port is known")
	}
}

// An alternative that fails is not used for a time that doubles with each failure, until it works.
func TestRests(t *testing.T) {
	k := &clock{time.Unix(1e9, 0)}
	c := altsvc.NewCache("h3", k.now)
	c.Failed(origin, "a.test:2")
	c.Add(origin, "a.test:2", 365*day)
	c.Failed(origin, "another:1")
	found(t, c, "a.test:2", true)
	for _, rest := range []time.Duration{1, 2, 4, 8} {
		c.Failed(origin, "a.test:2")
		c.Failed(origin, "a.test:2") // a request that had begun before
		found(t, c, "", true)
		k.pass(rest*time.Minute - 1)
		found(t, c, "", true)
		k.pass(1)
		found(t, c, "a.test:2", true)
	}
	for range 20 {
		c.Failed(origin, "a.test:2")
		k.pass(day)
		found(t, c, "a.test:2", true)
	}
	c.Worked(origin, "a.test:2")
	c.Failed(origin, "a.test:2")
	c.Learn(origin, `h3=":2"`) // nothing new
	found(t, c, "", true)
	k.pass(time.Minute)
	found(t, c, "a.test:2", true)
	c.Failed(origin, "a.test:2")
	c.Learn(origin, `h3=":3"`)
	found(t, c, "a.test:3", true)
}

// The memory for origins is bounded, and expired ones are dropped first.
func TestManyOrigins(t *testing.T) {
	k := &clock{time.Unix(1e9, 0)}
	c := altsvc.NewCache("h3", k.now)
	c.Add(origin, "a.test:2", day)
	for i := range 4095 {
		c.Add(fmt.Sprint(i, ":443"), "x:1", time.Minute)
	}
	k.pass(time.Hour)
	c.Add("one more:443", "x:1", day)
	found(t, c, "a.test:2", true)
	for i := range 10_000 {
		c.Add(fmt.Sprint(i, ":443"), "x:1", day)
	}
	n := 0
	for i := range 10_000 {
		if _, known := c.Find(fmt.Sprint(i, ":443")); known {
			n++
		}
	}
	if n > 4096 || n < 4000 {
		t.Errorf("%d are known", n)
	}
}

// A Cache may be used by several goroutines at once.
func TestConcurrentUse(t *testing.T) {
	c := altsvc.NewCache("h3", time.Now)
	var all sync.WaitGroup
	for _, use := range []func(at string){
		func(at string) { c.Learn(at, `h3=":2"`) },
		func(at string) { c.Failed(at, "a.test:2") },
		func(at string) { c.Worked(at, "a.test:2") },
		func(at string) { c.Find(at) },
		c.Forget,
	} {
		all.Go(func() {
			for i := range 500 {
				use([]string{origin, "b.test:443"}[i%2])
			}
		})
	}
	all.Wait()
}
