// Texts in the fragment of a URL: JSON, compressed by DEFLATE (RFC 1951), in base64url (RFC 4648, section 5).
const mark = 'v1=';
const most = 8 << 20; // bytes of the texts of a link

async function through(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      reader.cancel();
      throw new Error(`it holds more than ${limit >> 20} MiB`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function encode(content) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(content)), new CompressionStream('deflate-raw'), Infinity);
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return mark + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function decode(fragment) {
  if (!fragment.startsWith(mark)) throw new Error(`it does not begin with #${mark}`);
  let text;
  try {
    text = atob(fragment.slice(mark.length).replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    throw new Error('it has been cut off or changed');
  }
  let content;
  try {
    const bytes = await through(Uint8Array.from(text, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw'), most);
    content = JSON.parse(new TextDecoder().decode(bytes));
  } catch (reason) {
    throw /MiB/.test(reason.message) ? reason : new Error('it has been cut off or changed');
  }
  for (const key of ['name', 'text', 'before', 'take']) {
    if (content?.[key] !== undefined && typeof content[key] !== 'string') throw new Error(`its ${key} is not a text`);
  }
  if (typeof content?.text !== 'string') throw new Error('it holds no text');
  return content;
}
