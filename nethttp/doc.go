// Package nethttp serves net/http's handlers on this module's server: change http.ListenAndServe to
// nethttp.ListenAndServe and keep the rest of the program.
//
// Handlers get real *http.Request values whose strings, maps, URL and body bytes are theirs for ever; nothing that a
// handler still holds after it returned can reach another request. Where the behaviour differs from net/http's it is
// written down in docs/nethttp.md.
package nethttp
