package protocol

import "slices"

// Levels are the names of log levels, least severe first (server/utilities/logging, RFC 5424 section 6.2.1).
var Levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Level is an index into [Levels], or [NoLevel].
type Level int8

// Levels that have a meaning of their own.
const (
	NoLevel   Level = -1
	InfoLevel Level = 1 // the level of a session until it sets one
)

// LevelOf returns the level with the given name, or [NoLevel].
func LevelOf(name string) Level { return Level(slices.Index(Levels[:], name)) }

// String returns the name of the level.
func (l Level) String() string { return Levels[l] }
