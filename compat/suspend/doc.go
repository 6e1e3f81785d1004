// Package suspend tests that a process which was stopped (SIGSTOP, a paused container, a laptop's sleep) does not blame its
// peers for the time that it lost. HTTP/3, which is a module of its own, has the like in its own tests.
package suspend
