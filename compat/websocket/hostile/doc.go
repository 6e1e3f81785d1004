// Package hostile attacks a WebSocket echo with more than a hundred clients of several kinds at once, while a well-behaved
// client keeps exchanging messages. It checks the memory and goroutines that the attack costs, and that nothing is leaked. It
// also tests what the server does in a flood of frames of each kind.
package hostile
