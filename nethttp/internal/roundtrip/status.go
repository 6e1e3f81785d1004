package roundtrip

import (
	"net/http"
	"strconv"
)

// statusTexts are the values of Response.Status for the known status codes.
var statusTexts = func() (t [600]string) {
	for code := range t {
		if text := http.StatusText(code); text != "" {
			t[code] = strconv.Itoa(code) + " " + text
		}
	}
	return t
}()

func statusText(code int) string {
	if code < len(statusTexts) && statusTexts[code] != "" {
		return statusTexts[code]
	}
	return strconv.Itoa(code) + " " + http.StatusText(code)
}

// http1Proto returns Response.Proto for HTTP/1.
func http1Proto(minor int) string {
	if minor == 0 {
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// statusLineText returns Response.Status with the reason phrase that the server has sent. text is the head.
func statusLineText(text string, code int) string {
	if code < len(statusTexts) {
		if s := statusTexts[code]; s != "" && len(text) > len("HTTP/1.1 ")+len(s) && text[9:9+len(s)] == s && text[9+len(s)] == '\r' {
			return s
		}
	}
	end := 9
	for end < len(text) && text[end] != '\r' && text[end] != '\n' {
		end++
	}
	return text[9:end]
}
