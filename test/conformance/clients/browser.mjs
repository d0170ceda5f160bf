// The clients of MCP for TypeScript in Chromium, on a page of another origin than the server's: browser.mjs SDK PLAN MODE URL, where SDK is
// sdk or client. The server must allow the origin http://app.example.com: a page from there goes through the plan, and one from
// http://other.example.com gets no answer. CHROMIUM, of the environment, is a browser to use in place of the one from npm, which is for
// Linux on amd64.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readPlan, run } from './program.mjs';

const allowed = 'http://app.example.com', refused = 'http://other.example.com';

// unpacked returns the path of the browser from npm, which is unpacked once, into a folder that gets its name when it is complete. npm removes it
// when it installs another version.
async function unpacked() {
  const { default: chromium } = await import('@sparticuz/chromium');
  const folder = fileURLToPath(new URL('node_modules/.chromium', import.meta.url));
  if (!existsSync(folder)) {
    process.env.TMPDIR = mkdtempSync(`${folder}-`);
    await chromium.executablePath();
    renameSync(process.env.TMPDIR, folder);
  }
  return join(folder, 'chromium');
}

// site serves the page and the plan, and hands each result to next, which says where the page goes then.
async function site(plan, next) {
  const { outputFiles: [page] } = await build({
    entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))], bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'error',
  });
  const files = {
    '/': ['text/html', '<!doctype html><script type="module" src="page.mjs"></script>'],
    '/page.mjs': ['text/javascript', page.text],
    '/plan.json': ['application/json', JSON.stringify(plan)],
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, allowed);
    if (pathname === '/result') {
      response.end(next(request.headers.origin, await json(request)));
    } else if (files[pathname]) {
      response.writeHead(200, { 'content-type': files[pathname][0] }).end(files[pathname][1]);
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

// open starts the browser at a URL; both origins are the server at the port. It reads commands from a pipe, and ends when that does.
function open(browser, profile, port, url) {
  const toSite = (origin) => `MAP ${new URL(origin).host}:80 127.0.0.1:${port}`;
  return spawn(browser, [
    '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--remote-debugging-pipe', `--user-data-dir=${profile}`,
    `--host-resolver-rules=${toSite(allowed)},${toSite(refused)}`, url,
  ], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
}

// close ends the browser, which has a moment to end its processes.
async function close(child) {
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  child.stdio[3].end(`${JSON.stringify({ id: 1, method: 'Browser.close' })}\0`);
  await once(child, 'exit');
  clearTimeout(timer);
}

run(async () => {
  const sdk = process.argv[2];
  process.argv.splice(2, 1);
  const { plan, mode, url } = readPlan();
  const browser = process.env.CHROMIUM || await unpacked();
  const at = (origin) => `${origin}/?${new URLSearchParams({ sdk, plan: '/plan.json', mode, url })}`;
  const results = {};
  const { promise: visited, resolve, reject } = Promise.withResolvers();
  const port = await site(plan, (origin, result) => {
    results[origin] = result;
    if (origin === refused) return at(allowed);
    resolve();
    return '';
  });
  const profile = mkdtempSync(fileURLToPath(new URL('profile-', import.meta.url)));
  const child = open(browser, profile, port, at(refused));
  const said = text(child.stderr);
  child.on('error', reject);
  child.on('exit', async () => reject(new Error(`the browser ended: ${await said}`)));
  const timer = setTimeout(() => reject(new Error(`the page was not done after a minute: ${JSON.stringify(results)}`)), 60000);
  try {
    await visited;
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null && child.signalCode === null && child.pid) await close(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
  if (results[allowed].fault) throw new Error(`the page of ${allowed}: ${results[allowed].fault}`);
  if (results[refused].answers > 0 || !results[refused].fault) throw new Error(`the page of ${refused} is not kept out: ${JSON.stringify(results[refused])}`);
});
