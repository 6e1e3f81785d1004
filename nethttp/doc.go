// Package nethttp serves net/http's handlers on this module's server: change http.ListenAndServe to
// nethttp.ListenAndServe and keep the rest of the program. A [Server] has http.Server's fields, [FromServer] takes over
// one that other code has configured, and [Handler] puts net/http's handlers beside native ones.
//
// Handlers get real *http.Request values whose strings, maps, URL and body bytes are theirs for ever; nothing that a
// handler still holds after it returned can reach another request. Where the behaviour differs from net/http's it is
// [written down], and there are [recipes] for gin, echo, chi, autocert and sockets of systemd.
//
// [Transport] is the other side: an http.RoundTripper over this module's HTTP/1.1 and HTTP/2, with http.Transport's fields
// and methods. A [ClientConn] is one connection of it, for who keeps a pool of their own.
//
// [written down]: https://github.com/shockwave-go/shockwave/blob/main/docs/nethttp.md
// [recipes]: https://github.com/shockwave-go/shockwave/blob/main/docs/recipes.md
package nethttp
