// Who is told of tasks: by e-mail, and by webhooks.

import {ask, get, may, part, post} from './api.js';
import {attempt, askText, box, button, confirm, el, field, openDialog, show, table, tell, text} from './dom.js';

const KINDS = [['end', 'at its end'], ['fault', 'at a fault'], ['deadline', 'when it misses its deadline']];

/** Boxes for what is told, and what of it was chosen. */
function chosenKinds(prefix) {
  const kinds = KINDS.map(([kind, label]) => [kind, box(prefix + kind, {checked: kind === 'end'}), label]);
  return {
    fields: kinds.map(([, input, label]) => field(label, input)),
    chosen() {
      const notify = kinds.filter(([, input]) => input.checked).map(([kind]) => kind);
      if (notify.length === 0) {
        throw new Error('Choose of what to tell.');
      }
      return notify;
    },
  };
}

function emails() {
  const rows = el('tbody');
  const address = el('input', {name: 'address', type: 'email', required: true, autocomplete: 'email'});
  const kinds = chosenKinds('notify-');
  const confirmCode = email => askText('Confirm ' + email.address, 'The code in the mail', '', 'Confirm', async code => {
    await post(`emails/${part(email.email_id)}/confirm`, {code: code.trim()});
    tell(email.address + ' is confirmed.');
    await load();
  });
  const load = attempt(async () => {
    const {emails: all} = await get('emails');
    show(rows, ...all.map(email => el('tr', {},
        el('td', {}, email.address), el('td', {}, email.notify.join(', ')),
        el('td', {}, email.confirmed ? 'confirmed' : 'waits for its code'),
        may('tasks') ? el('td', {}, el('div', {class: 'row'},
            email.confirmed ? null : button('Confirm', () => confirmCode(email), {'aria-label': 'Confirm ' + email.address}),
            button('Remove', async () => {
              if (await confirm(`Tell ${email.address} nothing more?`, 'Remove')) {
                await ask('DELETE', 'emails/' + part(email.email_id));
                await load();
              }
            }, {'aria-label': 'Remove ' + email.address}))) : null)));
  });
  load();
  return el('section', {'aria-label': 'By e-mail'}, el('h2', {}, 'By e-mail'),
      table('Addresses', ['Address', 'Told', 'State', ...(may('tasks') ? ['Actions'] : [])], rows),
      may('tasks') ? el('form', {class: 'row', id: 'new-email', submit: attempt(async () => {
        const email = await post('emails', {address: address.value.trim(), notify: kinds.chosen()});
        address.value = '';
        await load();
        confirmCode(email);
      })}, field('Address', address, {wide: true}), ...kinds.fields,
      el('button', {}, 'Add the address')) : null);
}

function webhooks() {
  const rows = el('tbody');
  const kinds = chosenKinds('webhook-');
  const url = el('input', {name: 'url', type: 'url', required: true, placeholder: 'https://...', autocomplete: 'off'});
  const load = attempt(async () => {
    const {webhooks: all} = await get('webhooks');
    show(rows, ...all.map(hook => el('tr', {}, el('td', {}, hook.url), el('td', {}, hook.notify.join(', ')),
        may('tasks') ? el('td', {}, button('Remove', async () => {
          if (await confirm(`Remove the webhook ${hook.url}?`, 'Remove')) {
            await ask('DELETE', 'webhooks/' + part(hook.webhook_id));
            await load();
          }
        }, {'aria-label': 'Remove ' + hook.url})) : null)));
  });
  load();
  return el('section', {'aria-label': 'By webhook'}, el('h2', {}, 'By webhook'),
      el('p', {class: 'note'}, 'A program of yours gets a signed POST about each of your tasks.'),
      table('Webhooks', ['Address', 'Told', ...(may('tasks') ? ['Actions'] : [])], rows),
      may('tasks') ? el('form', {class: 'row', id: 'new-webhook', submit: attempt(async () => {
        const hook = await post('webhooks', {url: url.value.trim(), notify: kinds.chosen()});
        url.value = '';
        await load();
        const secret = text('secret', {readonly: true});
        secret.value = hook.secret;
        const dialog = openDialog('The secret of its signatures', {}, null,
            el('p', {}, 'Keep it now: it is not shown again.'),
            el('div', {class: 'row'}, field('Secret', secret, {wide: true})),
            el('div', {class: 'row'}, el('button', {class: 'main', click: () => dialog.close()}, 'I have it')));
        secret.select();
      })}, field('Address', url, {wide: true}), ...kinds.fields, el('button', {}, 'Add the webhook')) : null);
}

export function noticesView(view) {
  show(view, el('h1', {tabindex: '-1'}, 'Notices'),
      el('p', {class: 'note'}, 'Who is told of your tasks while you do not look.'), emails(), webhooks());
  return ['Notices'];
}
