// Builds elements. Every text becomes a text node: what comes from elsewhere is never read as HTML.

/** What parts of tables are for screen readers, also where a style shows them as cards. */
const ROLES = {table: 'table', thead: 'rowgroup', tbody: 'rowgroup', tr: 'row', th: 'columnheader', td: 'cell'};

/** An element with attributes, listeners (functions) and children (nodes or texts). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (tag in ROLES) {
    element.setAttribute('role', ROLES[tag]);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

export function show(view, ...children) {
  view.replaceChildren(...children.filter(child => child !== null && child !== undefined));
}

export function button(text, click, attributes = {}) {
  return el('button', {type: 'button', click: attempt(click), ...attributes}, text);
}

let lastId = 0;

/** A field with its label, and a hint where there is one. */
export function field(text, input, {wide, hint} = {}) {
  if (hint) {
    input.setAttribute('aria-describedby', 'hint-' + ++lastId);
  }
  const isBox = input.type === 'checkbox';
  const label = el('label', {class: isBox ? 'check' : ''}, ...(isBox ? [input, text] : [text, input]));
  return el('div', {class: 'field' + (wide ? ' wide' : '')}, label,
      hint ? el('p', {class: 'hint', id: 'hint-' + lastId}, hint) : null);
}

export function text(name, attributes = {}) {
  return el('input', {name, autocomplete: 'off', spellcheck: 'false', ...attributes});
}

export function number(name, attributes = {}) {
  return el('input', {name, type: 'number', autocomplete: 'off', ...attributes});
}

export function box(name, attributes = {}) {
  return el('input', {name, type: 'checkbox', ...attributes});
}

export function choice(name, words, chosen) {
  return el('select', {name}, ...words.map(([value, label]) =>
      el('option', {value, selected: value === chosen}, label)));
}

/** A table with a heading for each column: a text, or [text, class]. */
export function table(caption, columns, rows) {
  return el('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': caption},
      el('table', {}, el('caption', {class: 'hidden'}, caption),
          el('thead', {}, el('tr', {}, ...columns.map(column => Array.isArray(column)
            ? el('th', {scope: 'col', class: column[1]}, column[1] === 'narrow' ? el('span', {class: 'hidden'}, column[0]) : column[0])
            : el('th', {scope: 'col'}, column)))), rows));
}

let timer = 0;

/** Tells something for a moment, also to screen readers. */
export function tell(message) {
  const status = document.getElementById('status');
  // In an open dialog the rest of the page is inert: what stands there is neither seen nor read.
  (document.querySelector('dialog[open]') || document.body).append(status);
  status.textContent = message;
  clearTimeout(timer);
  timer = setTimeout(() => { status.textContent = ''; }, 4000 + 80 * message.length);
}

/** Runs what may be refused, and tells why. */
export function attempt(action) {
  return async event => {
    event?.preventDefault?.();
    try {
      await action(event);
    } catch (error) {
      tell(error.message);
    }
  };
}

/** Opens a dialog; it is gone when it is closed. The result of closed(value) is of no interest. */
export function openDialog(title, attributes, closed, ...children) {
  const head = el('h2', {id: 'dialog-' + ++lastId}, title);
  const dialog = el('dialog', {...attributes, 'aria-labelledby': head.id, close: () => {
    const status = document.getElementById('status');
    document.body.append(status);
    dialog.remove();
    closed?.(dialog.returnValue);
  }}, head, ...children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks in a dialog; the answer is true or false. */
export function confirm(question, yes) {
  return new Promise(resolve => {
    const dialog = openDialog(question, {}, value => resolve(value === 'yes'),
        el('div', {class: 'row'},
            el('button', {class: 'main', click: () => dialog.close('yes')}, yes),
            el('button', {click: () => dialog.close('no')}, 'Back')));
  });
}

/** Asks for one text; the action gets it, and the dialog stays open while it is refused. */
export function askText(title, label, value, yes, action) {
  const input = text('text', {required: true});
  input.value = value;
  const dialog = openDialog(title, {}, null,
      el('form', {submit: attempt(async () => {
        await action(input.value);
        dialog.close();
      })}, el('div', {class: 'row'}, field(label, input, {wide: true})),
      el('div', {class: 'row'}, el('button', {class: 'main'}, yes),
          el('button', {type: 'button', click: () => dialog.close()}, 'Back'))));
  input.select();
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(count) {
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 ? value : value.toFixed(1)) + ' ' + UNITS[unit];
}

export function time(iso) {
  return iso ? new Date(iso).toLocaleString() : '';
}

/** The same to the minute, for columns. */
export function shortTime(iso) {
  return iso ? new Date(iso).toLocaleString([], {dateStyle: 'short', timeStyle: 'short'}) : '';
}

export function duration(seconds) {
  for (const [unit, length] of [['day', 86400], ['hour', 3600], ['minute', 60]]) {
    if (seconds >= length && seconds % length === 0) {
      const count = seconds / length;
      return count === 1 ? unit : `${count} ${unit}s`;
    }
  }
  return seconds === 1 ? 'second' : seconds + ' seconds';
}

/** The time that remains, roughly. */
export function remaining(seconds) {
  if (seconds < 90) {
    return Math.round(seconds) + ' s';
  }
  return seconds < 5400 ? Math.round(seconds / 60) + ' min'
    : seconds < 172800 ? (seconds / 3600).toFixed(1) + ' h' : Math.round(seconds / 86400) + ' days';
}

/** An instant for a field of type datetime-local, and back. */
export function toLocal(iso) {
  const date = new Date(iso);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function fromLocal(value) {
  return new Date(value).toISOString();
}
