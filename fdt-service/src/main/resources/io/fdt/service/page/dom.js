// Builds elements. Every text becomes a text node: what comes from elsewhere is never read as HTML.

/** An element with attributes, listeners (functions) and children (nodes or texts). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
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
  view.replaceChildren(...children);
}

/** A field with its label. */
export function field(text, input, wide) {
  return el('label', {class: input.type === 'checkbox' ? 'check' : wide ? 'wide' : ''},
      ...(input.type === 'checkbox' ? [input, text] : [text, input]));
}

export function choice(name, words, chosen) {
  return el('select', {name}, ...words.map(([value, text]) =>
      el('option', {value, selected: value === chosen}, text)));
}

let timer = 0;

/** Tells something for a moment, also to screen readers. */
export function tell(text) {
  const status = document.getElementById('status');
  status.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { status.textContent = ''; }, 8000);
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

/** Asks in a dialog; the answer is true or false. */
export function confirm(question, yes) {
  return new Promise(resolve => {
    const dialog = el('dialog', {'aria-label': 'Question', close: () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    }},
    el('form', {method: 'dialog', submit: event => {
      event.preventDefault();
      dialog.close(event.submitter.value);
    }},
    el('p', {}, question),
    el('div', {class: 'row'},
        el('button', {value: 'yes', class: 'main'}, yes),
        el('button', {value: 'no'}, 'Back'))));
    document.body.append(dialog);
    dialog.showModal();
  });
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

export function time(text) {
  return text ? new Date(text).toLocaleString() : '';
}
