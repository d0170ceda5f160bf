package docs

// Style is the style of the page, for pages that look like it.
func Style() string { return style }
