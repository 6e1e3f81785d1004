// Package hostile has more than a hundred clients attack an echo at once, each kind in its own way, while another client
// goes on talking. It looks at what the attack costs in memory and goroutines, and at what is left of it. What a flood
// of frames of each kind is answered stands beside that.
package hostile
