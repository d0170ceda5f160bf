package mcp

import (
	"log/slog"
	"slices"
)

// levels are the names of log levels, least severe first (server/utilities/logging, RFC 5424 section 6.2.1).
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// level is an index into levels; unset is none of them.
type level int8

const (
	unset level = -1
	info  level = 1
)

func levelOf(name string) level { return level(slices.Index(levels[:], name)) }

// String returns the level's name.
func (l level) String() string { return levels[l] }

// fromSlog returns the level for a level of package slog: those between its own are notice and, above error, the higher ones.
func fromSlog(l slog.Level) level {
	steps := [...]slog.Level{slog.LevelInfo, slog.LevelInfo + 2, slog.LevelWarn, slog.LevelError, slog.LevelError + 4,
		slog.LevelError + 8, slog.LevelError + 12}
	n := 0
	for n < len(steps) && l >= steps[n] {
		n++
	}
	return level(n)
}
