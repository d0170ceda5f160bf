package protocol

import "slices"

// Levels are the names of log levels, least severe first (server/utilities/logging, RFC 5424 section 6.2.1).
var Levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Level is an index into [Levels]; [NoLevel] is none of them.
type Level int8

// Levels that have a meaning of their own.
const (
	NoLevel   Level = -1
	InfoLevel Level = 1 // from which on a session is sent messages until it sets a level
)

// LevelOf returns the level with a name; [NoLevel] if there is none.
func LevelOf(name string) Level { return Level(slices.Index(Levels[:], name)) }

// String returns the level's name.
func (l Level) String() string { return Levels[l] }
