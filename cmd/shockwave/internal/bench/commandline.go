package bench

import (
	"errors"
	"flag"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// runLength is the value of -d. In other programs -d is the request body; the error for a wrong value points that out.
type runLength struct{ cli.Span }

func (d *runLength) Set(s string) error {
	err := d.Span.Set(s)
	if err != nil {
		err = errors.New(err.Error() + "; a body is given with -data TEXT or -body FILE")
	}
	return err
}

// commandLine returns a command line that repeats the run, without secrets.
func commandLine(set *flag.FlagSet, targets []string) string {
	words := []string{"shockwave", "bench"}
	set.Visit(func(f *flag.Flag) {
		if list, ok := f.Value.(interface{ Each() []string }); ok {
			for _, line := range list.Each() {
				words = append(words, "-"+f.Name, quoted(line))
			}
			return
		}
		word := "-" + f.Name
		switch value := f.Value.String(); {
		case isSwitch(f) && value == "true":
			words = append(words, word)
		case isSwitch(f):
			words = append(words, word+"="+value)
		default:
			words = append(words, word, quoted(value))
		}
	})
	for _, s := range targets {
		if u, err := parseTarget(s); err == nil && !strings.HasPrefix(s, "/") {
			s = u.Redacted()
		}
		words = append(words, quoted(s))
	}
	return strings.Join(words, " ")
}

// isSwitch reports whether f is a boolean flag, which needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// quoted returns s quoted for a shell, if necessary.
func quoted(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\"'\\$`&|;<>()*?[]#~!{}") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
