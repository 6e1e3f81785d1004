package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// CPU is CPU time.
type CPU struct{ User, System time.Duration }

// Minus returns c - d.
func (c CPU) Minus(d CPU) CPU { return CPU{c.User - d.User, c.System - d.System} }

// Read returns the CPU time of a process and its threads so far, in steps of 10 ms, and its resident memory in
// bytes. It reads Linux's /proc.
func Read(pid int) (used CPU, rss int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return CPU{}, 0, fmt.Errorf("there is no process %d", pid)
	}
	if err != nil {
		return CPU{}, 0, err
	}
	used, pages, err := parseStat(stat)
	if err != nil {
		return CPU{}, 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return used, pages * int64(os.Getpagesize()), nil
}

// Fields of /proc/PID/stat as numbered in proc(5), starting from 1.
const (
	statUser   = 14
	statSystem = 15
	statPages  = 24
)

// tick is the unit of times in /proc: USER_HZ is 100 on every system that Go supports.
const tick = time.Second / 100

// parseStat parses /proc/PID/stat. The program's name is in parentheses and may contain spaces and parentheses, so
// fields are counted from the last one.
func parseStat(line []byte) (used CPU, pages int64, err error) {
	const fieldsBefore = 2 // pid and name
	rest := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	read := func(field int) int64 {
		i := field - fieldsBefore - 1
		if i >= len(rest) {
			err = errors.New("it is too short")
			return 0
		}
		n, wrong := strconv.ParseInt(string(rest[i]), 10, 64)
		if wrong != nil {
			err = wrong
		}
		return n
	}
	used = CPU{time.Duration(read(statUser)) * tick, time.Duration(read(statSystem)) * tick}
	return used, read(statPages), err
}
