// Package revisions tests the published revisions of MCP through the importer, the comparison and the pages of the command.
//
//test:sequential
package revisions
