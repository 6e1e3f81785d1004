// Package ours tests the two ends of package websocket against each other: Dial on one side; Accept on every server, and
// Upgrade on the native one, on the other side.
package ours
