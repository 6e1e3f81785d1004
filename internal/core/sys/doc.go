// Package sys contains the system calls that the serve loops use: receive, send and wait on a socket's descriptor
// without the Go scheduler, where Linux allows it.
//
// All functions take a bare descriptor. The caller must keep it open during the call, inside syscall.RawConn.Read,
// Write or Control; otherwise its number may already belong to another file. No receive or send blocks, whatever the
// descriptor's flags are: each passes MSG_DONTWAIT, so that a program which cleared O_NONBLOCK through File().Fd() does
// not freeze the thread. The functions do not allocate and do not keep references to their arguments.
//
// Calls that move at most RawLimit bytes are raw system calls, which the Go scheduler does not see. That saves up to
// 0.2 µs each and is safe because they cannot sleep. Larger calls copy for so long that the scheduler is told.
//
// Errors are plain error numbers; 0 means none. On systems other than Linux every call fails with ENOSYS, and Available
// is false.
package sys
