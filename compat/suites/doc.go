// Package suites runs the test suites of other people's modules on our server: their files as they are, but for the
// import of net/http/httptest, which becomes that of nethttptest. What fails then must fail on net/http's server as well,
// or stand here with a reason.
package suites
