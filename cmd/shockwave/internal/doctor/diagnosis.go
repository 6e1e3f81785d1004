package doctor

import (
	"bytes"
	"fmt"
	"io"
)

// verdict says whether a value is enough.
type verdict string

const (
	isOK      verdict = "ok"
	isLow     verdict = "low"
	isUnknown verdict = "unknown" // the value cannot be read or judged
)

// diagnosis is the result of one check. What is ok has no reason, and only what is low has a fix.
type diagnosis struct {
	Name    string  `json:"name"`
	Value   string  `json:"value"` // empty: it cannot be read
	Verdict verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	Fix     string  `json:"fix"` // empty: no command mends it
}

func enough(value string) diagnosis { return diagnosis{Value: value, Verdict: isOK} }

func tooLow(value, reason, fix string) diagnosis {
	return diagnosis{Value: value, Verdict: isLow, Reason: reason, Fix: fix}
}

// unjudged is the result for a value that err keeps from being read, or from being judged.
func unjudged(value string, err error) diagnosis {
	return diagnosis{Value: value, Verdict: isUnknown, Reason: err.Error()}
}

// writeDiagnoses writes the report as text.
func writeDiagnoses(w io.Writer, found []diagnosis) error {
	var text bytes.Buffer
	for _, d := range found {
		value := d.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(&text, "%-8s %-30s %s\n", d.Verdict, d.Name, value)
		if d.Reason != "" {
			fmt.Fprintf(&text, "%9s%s\n", "", d.Reason)
		}
		if d.Fix != "" {
			fmt.Fprintf(&text, "%9sfix: %s\n", "", d.Fix)
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}
