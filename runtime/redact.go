package runtime

import "log/slog"

// Redacted stands in logs and error texts for the value of a sensitive field.
const Redacted = "[redacted]"

// RedactedValue is what the LogValue method of a sensitive type returns.
func RedactedValue() slog.Value { return slog.StringValue(Redacted) }
