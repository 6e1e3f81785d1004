package serve

// contentTypes holds the media types of common extensions, so that responses do not depend on the tables of the
// machine.
var contentTypes = map[string]string{
	".txt": "text/plain; charset=utf-8", ".log": "text/plain; charset=utf-8", ".go": "text/plain; charset=utf-8",
	".mod": "text/plain; charset=utf-8", ".sum": "text/plain; charset=utf-8", ".sh": "text/plain; charset=utf-8",
	".c": "text/plain; charset=utf-8", ".h": "text/plain; charset=utf-8", ".py": "text/plain; charset=utf-8",
	".rs": "text/plain; charset=utf-8", ".toml": "application/toml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".md": "text/markdown; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
	".xml": "application/xml", ".wasm": "application/wasm", ".pdf": "application/pdf",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/vnd.microsoft.icon",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".zip": "application/zip", ".gz": "application/gzip", ".tgz": "application/gzip", ".zst": "application/zstd",
	".tar": "application/x-tar", ".bin": "application/octet-stream",
}
