package webtransport

import "strings"

// stringList reads a List of Strings of Structured Fields (RFC 9651 §4.2.1); parameters are ignored. ok is false if it is anything else:
// then the field counts as absent (draft-ietf-webtrans-http3 §3.3).
func stringList(in string) (list []string, ok bool) {
	in = strings.Trim(in, " ")
	for in != "" {
		s, rest, ok := quotedString(in)
		if !ok {
			return nil, false
		}
		list = append(list, s)
		if rest, ok = afterParameters(rest); !ok {
			return nil, false
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return list, true
		}
		if rest[0] != ',' {
			return nil, false
		}
		if in = strings.TrimLeft(rest[1:], " \t"); in == "" {
			return nil, false
		}
	}
	return list, true
}

// quotedString reads the String that in begins with (RFC 9651 §4.2.5).
func quotedString(in string) (s, rest string, ok bool) {
	if in == "" || in[0] != '"' {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(in); i++ {
		switch c := in[i]; {
		case c == '"':
			return b.String(), in[i+1:], true
		case c == '\\':
			if i++; i == len(in) || in[i] != '"' && in[i] != '\\' {
				return "", "", false
			}
			b.WriteByte(in[i])
		case c < 0x20 || c > 0x7e:
			return "", "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// afterParameters skips parameters (RFC 9651 §4.2.3.2): a value without quotes ends at the next ";", "," or space.
func afterParameters(in string) (rest string, ok bool) {
	for strings.HasPrefix(in, ";") {
		in = strings.TrimLeft(in[1:], " ")
		end := strings.IndexAny(in, "=;, \t")
		if end < 0 {
			end = len(in)
		}
		if end == 0 {
			return "", false
		}
		if in = in[end:]; !strings.HasPrefix(in, "=") {
			continue
		}
		if in = in[1:]; strings.HasPrefix(in, `"`) {
			if _, in, ok = quotedString(in); !ok {
				return "", false
			}
			continue
		}
		if end = strings.IndexAny(in, ";, \t"); end < 0 {
			end = len(in)
		}
		if end == 0 {
			return "", false
		}
		in = in[end:]
	}
	return in, true
}

// quoted returns s as a String.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
