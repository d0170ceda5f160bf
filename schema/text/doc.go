// Package text has one function for every place that text of a schema, of an imported source or of a peer is written to. All such
// text is hostile until it has passed through the function of its place:
//
//	a line of a Go comment          GoComment
//	a Go string constant            GoString, in several lines where that reads better
//	a word of a Go identifier       IsWord says which characters may stand in it
//	a block comment of TypeScript   ScriptComment
//	a TypeScript string             ScriptString
//	a YAML scalar                   schema/format, which escapes what is Hidden
//	Markdown                        Markdown, MarkdownCode and, at the beginning of a line, MarkdownLine
//	HTML                            html/template, and HTML over the finished page
//	JSON that people read           Terminal: its escapes are those of JSON
//	a terminal                      Terminal, or Line where one line is wanted; Writer is an io.Writer that does it
//	a log                           log/slog, whose handlers quote what is not printable
//
// What cannot be seen, or changes how the text around it is seen, is written as JSON would escape it: U+202E as \u202e.
//
//test:sequential
package text
