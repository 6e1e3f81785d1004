package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version returns the module's version, the commit it was built from if known, the Go version and the platform.
func Version() string {
	text, commit := "shockwave (devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" {
			text = "shockwave " + v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("%s%s %s %s/%s", text, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
