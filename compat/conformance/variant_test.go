package conformance

import (
	"bytes"
	"slices"
)

const before = "GET /before HTTP/1.1\r\nHost: before\r\n\r\n"
const poison = "GET /poison HTTP/1.1\r\nHost: poison\r\n\r\n"

// firstSend returns the bytes of a case's first send.
func firstSend(steps []step) []byte {
	var b []byte
	if len(steps) > 0 {
		for _, c := range steps[0].send {
			b = append(b, c.bytes...)
		}
	}
	return b
}

// behindAnother puts a plain request in front of a case, in the same write where the case starts with bytes.
// Its response must come first, whatever becomes of the case.
func behindAnother(steps []step) []step {
	out := slices.Clone(steps)
	send := slices.Clone(out[0].send)
	if len(send) > 0 && send[0].bytes != nil {
		send[0].bytes = append([]byte(before), send[0].bytes...)
	} else {
		send = append([]chunk{{bytes: []byte(before)}}, send...)
	}
	out[0].send = send
	out[1].hear = respondedFirst(out[1].hear, response{
		status: []string{"200"}, checks: []check{{"target", []string{"/before"}}},
	})
	return out
}

// respondedFirst puts one response in front of every outcome.
func respondedFirst(all []outcome, first response) []outcome {
	out := slices.Clone(all)
	for i := range out {
		out[i].responses = append([]response{first}, out[i].responses...)
	}
	return out
}

// refused reports whether a case is one message that only a refusal or a close can follow, without a closed side, and
// without a body that is still to come: it would be made of whatever stands behind the case.
func refused(steps []step) bool {
	if len(steps) != 2 || bytes.Contains(firstSend(steps), []byte("Expect: 100-continue")) {
		return false
	}
	for _, c := range steps[0].send {
		if c.fin {
			return false
		}
	}
	for _, o := range steps[1].hear {
		if o.end != endClose || len(o.responses) > 1 {
			return false
		}
	}
	return true
}

// inFrontOfAnother puts a plain request behind a case: what is refused must not be taken up again later in the bytes.
func inFrontOfAnother(steps []step) []step {
	out := slices.Clone(steps)
	out[0].send = append(slices.Clone(out[0].send), chunk{bytes: []byte(poison)})
	return out
}

// twiceOver sends a case twice at once and wants its responses twice, in order; nil where the connection is not sure to
// stay.
func twiceOver(steps []step) []step {
	if len(steps) != 2 {
		return nil
	}
	for _, c := range steps[0].send {
		if c.fin {
			return nil
		}
	}
	out := slices.Clone(steps)
	out[0].send = append(slices.Clone(out[0].send), out[0].send...)
	out[1].hear = nil
	for _, o := range steps[1].hear {
		if o.end != endKeep {
			return nil
		}
	}
	for _, a := range steps[1].hear {
		for _, b := range steps[1].hear {
			out[1].hear = append(out[1].hear, outcome{responses: slices.Concat(a.responses, b.responses), end: endKeep})
		}
	}
	return out
}
