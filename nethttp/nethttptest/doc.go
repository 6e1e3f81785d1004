// Package nethttptest is net/http/httptest with this module's server: import it under the name httptest in place of
// net/http/httptest, and tests run against the server that the program uses.
//
// A server listens on a port of the loopback interface, as in httptest, or in memory (NewMemoryServer). A memory
// server and its clients can run together in a testing/synctest bubble, with the time of the bubble.
//
// ResponseRecorder and NewRequest, which have nothing to do with a server, are httptest's own.
package nethttptest
