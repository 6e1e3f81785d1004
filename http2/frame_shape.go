package http2

// checkShape checks that the stream and the length of a frame suit its type.
func checkShape(h FrameHeader, inBlock bool) *Error {
	needs := func(least, most uint32) *Error {
		if h.Length < least || h.Length > most {
			return errPayload
		}
		return nil
	}
	switch h.Type {
	case FrameData, FrameHeaders, FrameContinuation, FramePriority, FrameRSTStream, FramePushPromise:
		if h.Stream == 0 {
			return errStreamZero
		}
	case FrameSettings, FramePing, FrameGoAway, FramePriorityUpdate:
		if h.Stream != 0 {
			return errStreamSome
		}
	}
	switch h.Type {
	case FrameData, FrameHeaders:
		return needs(prelude(h), maxFrameSize)
	case FramePushPromise:
		return errPush
	case FrameContinuation:
		if !inBlock {
			return errContinuation
		}
	case FrameSettings:
		if h.Flags&FlagAck != 0 && h.Length != 0 {
			return errSettingsAck
		}
		if h.Length%settingLen != 0 {
			return errSettingsSize
		}
	case FrameRSTStream, FrameWindowUpdate, FramePriorityUpdate:
		if h.Type == FramePriorityUpdate {
			return needs(4, maxFrameSize)
		}
		return needs(4, 4)
	case FramePing:
		return needs(8, 8)
	case FrameGoAway:
		return needs(8, maxFrameSize)
	}
	return nil
}

// prelude returns how many bytes of the payload come before the data or the header block fragment.
func prelude(h FrameHeader) uint32 {
	n := uint32(0)
	if h.Flags&FlagPadded != 0 {
		n++
	}
	if h.Type == FrameHeaders && h.Flags&FlagPriority != 0 {
		n += 5
	}
	return n
}

// longestWhole bounds the part of a payload that must be there at once, and so the bytes that Next leaves to its caller.
const longestWhole = 256

// wholePart returns how many bytes of a frame's payload must be there at once. The rest is processed as it arrives.
func wholePart(h FrameHeader) uint32 {
	switch h.Type {
	case FrameData, FrameHeaders:
		return prelude(h)
	case FrameRSTStream, FrameWindowUpdate, FramePing:
		return h.Length
	case FramePriority, FrameGoAway, FramePriorityUpdate:
		return min(h.Length, longestWhole)
	}
	return 0
}
