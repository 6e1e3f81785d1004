package http2

// receiveWindow is a window for received data, of a stream or of the connection (RFC 9113 §6.9).
type receiveWindow struct {
	left      int32 // bytes that the peer may still send
	max       int32 // size of the window: left is brought back to this
	consumed  int32 // bytes consumed since the last WINDOW_UPDATE
	updatedAt int64 // time of the last WINDOW_UPDATE, or of the opening: the window grows if they follow each other quickly
}

// grown returns the size that the window should have now. A window that is used up within two round trips slows its
// sender down: it is doubled. In the end the window is at least twice what is consumed in one round trip.
func (w *receiveWindow) grown(most uint32, rtt, now int64) int32 {
	if rtt == 0 || w.max >= int32(most) {
		return w.max
	}
	if (now-w.updatedAt)/4 > int64(float64(rtt)*float64(w.consumed)/float64(w.max)) {
		return w.max
	}
	return min(2*w.max, int32(most))
}

// increment returns what a WINDOW_UPDATE must add so that the window has the size.
func (w *receiveWindow) increment(size int32) int32 { return w.consumed + size - w.max }

// update records a WINDOW_UPDATE after which the window has the size.
func (w *receiveWindow) update(size int32, now int64) {
	w.left += w.increment(size)
	w.max, w.consumed, w.updatedAt = size, 0, now
}
