package cli

import (
	"errors"
	"strings"
)

// Lines is the value of a flag that may be given again; each time adds a line.
type Lines []string

// String implements flag.Value.
func (l *Lines) String() string { return strings.Join(*l, "; ") }

// Set implements flag.Value.
func (l *Lines) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// Each returns the lines.
func (l *Lines) Each() []string { return *l }

// Names is the value of a flag for a comma-separated list. Giving the flag again adds to the list.
type Names []string

// String implements flag.Value.
func (n *Names) String() string { return strings.Join(*n, ",") }

// Set implements flag.Value.
func (n *Names) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("want words with commas between them")
		}
		*n = append(*n, name)
	}
	return nil
}
