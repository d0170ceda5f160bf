// What the results of MCP contain: texts, images, sound, resources and links.
import { h, clip } from './dom.js';
import { get, isObject, print } from './json.js';

const text = (v) => (typeof v === 'string' ? v : '');
const most = 200000;
const mostBlocks = 200;
const list = (v) => (Array.isArray(v) ? v.slice(0, mostBlocks) : []);

// data returns a data URL for a type of media that the page shows; null for others.
function data(type, base64, kind) {
  return new RegExp(`^${kind}/[\\w.+-]+$`).test(type) && /^[A-Za-z0-9+/=\s]*$/.test(base64) ? `data:${type};base64,${base64}` : null;
}

function media(type, base64, label) {
  const image = data(type, base64, 'image');
  if (image) return h('img', { src: image, alt: label });
  const sound = data(type, base64, 'audio');
  if (sound) return h('audio', { src: sound, controls: true, 'aria-label': label });
  return h('p', { class: 'quiet' }, `${type || 'data'}, ${base64.length.toLocaleString('en')} characters of base64`);
}

function resource(r) {
  const head = h('p', { class: 'quiet' }, text(get(r, 'uri')), ' ', text(get(r, 'mimeType')));
  const body = typeof get(r, 'text') === 'string' ? h('pre', { class: 'wrap', tabindex: 0 }, clip(get(r, 'text'), most)) : media(text(get(r, 'mimeType')), text(get(r, 'blob')), 'Resource');
  return [head, body];
}

function block(b) {
  switch (get(b, 'type')) {
    case 'text': return h('pre', { class: 'wrap', tabindex: 0 }, clip(text(get(b, 'text')), most));
    case 'image': return media(text(get(b, 'mimeType')), text(get(b, 'data')), 'Image of the answer');
    case 'audio': return media(text(get(b, 'mimeType')), text(get(b, 'data')), 'Sound of the answer');
    case 'resource': return h('div', {}, resource(get(b, 'resource')));
    case 'resource_link': return h('p', {}, text(get(b, 'title')) || text(get(b, 'name')), ' ', h('code', {}, text(get(b, 'uri'))));
  }
  return h('pre', { class: 'wrap' }, clip(print(b, '  '), most));
}

// content shows a result of tools/call, resources/read or prompts/get.
export function content(result) {
  const all = [];
  for (const b of list(get(result, 'content'))) all.push(h('div', { class: 'block' }, block(b)));
  for (const r of list(get(result, 'contents'))) all.push(h('div', { class: 'block' }, resource(r)));
  for (const m of list(get(result, 'messages'))) {
    const inner = get(m, 'content');
    all.push(h('div', { class: 'block' }, h('strong', {}, text(get(m, 'role'))), (Array.isArray(inner) ? list(inner) : [inner]).filter(isObject).map(block)));
  }
  for (const name of ['content', 'contents', 'messages']) {
    const n = get(result, name)?.length - mostBlocks;
    if (n > 0) all.push(h('p', { class: 'quiet' }, `${n.toLocaleString('en')} more are in the JSON only.`));
  }
  const structured = get(result, 'structuredContent');
  if (structured !== undefined) all.push(h('h3', {}, 'Structured content'), h('pre', { class: 'wrap', tabindex: 0 }, clip(print(structured, '  '), most)));
  return h('div', { class: 'content' }, all);
}
