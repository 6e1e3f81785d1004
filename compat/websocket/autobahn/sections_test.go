package autobahn

import (
	"flag"
	"slices"
	"strings"
)

// section is a part of the suite, with the number of its cases.
type section struct {
	number string
	cases  int  // 0: not known
	long   bool // takes minutes
}

var suite = []section{
	{"1", 16, false},  // framing
	{"2", 11, false},  // pings and pongs
	{"3", 7, false},   // reserved bits
	{"4", 10, false},  // opcodes
	{"5", 20, false},  // fragmentation
	{"6", 145, false}, // UTF-8
	{"7", 37, false},  // closing
	{"9", 54, true},   // large messages, and many
	{"10", 1, false},  // automatic fragmentation
	{"12", 90, true},  // compression
	{"13", 126, true}, // compression with parameters
}

var sections = flag.String("sections", "", `sections to play, such as "6,7.1", or "all"; by default those that take seconds`)

// chosen returns the sections that are to be played.
func chosen() (some []section) {
	if *sections == "" || *sections == "all" {
		return slices.DeleteFunc(slices.Clone(suite), func(s section) bool { return s.long && *sections != "all" })
	}
	for number := range strings.SplitSeq(*sections, ",") {
		s := section{number: number}
		if i := slices.IndexFunc(suite, func(s section) bool { return s.number == number }); i >= 0 {
			s = suite[i]
		}
		some = append(some, s)
	}
	return some
}
