package report

import (
	"strings"
)

// Noun names what a report counts, in singular and plural.
type Noun struct{ One, Many string }

// What is counted: requests of HTTP, or messages of sockets.
var (
	Requests = Noun{"request", "requests"}
	Messages = Noun{"message", "messages"}
)

// Title returns the plural with a capital letter.
func (s Noun) Title() string { return strings.ToUpper(s.Many[:1]) + s.Many[1:] }
