package runtime

// Redacted stands in logs and error texts for the value of a sensitive field.
const Redacted = "[redacted]"
