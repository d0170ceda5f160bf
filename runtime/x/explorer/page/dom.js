// What the explorer and the playground share: elements, tabs, copies and downloads. Texts of others become text nodes and never markup.

// h makes an element: h('button', {class: 'main', onclick: f}, 'Text', other). Attributes that are false, null or undefined are left out.
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value') element.value = value;
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

let ids = 0;
// id returns an id that no other element has.
export const id = () => 'e' + ++ids;

// tabs joins buttons and panels to tabs that arrow keys, Home and End move between. Entries are [name, label, panel]; chosen is called with the
// name of the one that is shown. The result has show(name), label(name, text) and hide(name, hidden).
export function tabs(title, entries, chosen = () => {}) {
  const list = h('div', { role: 'tablist', 'aria-label': title });
  const all = new Map();
  let current = null;
  const show = (name, focus) => {
    current = name;
    for (const [key, { tab, panel }] of all) {
      const on = key === name;
      tab.setAttribute('aria-selected', on);
      tab.tabIndex = on ? 0 : -1;
      panel.classList.toggle('hidden', !on);
      if (on && focus) tab.focus();
    }
    chosen(name);
  };
  for (const [name, label, panel] of entries) {
    const tab = h('button', { role: 'tab', type: 'button', id: id(), onclick: () => show(name) }, label);
    panel.id ||= id();
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    all.set(name, { tab, panel });
    list.append(tab);
  }
  list.addEventListener('keydown', (event) => {
    const shown = [...all].filter(([, { tab }]) => !tab.classList.contains('hidden')).map(([name]) => name);
    const at = shown.indexOf(current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(shown[(to + shown.length) % shown.length], true);
  });
  return {
    list,
    show,
    current: () => current,
    label: (name, text) => { all.get(name).tab.textContent = text; },
    hide: (name, hidden) => {
      all.get(name).tab.classList.toggle('hidden', hidden);
      if (hidden && current === name) show(entries[0][0]);
    },
  };
}

// download gives the person a file.
export function download(name, bytes, type = 'application/octet-stream') {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// copyButton returns a button that copies what text returns, and says so.
export function copyButton(label, text) {
  const button = h('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    const was = label;
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied: the browser did not allow it';
    }
    setTimeout(() => { button.textContent = was; }, 1500);
  });
  return button;
}

// clip shortens a text for showing, and says by how much.
export function clip(text, most) {
  if (text.length <= most) return text;
  return text.slice(0, most) + `\n... ${(text.length - most).toLocaleString('en')} more characters are not shown`;
}
