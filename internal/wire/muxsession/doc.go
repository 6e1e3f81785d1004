// Package muxsession implements one side of a session of channels: what it may send and what it has received, over any
// number of connections, one after the other. It does no I/O, reads no clock and takes no lock: it is passed bytes and
// times, appends frames, and calls a Watcher on events and for the exact time. A test can connect two sessions with byte slices.
//
//	Send ──► waiting ──► outbox ──Lend──► connection ──Receive──► inbox ──► Take
//	         scheduler   sent, not acknowledged        windows     of each channel
//
// A session is guarded by the lock of the package that uses it: only one method may run at a time, and a Watcher must not
// call methods of the session.
//
// A Session is composed of two directions over what both share:
//
//	Session    which frame or call does what; channels begin and end
//	outflow    waiting Sends ──► outbox             inflow    frames ──► inboxes, and the credit that the peer gets
//	shared     the outbox, the link to the peer, the table of channels, the budget for useless frames
//
// The wire is described in docs/wire/tcpmux.md.
package muxsession
