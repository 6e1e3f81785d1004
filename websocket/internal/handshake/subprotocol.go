package handshake

import (
	"slices"

	"github.com/shockwave-go/shockwave/http1"
)

// OfferedNames returns the elements of all lines of a list field.
func OfferedNames(lines []string) (names []string) {
	for _, line := range lines {
		for name := range http1.Elements(line) {
			names = append(names, name)
		}
	}
	return names
}

// choose returns the server's choice of subprotocol, or "" for none.
func (s *Settings) choose(offers []string) (string, *Error) {
	if s.ChooseSubprotocol != nil {
		name := s.ChooseSubprotocol(offers)
		if name != "" && !slices.Contains(offers, name) {
			return "", errChoice
		}
		return name, nil
	}
	for _, ours := range s.Subprotocols {
		if slices.Contains(offers, ours) {
			return ours, nil
		}
	}
	return "", nil
}
