// Package login has the clients that are here log in at an authorization server of others, the OpenID provider of zitadel/oidc: the one of
// a program, and rpcgen tools and call, with a browser that fills in its form. It is a module of its own, because of what that needs.
package login
