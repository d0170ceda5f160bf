// What the results of MCP contain: texts, images, sound, resources and links.
import { caps } from './caps.js';
import { h, clip } from './dom.js';
import { get, isObject, print } from './json.js';
import { size } from './picture.js';

const text = (v) => (typeof v === 'string' ? v : '');
const list = (v) => (Array.isArray(v) ? v.slice(0, caps.blocks) : []);
let pixels = 0; // of the pictures of the result

const encoded = (base64) => /^[A-Za-z0-9+/=\s]*$/.test(base64);

// media shows a picture or a sound. A picture of vectors is a program that draws, which may take for ever; others show their size first.
function media(type, base64, label) {
  const quiet = (why) => h('p', { class: 'quiet' }, `${clip(type, caps.name) || 'data'}, ${base64.length.toLocaleString('en')} characters of base64${why}`);
  if (/^audio\/[\w.+-]{1,100}$/.test(type) && encoded(base64)) {
    return h('audio', { src: `data:${type};base64,${base64}`, controls: true, preload: 'none', 'aria-label': label });
  }
  if (!/^image\/(png|gif|jpeg|webp)$/.test(type)) return quiet('');
  const [width, height] = size(base64) ?? [];
  if (width === undefined || !encoded(base64)) return quiet(': not shown, because it does not say its size');
  if (pixels + width * height > caps.pixels) return quiet(`: not shown, because ${width} x ${height} is too large`);
  pixels += width * height;
  return h('img', { src: `data:${type};base64,${base64}`, alt: label });
}

function resource(r) {
  const head = h('p', { class: 'quiet' }, clip(text(get(r, 'uri')), caps.note), ' ', clip(text(get(r, 'mimeType')), caps.name));
  const body = typeof get(r, 'text') === 'string'
    ? h('pre', { class: 'wrap', tabindex: 0 }, clip(get(r, 'text'), caps.text))
    : media(text(get(r, 'mimeType')), text(get(r, 'blob')), 'Resource');
  return [head, body];
}

function block(b) {
  switch (get(b, 'type')) {
    case 'text': return h('pre', { class: 'wrap', tabindex: 0 }, clip(text(get(b, 'text')), caps.text));
    case 'image': return media(text(get(b, 'mimeType')), text(get(b, 'data')), 'Image of the answer');
    case 'audio': return media(text(get(b, 'mimeType')), text(get(b, 'data')), 'Sound of the answer');
    case 'resource': return h('div', {}, resource(get(b, 'resource')));
    case 'resource_link': return h('p', {}, clip(text(get(b, 'title')) || text(get(b, 'name')), caps.line), ' ',
      h('code', {}, clip(text(get(b, 'uri')), caps.note)));
  }
  return h('pre', { class: 'wrap' }, clip(print(b, '  '), caps.text));
}

// content shows a result of tools/call, resources/read or prompts/get.
export function content(result) {
  pixels = 0;
  const all = [];
  for (const b of list(get(result, 'content'))) all.push(h('div', { class: 'block' }, block(b)));
  for (const r of list(get(result, 'contents'))) all.push(h('div', { class: 'block' }, resource(r)));
  for (const m of list(get(result, 'messages'))) {
    const inner = get(m, 'content');
    all.push(h('div', { class: 'block' }, h('strong', {}, clip(text(get(m, 'role')), caps.name)),
      (Array.isArray(inner) ? list(inner) : [inner]).filter(isObject).map(block)));
  }
  for (const name of ['content', 'contents', 'messages']) {
    const n = get(result, name)?.length - caps.blocks;
    if (n > 0) all.push(h('p', { class: 'quiet' }, `${n.toLocaleString('en')} more are in the JSON only.`));
  }
  const structured = get(result, 'structuredContent');
  if (structured !== undefined) all.push(h('h3', {}, 'Structured content'), h('pre', { class: 'wrap', tabindex: 0 }, clip(print(structured, '  '), caps.text)));
  return h('div', { class: 'content' }, all);
}
