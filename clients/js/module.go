// Package js embeds the JavaScript client of routing-id sockets, so that a program can serve it to its web pages.
// [The README of the clients] describes it.
//
// [The README of the clients]: https://github.com/shockwave-go/shockwave/blob/main/clients/README.md
package js

import _ "embed"

//go:embed streamsock.js
var module string

// Module returns the source of the JavaScript module streamsock.js, in UTF-8. Serve it with the Content-Type
// text/javascript; pages load it by `import { Socket } from './streamsock.js'`.
func Module() string { return module }
