package muxsession

import (
	"fmt"
	"os"
	"reflect"
	"testing"
)

// TestMain checks that no test has changed what all sessions without channels share.
func TestMain(m *testing.M) {
	code := m.Run()
	if !reflect.DeepEqual(noChannels, channels{}) {
		fmt.Fprintf(os.Stderr, "noChannels was changed: %+v\n", noChannels)
		code = 1
	}
	os.Exit(code)
}
