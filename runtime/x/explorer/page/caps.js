// How much of what a server says the page looks at and shows: a server may say anything, and costs no more than this. Every expression that is tried on such a
// text takes time in proportion to its length.
export const caps = {
  // Characters.
  text: 200000, // of a text that is shown on purpose: an answer, a schema, a message
  question: 20000, // of the params of a question
  note: 4000, // of a text in passing: a description, an error, a notification
  line: 500, // of a text on one line: a progress, a violation, an address
  name: 200, // of a name
  pattern: 1000, // of a pattern that is tried
  tried: 256, // of a text that a pattern is tried on
  template: 8000, // of a URI template that is expanded
  pointer: 1000, // of a reference or a pointer that is followed
  number: 1000, // of a number that is compared
  picture: 300000, // of the base64 of a picture, in which its size is looked for
  trace: 16000000, // of the messages that are kept, in sum

  // Numbers of things.
  messages: 1000, // that are kept
  traced: 100, // messages that are shown
  notifications: 50, // that are shown
  questions: 20, // that are open
  listed: 20000, // entries of one list
  pages: 1000, // of one list
  entries: 500, // on the left, at a time
  examples: 50, // of an entry, and its hints
  errors: 100, // that an entry declares
  blocks: 200, // of a result
  pixels: 50000000, // of the pictures of a result, in sum
  violations: 100, // that are shown, or found
  options: 1000, // of an enum
  fields: 300, // of one object or list
  branches: 200, // of a union
  unions: 8, // that are branches of each other
  depth: 30, // of a value that is checked, and of references that refer to each other

  // A schema can refer to itself many times at each level. What is computed of one value is bounded, and so are the fields that are there to begin with.
  resolved: 200,
  fitted: 5000,
  started: 1000,
  begun: 500, // fields that begin with a value
  levels: 5, // of those
};
