// The worker of the static page: it loads the compiler, expands it and answers requests. It makes no request after that.
importScripts('wasm_exec.js');

self.rpcgenReady = (examples) => postMessage({ ready: examples });

async function load() {
  const response = await fetch('compiler.wasm.gz');
  if (!response.ok) throw new Error(`compiler.wasm.gz: status ${response.status}`);
  const total = Number(response.headers.get('Content-Length'));
  let loaded = 0;
  let told = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.length;
      if (total && loaded - told > total / 20) {
        told = loaded;
        postMessage({ loading: `The compiler is loading: ${Math.min(100, Math.round((100 * loaded) / total))} %` });
      }
      controller.enqueue(chunk);
    },
  });
  let body = response.body.pipeThrough(counted);
  // A server that knows the ending .gz as an encoding has the browser expand it.
  const expanded = response.headers.get('Content-Encoding') === 'gzip';
  if (!expanded) body = body.pipeThrough(new DecompressionStream('gzip'));
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(new Response(body, { headers: { 'Content-Type': 'application/wasm' } }), go.importObject);
  go.run(instance).then(() => postMessage({ stopped: true }));
}

addEventListener('message', ({ data }) => {
  const begun = performance.now();
  let answer;
  try {
    answer = self.rpcgenCompile(data.request);
    if (typeof answer !== 'string') throw new Error('it has no memory left');
  } catch (reason) {
    postMessage({ stopped: true, id: data.id });
    return;
  }
  postMessage({ id: data.id, answer, took: performance.now() - begun });
});

load().catch((reason) => postMessage({ failed: 'The compiler cannot be loaded: ' + reason.message }));
