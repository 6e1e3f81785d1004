package account

import (
	"testing"
)

// The counts of several parts of a run add up.
func TestStreamsAdd(t *testing.T) {
	var all Streams
	all.add(&Streams{MaxStreams: 100, Words: "first"})
	all.add(&Streams{GoAways: map[string]int64{"NO_ERROR": 1}})
	all.add(&Streams{MaxStreams: 50, Words: "second", Fault: "a", GoAways: map[string]int64{"NO_ERROR": 2}})
	all.add(&Streams{MaxStreams: 70, Fault: "b"})
	if all.MaxStreams != 50 || all.Words != "first" || all.Fault != "a" || all.GoAways["NO_ERROR"] != 3 || all.Resets != nil {
		t.Errorf("%+v", all)
	}
}
