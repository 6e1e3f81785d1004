package process

import (
	"strings"
	"testing"
	"time"
)

// The fields of /proc/PID/stat are found behind any program name.
func TestParseStat(t *testing.T) {
	const line = "4711 (a b) c) S 1 4711 4711 0 -1 4194560 5 0 0 0 210 690 3 4 20 0 9 0 77 1073741824 5888 18446744073709551615 1 1"
	used, pages, err := parseStat([]byte(line))
	if want := (CPU{2100 * time.Millisecond, 6900 * time.Millisecond}); err != nil || used != want || pages != 5888 {
		t.Errorf("got %v, %d pages, %v", used, pages, err)
	}
	for _, bad := range []string{"", "4711 (x) S 1", strings.Replace(line, "690", "x", 1)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
}
