package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Redial is the value of -redial: FIRST,LONGEST. A single time sets FIRST, and raises LONGEST if that would be shorter.
type Redial struct{ First, Longest time.Duration }

// String implements flag.Value.
func (r *Redial) String() string { return fmt.Sprintf("%v,%v", r.First, r.Longest) }

// Set implements flag.Value.
func (r *Redial) Set(s string) error {
	first, longest, two := strings.Cut(s, ",")
	var a, b Span
	if err := a.Set(first); err != nil {
		return err
	}
	if b = max(Span(r.Longest), a); two {
		if err := b.Set(longest); err != nil {
			return err
		}
	}
	if b < a {
		return errors.New("the longest wait is shorter than the first")
	}
	*r = Redial{time.Duration(a), time.Duration(b)}
	return nil
}
