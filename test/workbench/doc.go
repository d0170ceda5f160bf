// Package workbench drives the playground and the explorer in Chromium, as people would use them.
package workbench
