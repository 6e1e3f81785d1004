package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cgroup is a control group of the process: the directory of its files, and its hierarchy's version.
type cgroup struct {
	dir string
	v2  bool
}

// tightest returns the smallest limit that read finds in the process's cgroup for a controller and in those above it, as far as
// they are visible. A cgroup without the file sets no limit, and neither does a process without cgroups.
func tightest[T cmp.Ordered](m *machine, controller string, none T, read func(cgroup) (T, error)) (T, error) {
	groups, err := m.cgroups(controller)
	if err != nil {
		return none, err
	}
	limit := none
	for _, g := range groups {
		one, err := read(g)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return none, err
		}
		limit = min(limit, one)
	}
	return limit, nil
}

// cgroups returns the process's cgroup for a controller and those above it, up to the mount point.
func (m *machine) cgroups(controller string) ([]cgroup, error) {
	list, err := m.content("proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	place, v2, err := cgroupPath(list, controller)
	if err != nil || place == "" {
		return nil, err
	}
	mounts, err := m.content("proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(mounts) {
		root, point, ok := cgroupMount(strings.TrimSuffix(line, "\n"), controller, v2)
		if !ok {
			continue
		}
		if below, ok := within(place, root); ok {
			return groupsUpTo(point, below, v2), nil
		}
	}
	return nil, fmt.Errorf("the cgroup %.80q is not mounted", place)
}

// cgroupPath finds the process's cgroup for a controller in /proc/self/cgroup, whose lines are ID:CONTROLLERS:PATH. The line of
// version 2 has no controllers; a controller belongs to it if version 1 does not have it. An empty place is none.
func cgroupPath(list, controller string) (place string, v2 bool, err error) {
	for line := range strings.Lines(list) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(part) != 3 || !strings.HasPrefix(part[2], "/") {
			return "", false, fmt.Errorf("/proc/self/cgroup has the line %.80q, want ID:CONTROLLERS:PATH", line)
		}
		switch {
		case slices.Contains(strings.Split(part[1], ","), controller):
			return part[2], false, nil
		case part[0] == "0" && part[1] == "":
			place, v2 = part[2], true
		}
	}
	return place, v2, nil
}

// cgroupMount returns which directory of a cgroup hierarchy a line of /proc/self/mountinfo mounts, and where. It is not ok if the
// line is about something else. proc_pid_mountinfo(5) has the fields.
func cgroupMount(line, controller string, v2 bool) (root, point string, ok bool) {
	mount, system, ok := strings.Cut(line, " - ")
	fields, kind := strings.Fields(mount), strings.Fields(system)
	if !ok || len(fields) < 6 || len(kind) < 2 {
		return "", "", false
	}
	if v2 {
		ok = kind[0] == "cgroup2"
	} else {
		ok = kind[0] == "cgroup" && slices.Contains(strings.Split(kind[len(kind)-1], ","), controller)
	}
	return unescaped(fields[3]), unescaped(fields[4]), ok
}

// octal matches how mountinfo writes blanks, newlines and backslashes.
var octal = regexp.MustCompile(`\\[0-3][0-7]{2}`)

func unescaped(s string) string {
	return octal.ReplaceAllStringFunc(s, func(code string) string {
		n, _ := strconv.ParseUint(code[1:], 8, 8) // the pattern allows 0 to 255 only
		return string([]byte{byte(n)})
	})
}

// within returns place relative to root. A place outside of the cgroup namespace begins with /.., and is within no root.
func within(place, root string) (string, bool) {
	if slices.Contains(strings.Split(place, "/"), "..") {
		return "", false
	}
	below, ok := strings.CutPrefix(place+"/", strings.TrimSuffix(root, "/")+"/")
	return strings.Trim(below, "/"), ok
}

// groupsUpTo returns the cgroup below a mount point and those between them, the mount point's own included.
func groupsUpTo(point, below string, v2 bool) (groups []cgroup) {
	top := strings.TrimPrefix(path.Clean(point), "/")
	for dir := path.Join(top, below); ; dir = path.Dir(dir) {
		groups = append(groups, cgroup{dir, v2})
		if dir == top || dir == "." {
			return groups
		}
	}
}
