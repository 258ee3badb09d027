// Parts that the views share: icons, fields, buttons, tables, dialogs, toasts.

import {html, nothing, render, repeat} from './lit.js';

/** A drawing of icons.svg. It says nothing to screen readers: a text beside it does. */
export const icon = (name, style = '') => html`<svg class="icon ${style}" aria-hidden="true"><use href="icons.svg#${name}"></use></svg>`;

/**
 * A field with its label.
 *
 * @param input name; type; value, or checked; choices: [value, label] of each; rows: for several lines; wide; hint;
 *     change: called when the value changes; and attributes of HTML
 */
export function field(label, input) {
  const {name, type = 'text', wide, hint} = input;
  const isBox = type === 'checkbox';
  const control = input.choices ? select(input) : input.rows ? area(input) : single(input, type, isBox);
  return html`
    <div class="field ${wide ? 'wide' : ''}">
      <label class=${isBox ? 'check' : ''}>${isBox ? [control, label] : [label, control]}</label>
      ${hint ? html`<p class="hint" id="hint-${name}">${hint}</p>` : nothing}
    </div>`;
}

const hinted = ({name, hint}) => hint ? 'hint-' + name : nothing;

function single(input, type, isBox) {
  return html`<input name=${input.name} type=${type} autocomplete=${input.autocomplete ?? 'off'} spellcheck="false"
    value=${isBox ? nothing : input.value ?? ''} ?checked=${input.checked} ?required=${input.required}
    ?readonly=${input.readonly} ?disabled=${input.disabled} placeholder=${input.placeholder ?? nothing}
    pattern=${input.pattern ?? nothing} maxlength=${input.maxlength ?? nothing} min=${input.min ?? nothing}
    max=${input.max ?? nothing} step=${input.step ?? nothing} aria-describedby=${hinted(input)}
    @input=${input.change ?? nothing}>`;
}

function area(input) {
  return html`<textarea name=${input.name} rows=${input.rows} spellcheck="false" .defaultValue=${input.value ?? ''}
    ?required=${input.required} placeholder=${input.placeholder ?? nothing}
    aria-describedby=${hinted(input)}></textarea>`;
}

/** A choice; with a label of its own where it stands in no field. */
export function select({name, choices, value = '', change, label, required}) {
  // The earlier choice may be gone; nothing else takes its place unasked.
  const known = choices.some(([key]) => key === value) || !required ? choices : [['', 'Choose'], ...choices];
  return html`
    <select name=${name} aria-label=${label ?? nothing} ?required=${required} @change=${change ?? nothing}>
      ${repeat(known, choice => choice[0], ([key, text]) =>
        html`<option value=${key} .selected=${key === value}>${text}</option>`)}
    </select>`;
}

/** The values of the fields of a form by name, without those that are off or not ticked. */
export function values(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
}

/** Runs an action with the values of a form when it is sent. */
export const submit = action => attempt(event => action(values(event.target), event.target));

/** The place in a form where it says why it was refused. */
export const problem = html`<p class="form-error" role="alert"></p>`;

/** @param sign an icon before the text */
export function button(text, click, {style = '', label, disabled, pressed, sign} = {}) {
  return html`<button type="button" class=${style} aria-label=${label ?? nothing} aria-pressed=${pressed ?? nothing}
    ?disabled=${disabled} @click=${attempt(click)}>${sign ? icon(sign) : nothing}${text}</button>`;
}

/** A button that shows an icon only; its name is for screen readers and for the pointer that rests on it. */
export function tool(sign, label, click, {style = '', disabled, pressed} = {}) {
  return html`<button type="button" class="plain tool ${style}" aria-label=${label} title=${label}
    aria-pressed=${pressed ?? nothing} ?disabled=${disabled} @click=${attempt(click)}>${icon(sign)}</button>`;
}

/** A button that opens a list of others. */
export const menu = (sign, label, content, style = '') => html`
  <details class="menu ${style}"><summary class="plain tool" aria-label=${label} title=${label}>${icon(sign)}</summary>
    <div>${content}</div></details>`;

const openMenus = () => document.querySelectorAll('details.menu[open]');
document.addEventListener('click', ({target}) => openMenus().forEach(one => {
  if (!one.contains(target) || target.closest('.menu button')) {
    one.open = false;
  }
}));

/** Stands where there is nothing: a title, a reason, actions. */
export function state(sign, title, text = '', actions = nothing, style = '') {
  return html`<div class="state ${style}">${icon(sign, sign === 'loader-circle' ? 'spin' : '')}
    <strong>${title}</strong>${text ? html`<p>${text}</p>` : nothing}
    ${actions === nothing ? nothing : html`<div class="row">${actions}</div>`}</div>`;
}

export const loading = state('loader-circle', 'Loading.');

/**
 * A table. The roles are for screen readers, also where a style shows rows as cards.
 *
 * @param key identifies a row
 * @param columns of each its heading, what it shows of a row, and its style; falsy ones are left out
 * @param style of a row
 */
