package http2

import "testing"

// Each scenario of the suite uses HTTP/2.
func TestEveryScenarioSpeaksHTTP2(t *testing.T) {
	for _, sc := range Suite().Scenarios {
		if !sc.Options.HTTP2 {
			t.Errorf("%s measures the peers of another suite", sc.Name)
		}
	}
}
