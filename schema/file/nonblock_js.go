package file

// nonBlocking is no flag: with GOOS=js there is no flag for files that would wait, and programs in browsers have no files.
const nonBlocking = 0
