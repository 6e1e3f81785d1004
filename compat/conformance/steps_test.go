package conformance

import (
	"fmt"
	"strings"
)

// talkStep is a step of a script that speaks HTTP/2 or HTTP/3: what a client says, and what it may hear then.
type talkStep[S any] interface {
	*S
	add(who, what string) error // adds what one line says
	leaveOpen()                 // the stream's end does not follow yet
	expect(what string) error   // sets what may be heard
	silent() bool               // nothing is said
}

// parseSteps reads the lines of a script.
func parseSteps[S any, P talkStep[S]](script string) (steps []S, err error) {
	var now S
	for _, line := range strings.Split(script, "\n") {
		who, what, ok := strings.Cut(line, ":")
		what = strings.TrimPrefix(what, " ")
		switch {
		case !ok:
			err = fmt.Errorf("line %q has no colon", line)
		case who == "O":
			P(&now).leaveOpen()
		case who == "S":
			if err = P(&now).expect(what); err == nil {
				steps = append(steps, now)
			}
			now = *new(S)
		default:
			err = P(&now).add(who, what)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	if !P(&now).silent() || len(steps) == 0 {
		return nil, fmt.Errorf("a script ends with what the server says")
	}
	return steps, nil
}

// parseTalks reads the cases of one file, and checks their scripts with parse.
func parseTalks(topic, text string, parse func(script string) error) ([]conversation, error) {
	all, err := parseCases(topic, text)
	for i := range all {
		if err := parse(all[i].script); err != nil {
			return nil, fmt.Errorf("%q: %w", all[i].title, err)
		}
	}
	return all, err
}
