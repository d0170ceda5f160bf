// Package gen is for generated code only: it makes no promises to people, and changes as generated code does. What the methods of generated
// clients return of it, a [Pending] with its result and [ErrPending], is part of their API, and kept as that is.
//
// Clients write each message with a [Request], or collect messages in a [Batch]. For values that know how to write, read and check
// themselves there are shorter ways to do the same: [Decode], [Reply] and [Invoke].
package gen

// API1 is named by generated code, and so fails to compile where the runtime is too old for it.
const API1 = 1
