package file

// nonBlocking adds no flag: GOOS=js has none for files that would wait, and programs in browsers have no files.
const nonBlocking = 0
