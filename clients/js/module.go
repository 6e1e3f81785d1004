// Package js embeds the JavaScript client of routing-id sockets, so that a program can serve it to its web pages.
// clients/README.md describes the client.
package js

import _ "embed"

//go:embed streamsock.js
var module string

// Module returns the source of the JavaScript module streamsock.js, in UTF-8. Serve it with the Content-Type
// text/javascript; pages load it by `import { Socket } from './streamsock.js'`.
func Module() string { return module }
