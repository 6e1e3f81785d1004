package wsmessage

// DirectMin is the number of missing bytes from which a system call of their own pays off. It is more than a control
// frame has.
const DirectMin = 8 << 10

// ReadsDirectly reports whether so much payload of the current frame is missing that it is received to its place.
func (a *Assembler) ReadsDirectly() bool { return a.framed && a.left >= DirectMin }

// ReceiveSpace returns space at the end of msg to receive payload into. It is never more than twice the size of what has
// arrived, or DirectMin.
func (a *Assembler) ReceiveSpace() []byte {
	return a.space(int(min(a.left, int64(max(DirectMin, 2*len(a.msg))))))
}

// Received takes the n bytes that were received to the beginning of space, the result of ReceiveSpace. done reports whether
// the message is complete; its payload is then p.
func (a *Assembler) Received(space []byte, n int) (p []byte, done bool, err error) {
	done, err = a.gather(space[:n])
	return a.msg, done, err
}

// ReceivePart takes p, payload of the current frame that was received to where the user wants it.
func (a *Assembler) ReceivePart(p []byte) (Event, error) { return a.unmaskPart(p, p) }

// Left returns how many bytes of the current frame's payload are to come.
func (a *Assembler) Left() int64 { return a.left }
