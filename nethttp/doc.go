// Package nethttp serves net/http handlers on this module's server: replace http.ListenAndServe with
// nethttp.ListenAndServe and keep the rest of the program. A [Server] has http.Server's fields, [FromServer] makes
// one from an http.Server that other code has configured, and [Handler] turns a net/http handler into a native one.
//
// Handlers get real *http.Request values. Their strings, maps, URL and body bytes may be kept for ever: nothing that
// a handler keeps after it has returned can reach another request. All differences from net/http are [documented],
// and there are [recipes] for gin, echo, chi, autocert and systemd sockets.
//
// [Transport] is the client side: an http.RoundTripper over this module's HTTP/1.1 and HTTP/2, with http.Transport's
// fields and methods. A [ClientConn] is a single connection of a Transport, for programs with a connection pool of
// their own.
//
// [documented]: https://github.com/shockwave-go/shockwave/blob/main/docs/nethttp-differences.md
// [recipes]: https://github.com/shockwave-go/shockwave/blob/main/docs/recipes.md
package nethttp
