// A ZIP archive of texts, stored without compression (APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
const table = new Uint32Array(256).map((_, n) => {
  for (let i = 0; i < 8; i++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

// zip returns the bytes of an archive of [path, text] pairs.
export function zip(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const central = [];
  let offset = 0;
  const date = (46 << 9) | (1 << 5) | 1; // 2026-01-01: archives of the same texts are the same
  for (const [path, text] of files) {
    const name = encoder.encode(path);
    const data = encoder.encode(text);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true); // version needed
    common.setUint16(2, 0x800, true); // names are UTF-8
    common.setUint16(8, date, true);
    common.setUint32(10, crc32(data), true);
    common.setUint32(14, data.length, true);
    common.setUint32(18, data.length, true);
    common.setUint16(22, name.length, true);
    const bytes = new Uint8Array(common.buffer);
    parts.push(new Uint8Array([0x50, 0x4b, 3, 4]), bytes, name, data);
    const rest = new DataView(new ArrayBuffer(14));
    rest.setUint32(10, offset, true);
    central.push(new Uint8Array([0x50, 0x4b, 1, 2, 20, 0]), bytes, new Uint8Array(rest.buffer), name);
    offset += 30 + name.length + data.length;
  }
  const size = central.reduce((n, p) => n + p.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  const all = [...parts, ...central, new Uint8Array(end.buffer)];
  const out = new Uint8Array(all.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of all) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
