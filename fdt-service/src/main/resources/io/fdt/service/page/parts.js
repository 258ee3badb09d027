// Parts that the views share: fields, buttons, tables, dialogs.

import {html, nothing, render, repeat} from './lit.js';

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
  // What was chosen may be gone; nothing else takes its place unasked.
  const known = choices.some(([key]) => key === value) || !required ? choices : [['', 'Choose'], ...choices];
  return html`
    <select name=${name} aria-label=${label ?? nothing} ?required=${required} @change=${change ?? nothing}>
      ${repeat(known, choice => choice[0], ([key, text]) =>
        html`<option value=${key} .selected=${key === value}>${text}</option>`)}
    </select>`;
}

/** What a form says: the values of its fields by name, without those that are off or not ticked. */
export function values(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
}

/** Runs an action with the values of a form when it is sent. */
export const submit = action => attempt(event => action(values(event.target), event.target));

export function button(text, click, {style = '', label, disabled, pressed} = {}) {
  return html`<button type="button" class=${style} aria-label=${label ?? nothing} aria-pressed=${pressed ?? nothing}
    ?disabled=${disabled} @click=${attempt(click)}>${text}</button>`;
}

/**
 * A table. The roles are for screen readers, also where a style shows rows as cards.
 *
 * @param key tells one row from another
 * @param columns of each its heading, what it shows of a row, and its style; falsy ones are left out
 */
export function table(caption, rows, key, columns) {
  const shown = columns.filter(Boolean);
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label=${caption} ?hidden=${rows.length === 0}>
      <table role="table">
        <caption class="hidden">${caption}</caption>
        <thead role="rowgroup"><tr role="row">${shown.map(([name, , style = '']) => html`
          <th role="columnheader" scope="col" class=${style}>
            ${style === 'narrow' ? html`<span class="hidden">${name}</span>` : name}</th>`)}</tr></thead>
        <tbody role="rowgroup">${repeat(rows, key, row => html`
          <tr role="row">${shown.map(([, cell, style = '']) =>
            html`<td role="cell" class=${style}>${cell(row)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`;
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
      document.body.append(document.getElementById('status'));
      place.remove();
      closed?.(dialog.returnValue);
    }}><h2>${title}</h2>${content(close, draw)}</dialog>`, place);
  draw();
  document.body.append(place);
  const dialog = place.querySelector('dialog');
  dialog.showModal();
  return dialog;
}

/** The buttons at the end of a dialog: one that does it, and one that does not. */
export const decide = (text, close, style = '') => html`
  <div class="row ${style}"><button class="main">${text}</button>
    <button type="button" @click=${() => close()}>Back</button></div>`;

/** Asks in a dialog; the answer is true or false. */
export function confirm(question, yes) {
  return new Promise(resolve => openDialog(question, close =>
    html`<form @submit=${attempt(() => close('yes'))}>${decide(yes, close)}</form>`,
  {closed: answer => resolve(answer === 'yes')}));
}

/** A dialog with a form, which stays open while the action is refused. */
export function openForm(title, fields, yes, action) {
  return openDialog(title, close => html`
    <form @submit=${submit(async (given, form) => {
      await action(given, form);
      close();
    })}>${fields}${decide(yes, close)}</form>`);
}

/** Asks for one text; the action gets it. */
export function askText(title, label, value, yes, action) {
  const dialog = openForm(title, html`<div class="row">
    ${field(label, {name: 'text', value, required: true, wide: true})}</div>`, yes, ({text}) => action(text));
  dialog.querySelector('input').select();
}

/** Shows a secret, for the only time. */
export function showSecret(title, label, secret, ...more) {
  const dialog = openDialog(title, close => html`
    <p>Keep it now: it is not shown again.</p>
    <div class="row">${field(label, {name: 'secret', value: secret, readonly: true, wide: true})}
      ${button('Copy', async () => {
        await navigator.clipboard.writeText(secret);
        tell('Copied.');
      })}</div>
    ${more}
    <div class="row">${button('I have it', () => close(), {style: 'main'})}</div>`);
  dialog.querySelector('input').select();
}
