package message

import (
	"errors"
	"fmt"
	"strings"
)

// The parameters that turn context takeover off (RFC 7692 §7.1.1).
const (
	serverByItself = "server_no_context_takeover"
	clientByItself = "client_no_context_takeover"
)

// offer returns the extension to ask for, or "".
func (s *Spec) offer() string {
	switch {
	case !s.Deflate:
		return ""
	case s.Takeover:
		return "permessage-deflate"
	}
	return "permessage-deflate; " + serverByItself + "; " + clientByItself
}

// checkExtensions returns an error if the server's response has other extensions than were asked for: a run must not
// measure another kind of compression.
func (s *Spec) checkExtensions(extensions string) error {
	switch {
	case !s.Deflate && extensions != "":
		return fmt.Errorf("load: the server uses an extension that nobody offered: %q", extensions)
	case !s.Deflate:
		return nil
	case extensions == "":
		return errors.New("load: the server does not compress messages")
	}
	name, rest, _ := strings.Cut(extensions, ";")
	says := map[string]bool{}
	for p := range strings.SplitSeq(rest, ";") {
		parameter, _, _ := strings.Cut(p, "=")
		says[strings.ToLower(strings.TrimSpace(parameter))] = true
	}
	switch {
	case !strings.EqualFold(strings.TrimSpace(name), "permessage-deflate") || says["client_max_window_bits"]:
		return fmt.Errorf("load: the server uses an extension that nobody offered: %q", extensions)
	case !s.Takeover && !says[serverByItself]:
		return fmt.Errorf("load: the server does not compress each message by itself: %q", extensions)
	case s.Takeover && (says[serverByItself] || says[clientByItself]):
		return fmt.Errorf("load: the server does not keep what was compressed before: %q", extensions)
	}
	return nil
}
