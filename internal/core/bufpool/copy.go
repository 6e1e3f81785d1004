package bufpool

import "io"

// copySize is the size of Copy's buffer. With half of it, as io.Copy has it, a large body costs twice as many system calls.
const copySize = 64 << 10

// Copy copies src to dst through a buffer of the pool. Unlike io.Copy it calls Read and Write alone, so dst's ReadFrom and
// src's WriteTo may call it. It returns how many bytes dst has taken, and the first error but io.EOF.
func Copy(dst io.Writer, src io.Reader) (copied int64, err error) {
	buf := Get(copySize)
	defer Put(buf)
	for {
		n, readErr := src.Read(buf)
		if n > 0 {
			taken, err := dst.Write(buf[:n])
			copied += int64(taken)
			if err != nil {
				return copied, err
			}
			if taken < n {
				return copied, io.ErrShortWrite
			}
		}
		if readErr == io.EOF {
			return copied, nil
		}
		if readErr != nil {
			return copied, readErr
		}
	}
}
