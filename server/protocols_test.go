package server_test

import "net/http"

// speak returns the http.Protocols that set makes.
func speak(set ...func(*http.Protocols, bool)) *http.Protocols {
	p := new(http.Protocols)
	for _, one := range set {
		one(p, true)
	}
	return p
}
