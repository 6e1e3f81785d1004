// Package ours has the two ends of package websocket talk to each other: Dial on one side, on the other Accept on every
// server, and Upgrade on the native one.
package ours
