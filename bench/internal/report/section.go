package report

import (
	"fmt"
	"os"
	"strings"
)

// Rewrite replaces the text between the markers of a suite in the file called name:
//
//	<!-- figures of http1: begin -->
//	<!-- figures of http1: end -->
//
// It returns an error and leaves the file unchanged if the file does not have exactly one pair of markers.
func Rewrite(name, suite, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	changed, err := replace(string(old), suite, text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, []byte(changed), 0o644)
}

func replace(page, suite, text string) (string, error) {
	begin, end := "<!-- figures of "+suite+": begin -->\n", "<!-- figures of "+suite+": end -->\n"
	if strings.Count(page, begin) != 1 || strings.Count(page, end) != 1 {
		return "", fmt.Errorf("it needs one line %q and one %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	before, rest, _ := strings.Cut(page, begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("%q stands before %q", strings.TrimSpace(end), strings.TrimSpace(begin))
	}
	return before + begin + "\n" + text + "\n" + end + after, nil
}
