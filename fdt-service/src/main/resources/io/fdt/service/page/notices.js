// Who is told of tasks: by e-mail, and by webhooks.

import {ask, get, may, part, post} from './api.js';
import {html, nothing} from './lit.js';
import {askText, attempt, button, confirm, field, showSecret, submit, table, tell} from './parts.js';

const KINDS = [['end', 'at its end'], ['fault', 'at a fault'], ['deadline', 'when it misses its deadline']];

const kindFields = KINDS.map(([kind, label]) => field(label, {name: kind, type: 'checkbox', checked: kind === 'end'}));

function chosenKinds(given) {
  const kinds = KINDS.map(([kind]) => kind).filter(kind => kind in given);
  if (kinds.length === 0) {
    throw new Error('Choose of what to tell.');
  }
  return kinds;
}

export function noticesView(draw) {
  let emails = [];
  let webhooks = [];
  const load = async () => {
    [{emails}, {webhooks}] = await Promise.all([get('emails'), get('webhooks')]);
    draw();
  };
  const remove = async (question, path) => {
    if (await confirm(question, 'Remove')) {
      await ask('DELETE', path);
      await load();
    }
  };
  const confirmCode = email => askText('Confirm ' + email.address, 'The code in the mail', '', 'Confirm', async code => {
    await post(`emails/${part(email.email_id)}/confirm`, {code});
    tell(email.address + ' is confirmed.');
    await load();
  });
  const addEmail = submit(async (given, form) => {
    const email = await post('emails', {address: given.address, notify: chosenKinds(given)});
    form.address.value = '';
    await load();
    confirmCode(email);
  });
  const addWebhook = submit(async (given, form) => {
    const hook = await post('webhooks', {url: given.url, notify: chosenKinds(given)});
    form.url.value = '';
    await load();
    showSecret('The secret of its signatures', 'Secret', hook.secret);
  });
  attempt(load)();
  return {
    title: () => 'Notices',
    content: () => html`
      <p class="note">Who is told of your tasks while you do not look.</p>
      <section aria-label="By e-mail"><h2>By e-mail</h2>
        ${table('Addresses', emails, email => email.email_id, [
          ['Address', email => email.address],
          ['Told', email => email.notify.join(', ')],
          ['State', email => email.confirmed ? 'confirmed' : 'waits for its code'],
          may('tasks') && ['Actions', email => html`<div class="row">
            ${email.confirmed ? nothing : button('Confirm', () => confirmCode(email), {label: 'Confirm ' + email.address})}
            ${button('Remove', () => remove(`Tell ${email.address} nothing more?`, 'emails/' + part(email.email_id)),
              {label: 'Remove ' + email.address})}</div>`],
        ])}
        ${may('tasks') ? html`<form class="row" id="new-email" @submit=${addEmail}>
          ${field('Address', {name: 'address', type: 'email', required: true, autocomplete: 'email', wide: true})}
          ${kindFields}<button>Add the address</button></form>` : nothing}
      </section>
      <section aria-label="By webhook"><h2>By webhook</h2>
        <p class="note">A program of yours gets a signed POST about each of your tasks.</p>
        ${table('Webhooks', webhooks, hook => hook.webhook_id, [
          ['Address', hook => hook.url],
          ['Told', hook => hook.notify.join(', ')],
          may('tasks') && ['Actions', hook => button('Remove',
            () => remove(`Remove the webhook ${hook.url}?`, 'webhooks/' + part(hook.webhook_id)),
            {label: 'Remove ' + hook.url})],
        ])}
        ${may('tasks') ? html`<form class="row" id="new-webhook" @submit=${addWebhook}>
          ${field('Address', {name: 'url', type: 'url', required: true, placeholder: 'https://...', wide: true})}
          ${kindFields}<button>Add the webhook</button></form>` : nothing}
      </section>`,
  };
}
