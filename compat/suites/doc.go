// Package suites runs the test suites of other modules on our server. Their files are unchanged, except that the import of
// net/http/httptest is replaced by nethttptest. A test that fails must also fail on net/http's server, or be listed here with a
// reason.
package suites
