// Notices about tasks: by e-mail, and by webhooks.

import {ask, get, may, part, post} from './api.js';
import {html, nothing} from './lit.js';
import {askText, attempt, button, confirm, field, icon, problem, showSecret, submit, table, tool} from './parts.js';

const KINDS = [['end', 'at its end'], ['fault', 'at a fault'], ['deadline', 'when it misses its deadline']];

const kindFields = KINDS.map(([kind, label]) => field(label, {name: kind, type: 'checkbox', checked: kind === 'end'}));

const occasions = ({notify}) => KINDS.filter(([kind]) => notify.includes(kind)).map(([, label]) => label).join(', ');

function chosenKinds(given) {
  const kinds = KINDS.map(([kind]) => kind).filter(kind => kind in given);
  if (kinds.length === 0) {
    throw new Error('Choose at least one occasion.');
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
    if (await confirm(question, 'It gets no more notices of your tasks.', 'Remove')) {
      await ask('DELETE', path);
      await load();
    }
  };
  const confirmCode = email => askText('Confirm ' + email.address, 'The code in the mail', '', 'Confirm', async code => {
    await post(`emails/${part(email.email_id)}/confirm`, {code});
    await load();
    return email.address + ' is confirmed.';
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
      <p class="note">Notices of your tasks, while this page is closed.</p>
      <section class="card" aria-label="By e-mail"><div class="card-head">${icon('mail')}<h2>By e-mail</h2></div>
        ${table('Addresses', emails, email => email.email_id, [
          ['Address', email => html`<strong>${email.address}</strong>`],
          ['When', occasions],
          ['State', email => email.confirmed ? html`<span class="badge succeeded">${icon('circle-check')}confirmed</span>`
            : html`<span class="badge paused">${icon('hourglass')}waits for its code</span>`],
          may('tasks') && ['Actions', email => html`<div class="row tight end">
            ${email.confirmed ? nothing : button('Confirm', () => confirmCode(email), {label: 'Confirm ' + email.address})}
            ${tool('trash-2', 'Remove ' + email.address, () => remove(`Remove the address ${email.address}?`, 'emails/' + part(email.email_id)))}
            </div>`, 'act'],
        ])}
        ${emails.length === 0 ? html`<p class="soft">No address yet.</p>` : nothing}
        ${may('tasks') ? html`<form class="stack" id="new-email" @submit=${addEmail}>
          ${field('Address', {name: 'address', type: 'email', required: true, autocomplete: 'email', wide: true, placeholder: 'you@example.org'})}
          <div class="row">${kindFields}</div>${problem}<div class="row"><button>Add the address</button></div></form>` : nothing}
      </section>
      <section class="card" aria-label="By webhook"><div class="card-head">${icon('webhook')}<h2>By webhook</h2></div>
        <p class="note">A program of yours gets a signed POST about each of your tasks.</p>
        ${table('Webhooks', webhooks, hook => hook.webhook_id, [
          ['Address', hook => html`<strong>${hook.url}</strong>`],
          ['When', occasions],
          may('tasks') && ['Actions', hook => tool('trash-2', 'Remove ' + hook.url,
            () => remove(`Remove the webhook ${hook.url}?`, 'webhooks/' + part(hook.webhook_id))), 'act'],
        ])}
        ${webhooks.length === 0 ? html`<p class="soft">No webhook yet.</p>` : nothing}
        ${may('tasks') ? html`<form class="stack" id="new-webhook" @submit=${addWebhook}>
          ${field('Address', {name: 'url', type: 'url', required: true, placeholder: 'https://example.org/fdt', wide: true})}
          <div class="row">${kindFields}</div>${problem}<div class="row"><button>Add the webhook</button></div></form>` : nothing}
      </section>`,
  };
}
