// Package sys is the thin floor under the serve loops: receive, send and wait on a socket's descriptor without the
// scheduler, where Linux allows it.
//
// Everything here takes a bare descriptor. The caller must hold it open for the length of the call, inside
// syscall.RawConn.Read, Write or Control; otherwise its number may already belong to somebody else. No function
// blocks, whatever the descriptor's flags are: each passes MSG_DONTWAIT, so that a program which cleared O_NONBLOCK
// through File().Fd() does not freeze the thread. None allocates, none keeps a reference to what it is given.
//
// Calls that move at most RawLimit bytes are raw system calls, of which the Go scheduler knows nothing. That saves up
// to 0.2 µs each and is safe because they cannot sleep. Larger ones copy for long enough that the scheduler is told.
//
// Errors are bare numbers; 0 is none. On systems other than Linux every call fails with ENOSYS and Available is false.
package sys
