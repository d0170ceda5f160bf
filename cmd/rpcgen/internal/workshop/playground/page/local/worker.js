// The worker of a page that rpcgen playground serves: the command compiles.
addEventListener('message', async ({ data }) => {
  const begun = performance.now();
  try {
    const response = await fetch('compile', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: data.request });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    postMessage({ id: data.id, answer, took: performance.now() - begun });
  } catch (reason) {
    postMessage({ id: data.id, answer: JSON.stringify({ error: 'rpcgen playground does not answer: ' + reason.message }), took: 0 });
  }
});

fetch('examples').then((r) => r.text()).then((examples) => postMessage({ ready: examples }), (reason) => postMessage({ failed: 'rpcgen playground does not answer: ' + reason.message }));
