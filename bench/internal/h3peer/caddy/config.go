package main

import (
	"encoding/json"
	"path/filepath"
)

// object is an object of Caddy's configuration.
type object map[string]any

// configure returns the configuration. It has Caddy's defaults but for what would end a measurement early, what would open other
// ports, and what would be logged of connections that the load generator closes.
func configure(addr, dir string) ([]byte, error) {
	files := object{"certificate": filepath.Join(dir, "certificate.pem"), "key": filepath.Join(dir, "key.pem")}
	srv := object{
		"listen":                  []string{addr},
		"protocols":               []string{"h3"},
		"automatic_https":         object{"disable": true},
		"tls_connection_policies": []object{{"default_sni": "localhost"}}, // clients that ask for an address send no name
		"idle_timeout":            "10m",
		"routes":                  routes(dir),
	}
	return json.Marshal(object{
		"admin":   object{"disabled": true, "config": object{"persist": false}},
		"logging": object{"logs": object{"default": object{"level": "ERROR"}}},
		"apps": object{
			"http": object{"servers": object{"bench": srv}},
			"tls":  object{"certificates": object{"load_files": []object{files}}},
		},
	})
}

// routes returns the routes of the suite's paths: a static response for the small response, files for larger ones, and our handler
// for what Caddy itself has none.
func routes(dir string) []object {
	text := object{"handler": "static_response", "body": "Hello, World!",
		"headers": object{"Content-Type": []string{typeText}}}
	kind := object{"handler": "headers", "response": object{"set": object{"Content-Type": []string{typeBytes}}}}
	return []object{
		route([]string{"/plaintext"}, text),
		route([]string{"/16k", "/64k", "/1m"}, kind, object{"handler": "file_server", "root": dir}),
		route([]string{pathPost, pathStream}, object{"handler": "bench"}),
	}
}

func route(paths []string, handlers ...object) object {
	return object{"match": []object{{"path": paths}}, "handle": handlers}
}
