package server_test

import "net/http"

// speak returns the set that some setters of http.Protocols make.
func speak(set ...func(*http.Protocols, bool)) *http.Protocols {
	p := new(http.Protocols)
	for _, one := range set {
		one(p, true)
	}
	return p
}
