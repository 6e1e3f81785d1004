package http2

// frameBlock completes a HEADERS frame whose header is at start and whose block is the rest of dst. It splits the block
// into frames of at most most bytes.
func frameBlock(dst []byte, start int, id uint32, flags Flags, most int) []byte {
	block := len(dst) - start - FrameHeaderLen
	if block <= most {
		FrameHeader{Length: uint32(block), Type: FrameHeaders, Flags: flags | FlagEndHeaders, Stream: id}.Append(dst[:start])
		return dst
	}
	more := (block - 1) / most // CONTINUATION frames
	for range more {
		dst = append(dst, make([]byte, FrameHeaderLen)...)
	}
	// From the last frame to the first, because each moves to where the next one was.
	for i := more; i >= 0; i-- {
		from, to := start+FrameHeaderLen+i*most, start+i*(most+FrameHeaderLen)
		n := min(most, block-i*most)
		copy(dst[to+FrameHeaderLen:], dst[from:from+n])
		h := FrameHeader{Length: uint32(n), Type: FrameContinuation, Stream: id}
		if i == 0 {
			h.Type, h.Flags = FrameHeaders, flags
		}
		if i == more {
			h.Flags |= FlagEndHeaders
		}
		h.Append(dst[:to])
	}
	return dst
}
