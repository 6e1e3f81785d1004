// Package js holds the client of routing-id sockets for browsers and Node.js, so that a program can serve it to its pages
// beside the socket. clients/README.md says what it does.
package js

import _ "embed"

//go:embed streamsock.js
var module string

// Module returns the module in JavaScript, as UTF-8: what `import { Socket } from './streamsock.js'` is answered with, with
// the Content-Type text/javascript.
func Module() string { return module }
