package load

import (
	"sync"
	"testing"
)

// TestFirstLengthsAtOnce: of many answers that come first together, all of one length, none is unexpected.
func TestFirstLengthsAtOnce(t *testing.T) {
	for range 2000 {
		var l lengths
		var answers sync.WaitGroup
		start := make(chan struct{})
		for range 4 {
			answers.Go(func() {
				<-start
				if !l.expected(200, 13) {
					t.Error("a length was not expected that all have")
				}
			})
		}
		close(start)
		answers.Wait()
		if l.expected(200, 14) || !l.expected(404, 14) {
			t.Fatal("another length must be expected with another status, and only then")
		}
	}
}