export function table(caption, rows, key, columns, style = () => '') {
  const shown = columns.filter(Boolean);
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label=${caption} ?hidden=${rows.length === 0}>
      <table role="table">
        <caption class="hidden">${caption}</caption>
        <thead role="rowgroup"><tr role="row">${shown.map(([name, , look = '']) => html`
          <th role="columnheader" scope="col" class=${look}>
            ${/narrow|act/.test(look) ? html`<span class="hidden">${name}</span>` : name}</th>`)}</tr></thead>
        <tbody role="rowgroup">${repeat(rows, key, row => html`
          <tr role="row" class=${style(row)}>${shown.map(([name, cell, look = '']) =>
            html`<td role="cell" class=${look} data-label=${name}>${cell(row)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`;
}

const toasts = [];
let lastToast = 0;

function drawToasts() {
  render(repeat(toasts, one => one.id, one => html`
    <div class="toast ${one.isBad ? 'bad' : ''}" role=${one.isBad ? 'alert' : 'status'}>
      ${icon(one.isBad ? 'circle-alert' : 'circle-check')}<p>${one.message}</p>
      <button type="button" class="plain tool" aria-label="Close this message" @click=${() => dismiss(one.id)}>${icon('x')}</button>
    </div>`), document.getElementById('toasts'));
}

function dismiss(id) {
  const place = toasts.findIndex(one => one.id === id);
  if (place >= 0) {
    toasts.splice(place, 1);
    drawToasts();
  }
}

/** Closes the errors of a view that is left. */
export function forgetErrors() {
  toasts.filter(one => one.isBad).forEach(one => dismiss(one.id));
}

document.addEventListener('keydown', event => {
  if (event.key === 'Escape') {
    openMenus().forEach(one => {
      one.open = false;
      one.querySelector('summary').focus();
    });
    dismiss(toasts.at(-1)?.id);
  }
});

/** A message for some seconds; in an open dialog it stands there. */
export function tell(message, isBad = false) {
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (dialog) {
    const place = dialog.querySelector(isBad ? '.form-error' : '.dialog-note') ?? dialog.querySelector('.dialog-note');
    place.textContent = message;
    place.scrollIntoView({block: 'nearest'});
    return;
  }
  const same = toasts.findIndex(one => one.message === message);
  if (same >= 0) {
    toasts.splice(same, 1);
  }
  const id = ++lastToast;
  toasts.push({id, message, isBad});
  toasts.splice(0, toasts.length - 3);
  drawToasts();
  setTimeout(() => dismiss(id), (isBad ? 8000 : 4000) + 60 * message.length);
}

/** Runs an action, and shows why it was refused: in its form where it has a place for that. */
export function attempt(action) {
  return async event => {
    event?.preventDefault?.();
    const place = event?.target?.closest?.('form')?.querySelector('.form-error');
    if (place) {
      place.textContent = '';
    }
    try {
      await action(event);
    } catch (error) {
      if (place?.isConnected) {
        place.textContent = error.message;
        place.scrollIntoView({block: 'nearest'});
      } else {
        tell(error.message, true);
      }
    }
  };
}

/**
 * Opens a dialog, which is gone when it is closed.
 *
 * @param content makes what it shows of a function that closes it, with an answer, and of one that shows it afresh
 * @param closed called with the answer, or with nothing
 */
export function openDialog(title, content, {style = '', closed} = {}) {
  const place = document.createElement('div');
  const close = answer => dialog.close(answer);
  const draw = () => render(html`
    <dialog class=${style} aria-label=${title} @close=${() => {
      place.remove();
      closed?.(dialog.returnValue);
    }}><div class="dialog-head"><h2>${title}</h2>${tool('x', 'Close', () => close())}</div>
      <div class="dialog-body"><p class="dialog-note" role="status"></p>${content(close, draw)}</div></dialog>`, place);
  draw();
  document.body.append(place);
  const dialog = place.querySelector('dialog');
  dialog.showModal();
  dialog.querySelector('.dialog-body :is(input, select, textarea, button.main)')?.focus();
  return dialog;
}

/** The buttons at the end of a dialog: one that does it, and one that does not. */
export const decide = (text, close, {style = '', no = 'Back'} = {}) => html`
  <div class="decide"><button type="button" @click=${() => close()}>${no}</button>
    <button class="main ${style}">${text}</button></div>`;

/** Asks in a dialog; the answer is true or false. */
export function confirm(question, text, yes, style = 'risky') {
  return new Promise(resolve => openDialog(question, close => html`<p>${text}</p>
    <form @submit=${attempt(() => close('yes'))}>${decide(yes, close, {style})}</form>`,
  {closed: answer => resolve(answer === 'yes')}));
}

/** A dialog with a form, which stays open while the action is refused. The result of the action is a message, or nothing. */
export function openForm(title, fields, yes, action) {
  return openDialog(title, close => html`
    <form @submit=${submit(async (given, form) => {
      const message = await action(given, form);
      close();
      if (message) {
        tell(message);
      }
    })}>${fields}${problem}${decide(yes, close)}</form>`);
}

/** Asks for one text; the action gets it. */
export function askText(title, label, value, yes, action) {
  const dialog = openForm(title, field(label, {name: 'text', value, required: true, wide: true}), yes,
    ({text}) => action(text));
  dialog.querySelector('input').select();
}

/** Copies a text, and says so. */
export const copier = (text, label) => tool('copy', label, async () => {
  await navigator.clipboard.writeText(text());
  tell('Copied.');
});

/** Shows a secret, for the only time. */
export function showSecret(title, label, secret, ...more) {
  const dialog = openDialog(title, close => html`
    <p>Keep it now: it is not shown again.</p>
    <div class="command"><code class="secret">${secret}</code>${copier(() => secret, 'Copy: ' + label)}</div>
    ${more}
    <div class="decide">${button('I have it', () => close(), {style: 'main'})}</div>`);
  dialog.querySelector('button.main').focus();
}
