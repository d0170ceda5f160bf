// Package gen is for generated code only. It makes no promise of compatibility to other code and
// changes together with generated code. The exceptions are [Pending] with its error and
// [ErrPending], which methods of generated clients return: they are part of the API of those
// clients.
//
// Clients write each message with a [Request], or collect messages in a [Batch]. [Decode], [Reply]
// and [Invoke] are shorter forms for values that write, read and check themselves.
//
//test:sequential
package gen

// API1 is referenced by generated code, which therefore fails to compile with a runtime that is too
// old for it.
const API1 = 1
