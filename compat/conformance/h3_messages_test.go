package conformance

import (
	"fmt"
	"slices"
	"testing"
)

// h3Resets are the codes of HTTP/3 for those of HTTP/2 with which a stream ends.
var h3Resets = map[string]string{"PROTOCOL_ERROR": "H3_MESSAGE_ERROR", "ENHANCE_YOUR_CALM": "H3_EXCESSIVE_LOAD"}

// ofH2 turns a case of HTTP/2 into one of HTTP/3: both have the same messages.
func ofH2(steps []h2Step) (all []h3Step, err error) {
	for _, s := range steps {
		step := h3Step{open: s.open}
		for _, say := range s.say {
			step.say = append(step.say, h3Say{h2Say: say})
		}
		if len(s.say) == 0 && !s.open {
			step.say = []h3Say{{plain: true, wire: h3Wire{fin: true}}}
		}
		for _, o := range s.hear {
			hear := h3Outcome{responses: o.responses, wait: o.wait}
			if o.reset != "" {
				code, ok := h3Resets[o.reset]
				if !ok {
					return nil, fmt.Errorf("no code of HTTP/3 is like %s", o.reset)
				}
				hear.reset = []string{code}
			}
			step.hear = append(step.hear, hear)
		}
		all = append(all, step)
	}
	return all, nil
}

// onlyHTTP2 is a rule that HTTP/3 does not have: frames of other types may follow a trailer section.
const onlyHTTP2 = "trailers/Trailers that do not end the stream"

// Messages that are malformed over HTTP/2 are malformed over HTTP/3.
func TestConformanceHTTP3Messages(t *testing.T) {
	t.Parallel()
	skipH3Elsewhere(t)
	cases := slices.DeleteFunc(loadTopics(t, h2CasesDir, parseH2Topic), func(c conversation) bool { return c.name() == onlyHTTP2 })
	if !whole {
		cases = sample(cases, 3)
	}
	for name, flags := range map[string][]string{"nethttp": {"-h3"}, "native": {"-h3", "-native"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playAllH3(t, startEcho(t, flags...), cases, false, func(t *testing.T, c *conversation) []h3Step {
				steps, err := ofH2(h2StepsOf(t, c))
				if err != nil {
					t.Fatal(err)
				}
				return steps
			})
		})
	}
}
