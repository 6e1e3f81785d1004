package http2

import "testing"

func TestEveryScenarioSpeaksHTTP2(t *testing.T) {
	for _, sc := range Suite().Scenarios {
		if !sc.Options.HTTP2 {
			t.Errorf("%s measures the peers of another suite", sc.Name)
		}
	}
}
