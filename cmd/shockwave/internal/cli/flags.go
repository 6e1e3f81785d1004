package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
)

// Given returns the names of the flags on the command line.
func Given(set *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	set.Visit(func(f *flag.Flag) { names[f.Name] = true })
	return names
}

// attached matches the flags of wrk and hey that have their value attached: -c64, -d10s, -n1000.
var attached = regexp.MustCompile(`^-([cdn])([0-9].*)$`)

// ParseAround parses flags anywhere in args and returns the other arguments.
func ParseAround(set *flag.FlagSet, args []string, con Console) (plain []string, err error) {
	var words []string
	for _, arg := range args {
		if m := attached.FindStringSubmatch(arg); m != nil {
			words = append(words, "-"+m[1], m[2])
			continue
		}
		words = append(words, arg)
	}
	for {
		if err := parseLeading(set, words, con); err != nil {
			return nil, err
		}
		if set.NArg() == 0 {
			return plain, nil
		}
		plain, words = append(plain, set.Arg(0)), set.Args()[1:]
	}
}

// ParseFlags parses args, which must all be flags.
func ParseFlags(set *flag.FlagSet, args []string, con Console) error {
	if err := parseLeading(set, args, con); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return UsageError(fmt.Sprintf("%s: unexpected argument %q", set.Name(), set.Arg(0)))
	}
	return nil
}

// parseLeading parses the flags at the beginning of args. Errors of the flag package are not printed here but by
// ExitCode.
func parseLeading(set *flag.FlagSet, args []string, con Console) error {
	set.SetOutput(io.Discard)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(con.Out)
		fmt.Fprintf(con.Out, "shockwave %s:\n", set.Name())
		set.PrintDefaults()
		return err
	case err != nil:
		return UsageError(fmt.Sprintf("%s: %v", set.Name(), err))
	}
	return nil
}
