// How large a picture is, by its first bytes: a browser makes room for all of it, however few bytes it comes in.
import { caps } from './caps.js';

// size returns the width and height of a PNG, GIF, JPEG or WebP picture, given its base64; null for others, and if they are not at its beginning.
export function size(base64) {
  let bytes;
  try {
    const begin = base64.slice(0, caps.picture).replace(/[\s=]/g, '');
    bytes = Uint8Array.from(atob(begin.slice(0, begin.length - begin.length % 4)), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
  const view = new DataView(bytes.buffer);
  const ascii = (at, text) => [...text].every((c, i) => bytes[at + i] === c.charCodeAt(0));
  try {
    if (ascii(0, '\x89PNG\r\n\x1a\n') && ascii(12, 'IHDR')) return [view.getUint32(16), view.getUint32(20)];
    if (ascii(0, 'GIF8')) return gif(view);
    if (ascii(0, '\xff\xd8')) return jpeg(view);
    if (!ascii(0, 'RIFF') || !ascii(8, 'WEBP')) return null;
    const three = (at) => view.getUint16(at, true) + view.getUint8(at + 2) * 65536;
    if (ascii(12, 'VP8 ')) return [view.getUint16(26, true) % 16384, view.getUint16(28, true) % 16384];
    if (ascii(12, 'VP8L')) return [view.getUint32(21, true) % 16384 + 1, (view.getUint32(21, true) >>> 14) % 16384 + 1];
    return ascii(12, 'VP8X') ? [three(24) + 1, three(27) + 1] : null;
  } catch {
    return null; // it ends before
  }
}

// gif returns the size of the screen or of the first image, which may be larger.
function gif(view) {
  const table = (flags) => (flags & 128 ? 3 << (flags & 7) + 1 : 0); // bytes of a table of colours
  let at = 13 + table(view.getUint8(10));
  while (view.getUint8(at) === 0x21) { // an extension of blocks
    at += 2;
    while (view.getUint8(at)) at += view.getUint8(at) + 1;
    at++;
  }
  if (view.getUint8(at) !== 0x2c) return null;
  const most = (screen, place, side) => Math.max(view.getUint16(screen, true), view.getUint16(place, true) + view.getUint16(side, true));
  return [most(6, at + 1, at + 5), most(8, at + 3, at + 7)];
}

function jpeg(view) {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const kind = view.getUint8(at + 1);
    if (kind === 0xff) { at++; continue; } // fill bytes
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}
