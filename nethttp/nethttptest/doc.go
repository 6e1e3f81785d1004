// Package nethttptest is net/http/httptest with this module's server: change the import path to
// nethttptest, under the name httptest, and tests run against the server that the program runs on.
//
// A server listens on a port of the loopback interface, as httptest's does, or in memory (NewMemoryServer), where a
// testing/synctest bubble may hold it together with its clients, and time is the bubble's.
//
// What has nothing to do with a server is httptest's own: ResponseRecorder, NewRequest.
package nethttptest
