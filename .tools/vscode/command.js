// Which command is rpcgen. Another program has that name: the compiler of Sun RPC, which takes any file for its input, and writes files next to it.
const { execFile } = require('node:child_process');
const { mkdtemp, readFile, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');

const tool = 'github.com/rpcgen-go/rpcgen/cmd/rpcgen';

// answer is what rpcgen version prints, by whatever name it was called.
const answer = /^\S+ (v\d\S*|\((devel|unknown)\)) \(go\d\S* \w+\/\w+\)\s*$/;

// lists reports whether the go.mod of a folder, or of the nearest folder above that has one, lists rpcgen as a tool.
async function lists(folder) {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const mod = await readFile(path.join(at, 'go.mod'), 'utf8').catch(() => undefined);
    if (mod !== undefined) {
      return mod.split('\n').some((line) => line.replace(/\/\/.*/, '').replace(/^\s*tool\s/, '').trim() === tool);
    }
    if (at === path.dirname(at)) return false;
  }
}

// isOurs asks a command for its version, in a folder of its own unless one is given: there is nothing that another program could read or replace.
async function isOurs(command, folder) {
  const empty = folder ? undefined : await mkdtemp(path.join(tmpdir(), 'rpcgen-'));
  try {
    return await new Promise((resolve) => {
      const [file, ...args] = command;
      execFile(file, [...args, 'version'], { cwd: folder ?? empty, timeout: 120_000 }, (error, stdout) => resolve(!error && answer.test(stdout)));
    });
  } finally {
    if (empty) await rm(empty, { recursive: true, force: true });
  }
}

// find returns the command and its arguments for a folder: the one that is set, else the tool of the module, else a program. What does not answer as rpcgen
// does is not started; the error says what to do.
async function find(set, folder) {
  if (set.length > 0) {
    const [name, ...args] = set;
    const command = [name.includes('/') ? path.resolve(folder, name) : name, ...args];
    if (await isOurs(command, name === 'go' ? folder : undefined)) return command; // go tool needs the module, and no other program gets to see it
    throw new Error(`rpcgen.command is ${set.join(' ')}, which does not answer to "version" as rpcgen does.`);
  }
  const goTool = ['go', 'tool', 'rpcgen'];
  if (await lists(folder)) {
    if (await isOurs(goTool, folder)) return goTool;
    throw new Error(`go.mod lists rpcgen as a tool, and "go tool rpcgen version" fails in ${folder}.`);
  }
  for (const command of [['rpcgen-go'], ['rpcgen']]) {
    if (await isOurs(command)) return command;
  }
  throw new Error(`There is no rpcgen: run "go get -tool ${tool}" in the module, or install rpcgen-go. A program called rpcgen that compiles Sun RPC is another one.`);
}

module.exports = { find, isOurs, lists };
