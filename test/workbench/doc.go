// Package workbench drives the playground and the explorer in Chromium and Firefox, as people would use them.
package workbench
