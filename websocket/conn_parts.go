package websocket

import (
	"context"
	"io"
)

// NextReader waits for a message to begin. It returns the message's type and a reader of its payload, which delivers it
// as it arrives; no more than a buffer of it is held in memory. A compressed message is an exception: it is received and
// decompressed as a whole. Config.ReadLimit applies to all messages.
//
// The reader returns io.EOF after the last byte; its other errors are those of ReadMessage. Text that is not UTF-8 ends
// the connection at the first bad byte. After a read deadline, NextReader and the reader can continue where they
// stopped. A call of NextReader or ReadMessage before io.EOF discards the rest of the message, and the old reader cannot
// be used any more. Pings are only answered while a read is in progress.
func (c *Conn) NextReader() (MessageType, io.Reader, error) {
	c.recv.mu.Lock()
	defer c.recv.unlock()
	return c.recv.nextLocked(context.Background())
}

// NextReaderContext is like NextReader, but it and the reads of the reader return ctx's error when ctx is done. The
// connection is unaffected, and the next message can be read.
func (c *Conn) NextReaderContext(ctx context.Context) (t MessageType, r io.Reader, err error) {
	if ctx.Done() == nil {
		return c.NextReader()
	}
	err = c.recv.readUntil(ctx, func() (err error) {
		t, r, err = c.recv.nextLocked(ctx)
		return err
	})
	return t, r, err
}

// NextWriter waits until no other message is being written, and returns a writer for a message of unknown length. It
// sends a frame of 16 KiB or more whenever its buffer is full; Close sends the rest and ends the message (RFC 6455
// §5.4). With permessage-deflate, a message longer than the buffer is compressed buffer by buffer, unless the first one
// does not get shorter.
//
// Until Close, other messages wait: WriteMessage for its turn, Send and its variants as for a slow peer. Pings and close
// frames may be sent in between. So Close must be called, also after an error, which it returns again. A writer must not
// be used concurrently. It neither changes nor keeps the slices it is passed. In the order of messages, the message has
// the place of the call of NextWriter. NextWriter fails like WriteMessage; a frame of its writer that is to be sent
// after the write deadline ends the connection.
func (c *Conn) NextWriter(t MessageType) (io.WriteCloser, error) {
	return c.NextWriterContext(context.Background(), t)
}

// NextWriterContext is like NextWriter, but gives up when ctx is done. Writes to the writer do so too, and its Close,
// which must be called all the same. The error is ctx's. If nothing of the message has been sent, the connection is
// unaffected; otherwise it is cut off, because the message cannot be finished.
func (c *Conn) NextWriterContext(ctx context.Context, t MessageType) (io.WriteCloser, error) {
	return c.send.beginMessage(ctx, t)
}
