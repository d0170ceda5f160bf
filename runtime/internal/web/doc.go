// Package web is what the HTTP servers and clients of the transports share: limits of clients, bodies, answers, and the check of origins.
package web
