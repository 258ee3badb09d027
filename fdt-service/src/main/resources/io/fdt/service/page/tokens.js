// Tokens for programs and for other users.

import {ask, get, may, part, post, session} from './api.js';
import {shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, field, loading, problem, showSecret, state, submit, table} from './parts.js';

const SCOPES = [['read', 'look at tasks, endpoints and files'], ['tasks', 'submit and change tasks, change files'],
  ['endpoints', 'add and remove endpoints'], ['tokens', 'create and revoke tokens'],
  ['metrics', 'read the figures of the service'], ['admin', 'manage users, see everything']];
const ROLES = [['', 'as chosen below'], ['reader', 'reader: looks only'], ['user', 'user: own tasks, endpoints, tokens'],
  ['admin', 'admin: everything']];

export function tokensView(draw) {
  const scopes = SCOPES.filter(([scope]) => may(scope));
  const roles = may('admin') ? ROLES : ROLES.slice(0, may('tokens') && may('tasks') ? 3 : 2);
  let tokens = null;
  let hasRole = false;
  const load = attempt(async () => {
    tokens = (await get('tokens')).tokens;
    draw();
  });
  const revoke = async token => {
    if (await confirm(`Revoke the token ${token.label}?`,
      'Tokens that were created with it go too. Programs that use them stop working at once.', 'Revoke')) {
      await ask('DELETE', 'tokens/' + part(token.token_id));
      await load();
    }
  };
  const create = submit(async ({label, days, user, role, ...given}, form) => {
    const chosen = scopes.map(([scope]) => scope).filter(scope => 'scope-' + scope in given);
    if (!role && chosen.length === 0) {
      throw new Error('Choose what the token may do.');
    }
    const token = await post('tokens',
      {label, days: Number(days), ...(user && {user}), ...(role ? {role} : {scopes: chosen})});
    form.label.value = '';
    showSecret('The new token', 'Token', token.token, html`<p class="soft">The service does not store it. Programs send it as
      <code>Authorization: Bearer TOKEN</code>; the command takes it from <code>FDT_SERVICE_TOKEN</code>.</p>`);
    await load();
  });
  load();
  return {
    title: () => 'Tokens',
    content: () => html`
      <p class="note">With a token, programs and other users reach this service.</p>
      <div class="card flush">${tokens === null ? loading : tokens.length === 0
        ? state('key-round', 'There are no tokens yet.', 'Create one below for a script, or for a colleague.') : nothing}
      ${table('Tokens', tokens ?? [], token => token.token_id, [
        ['Label', token => html`<strong>${token.label}</strong>${token.parent
          ? html`<div class="sub">created with ${tokens.find(one => one.token_id === token.parent)?.label ?? token.parent}</div>` : nothing}`, 'name'],
        ['User', token => token.user, 'short labelled'],
        ['May', token => token.scopes.map(scope => html`<span class="badge">${scope}</span> `)],
        ['Expires', token => token.expires ? shortTime(token.expires) : 'never', 'short labelled'],
        ['Actions', token => button('Revoke', () => revoke(token), {label: 'Revoke ' + token.label, style: 'risky'}), 'act'],
      ])}</div>
      <section class="card" aria-label="New token"><h2>New token</h2>
        <form id="new-token" class="stack" @submit=${create}>
          <div class="row">
            ${field('Label', {name: 'label', required: true, maxlength: 200, wide: true, placeholder: 'nightly script'})}
            ${may('admin') ? field('User', {name: 'user', placeholder: session.user}) : nothing}
            ${field('Good for, days', {name: 'days', type: 'number', min: 1, max: 366, value: 30})}
            ${field('Role', {name: 'role', choices: roles, change: event => {
              hasRole = event.target.value !== '';
              draw();
            }})}</div>
          <fieldset ?hidden=${hasRole}><legend>It may</legend>
            ${scopes.map(([scope, meaning]) => field(`${scope}: ${meaning}`,
              {name: 'scope-' + scope, type: 'checkbox', checked: scope === 'read'}))}</fieldset>
          ${problem}<div class="row"><button class="main">Create a token</button></div>
        </form>
      </section>`,
  };
}
