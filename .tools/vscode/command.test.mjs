import assert from 'node:assert/strict';
import { chmod, mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { existsSync } from 'node:fs';
import command from './command.js';

const folders = [];
const folder = async (files = {}) => {
  const at = await mkdtemp(path.join(tmpdir(), 'command-'));
  folders.push(at);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(at, name)), { recursive: true });
    await writeFile(path.join(at, name), text);
    if (text.startsWith('#!')) await chmod(path.join(at, name), 0o755);
  }
  return at;
};
after(() => Promise.all(folders.map((at) => rm(at, { recursive: true }))));

const ours = (name) => `#!/bin/sh\n[ "$1" = version ] && echo "${name} v0.1.0 (go1.26.8 linux/amd64)"\n`;
// As that of Sun RPC, it takes any argument for a file, and writes others next to it.
const sun = '#!/bin/sh\ntouch "$1.h" "$1_clnt.c" "$1_svc.c"\n';
const goTool = (output) => `#!/bin/sh\n[ "$*" = "tool rpcgen version" ] && ${output}\n`;
const listed = 'module example.com/a\n\ntool github.com/rpcgen-go/rpcgen/cmd/rpcgen\n';

// withPath runs a function with the programs of a folder, and those of the shell.
const withPath = async (programs, run) => {
  const before = process.env.PATH;
  process.env.PATH = `${await folder(programs)}${path.delimiter}/bin`;
  try { return await run(); } finally { process.env.PATH = before; }
};

test('the command that is set', async () => {
  const at = await folder({ mine: ours('mine') });
  assert.deepEqual(await command.find([path.join(at, 'mine')], at), [path.join(at, 'mine')]);
  assert.deepEqual(await command.find(['./mine'], at), [path.join(at, 'mine')]);
  await assert.rejects(command.find(['/bin/echo'], at), /rpcgen\.command is \/bin\/echo, which does not answer/);
  await assert.rejects(command.find(['/none'], at), /does not answer/);
});

test('the tool of the module, from a folder below', async () => {
  const at = await folder({ 'go.mod': listed, 'rpc/a.rpc.yaml': '' });
  await withPath({ go: goTool('echo "rpcgen (devel) (go1.26.8 linux/amd64)"'), 'rpcgen-go': ours('rpcgen-go') }, async () => {
    assert.deepEqual(await command.find([], path.join(at, 'rpc')), ['go', 'tool', 'rpcgen']);
  });
  await withPath({ go: goTool('exit 1'), 'rpcgen-go': ours('rpcgen-go') }, async () => {
    await assert.rejects(command.find([], at), /"go tool rpcgen version" fails in/);
  });
});

test('go.mod', async () => {
  for (const [mod, want] of [
    [listed, true], ['tool (\n\tgithub.com/rpcgen-go/rpcgen/cmd/rpcgen // the compiler\n)\n', true],
    ['require github.com/rpcgen-go/rpcgen v0.1.0\n', false], ['// tool github.com/rpcgen-go/rpcgen/cmd/rpcgen\n', false],
    ['tool github.com/rpcgen-go/rpcgen/cmd/rpcgen-go\n', false],
  ]) {
    assert.equal(await command.lists(await folder({ 'go.mod': mod })), want, mod);
  }
  assert.equal(await command.lists(await folder()), false);
});

test('rpcgen-go, then rpcgen', async () => {
  const at = await folder();
  await withPath({ 'rpcgen-go': ours('rpcgen-go'), rpcgen: sun }, async () => {
    assert.deepEqual(await command.find([], at), ['rpcgen-go']);
  });
  await withPath({ rpcgen: ours('rpcgen') }, async () => {
    assert.deepEqual(await command.find([], at), ['rpcgen']);
  });
});

test('the rpcgen of Sun RPC is refused, and finds nothing to read or to replace', async () => {
  const at = await folder({ version: 'program P {} = 1;' });
  await withPath({ rpcgen: sun }, async () => {
    await assert.rejects(command.find([], at), /There is no rpcgen: run "go get -tool .*another one/);
    await assert.rejects(command.find(['rpcgen'], at), /does not answer/);
  });
  assert.deepEqual(await readdir(at), ['version']);
});

test('the rpcgen of this system, if it is the one of Sun RPC', { skip: !existsSync('/usr/bin/rpcgen') && 'rpcsvc-proto is not installed' }, async () => {
  assert.equal(await command.isOurs(['/usr/bin/rpcgen']), false);
});
