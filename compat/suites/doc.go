// Package suites runs the test suites of other modules on our server, our Transport, or both. Their files are unchanged, except
// that the import of net/http/httptest is replaced by nethttptest, and net/http's Transport by ours. A test that fails must
// also fail on net/http, or be listed here with a reason. The modules come from the module cache or the Go proxy.
package suites
