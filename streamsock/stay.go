package streamsock

// stay is how far a peer is on its way out. It never goes back.
type stay uint8

const (
	staying   stay = iota
	finishing      // the peer was ended without a connection: one that is attached later only sends what is queued
	leaving        // no other connection follows
	gone           // for good
)
