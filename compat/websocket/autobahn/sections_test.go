package autobahn

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

// section is a part of the suite, or a single case, with the number of its cases.
type section struct {
	number string
	cases  int // 0: not known
}

// has reports whether a case, or another section, is within s.
func (s section) has(number string) bool {
	return number == s.number || strings.HasPrefix(number, s.number+".")
}

// pattern is how the suite is told of it.
func (s section) pattern() string {
	if strings.Count(s.number, ".") == 2 {
		return s.number
	}
	return s.number + ".*"
}

// quick are the sections that take seconds, and are played in one run.
var quick = []section{
	{"1", 16},  // framing
	{"2", 11},  // pings and pongs
	{"3", 7},   // reserved bits
	{"4", 10},  // opcodes
	{"5", 20},  // fragmentation
	{"6", 145}, // UTF-8
	{"7", 37},  // closing
	{"10", 1},  // automatic fragmentation
}

// long are the sections that take minutes. Each is played in a run of its own.
var long = []section{
	{"9.1", 6}, {"9.2", 6}, // large messages
	{"9.3", 9}, {"9.4", 9}, // in fragments
	{"9.5", 6}, {"9.6", 6}, // in chops
	{"9.7", 6}, {"9.8", 6}, // many messages
	{"12.1", 18}, {"12.2", 18}, {"12.3", 18}, {"12.4", 18}, {"12.5", 18}, // compression
	{"13.1", 18}, {"13.2", 18}, {"13.3", 18}, {"13.4", 18}, {"13.5", 18}, {"13.6", 18}, {"13.7", 18}, // with parameters
}

var sections = flag.String("sections", "", `sections to play, such as "6,9.1", or "all"; by default those that take seconds`)

// act is what is played in one run of the suite.
type act struct {
	name     string
	sections []section
}

// acts returns what is to be played.
func acts(wanted string) []act {
	once := act{"quick", nil}
	var split []section
	switch wanted {
	case "":
		once.sections = quick
	case "all":
		once.sections, split = quick, long
	default:
		once.name = strings.ReplaceAll(wanted, ",", "+")
		for number := range strings.SplitSeq(wanted, ",") {
			within := func(s section) bool { return section{number: number}.has(s.number) }
			switch i := slices.IndexFunc(quick, within); {
			case i >= 0:
				once.sections = append(once.sections, quick[i])
			case slices.ContainsFunc(long, within):
				split = append(split, slices.DeleteFunc(slices.Clone(long), func(s section) bool { return !within(s) })...)
			default:
				once.sections = append(once.sections, section{number: number})
			}
		}
	}
	var all []act
	if len(once.sections) > 0 {
		all = append(all, once)
	}
	for _, s := range split {
		all = append(all, act{s.number, []section{s}})
	}
	return all
}

// each plays every act as a subtest.
func each(t *testing.T, play func(t *testing.T, wanted []section)) {
	for _, a := range acts(*sections) {
		t.Run(a.name, func(t *testing.T) { play(t, a.sections) })
	}
}

// A list of sections is split into runs, sections that take minutes run by themselves, and "all" has every case once.
func TestActs(t *testing.T) {
	for wanted, want := range map[string]string{
		"":         "quick: 1 2 3 4 5 6 7 10; ",
		"6,7.1":    "6+7.1: 6 7.1; ",
		"9.1,13.7": "9.1: 9.1; 13.7: 13.7; ",
		"9.1.1":    "9.1.1: 9.1.1; ",
		"6,12,1":   "6+12+1: 6 1; 12.1: 12.1; 12.2: 12.2; 12.3: 12.3; 12.4: 12.4; 12.5: 12.5; ",
		"9.1.1,99": "9.1.1+99: 9.1.1 99; ",
	} {
		got := ""
		for _, a := range acts(wanted) {
			got += a.name + ":"
			for _, s := range a.sections {
				got += " " + s.number
			}
			got += "; "
		}
		if got != want {
			t.Errorf("%q: %s, want %s", wanted, got, want)
		}
	}
	cases := 0
	for _, a := range acts("all") {
		for _, s := range a.sections {
			cases += s.cases
		}
	}
	if cases != 517 {
		t.Errorf("all are %d cases, want 517", cases)
	}
}
