// Tokens for programs and for other users.

import {ask, get, may, part, post, session} from './api.js';
import {attempt, box, button, choice, confirm, el, field, number, openDialog, show, table, tell, text, time}
  from './dom.js';

const SCOPES = [['read', 'look at tasks, endpoints and files'], ['tasks', 'submit and change tasks, change files'],
  ['endpoints', 'add and remove endpoints'], ['tokens', 'make and revoke tokens'],
  ['metrics', 'read the figures of the service'], ['admin', 'manage users, see everything']];
const ROLES = [['', 'as chosen below'], ['reader', 'reader: looks only'], ['user', 'user: own tasks, endpoints, tokens'],
  ['admin', 'admin: everything']];

/** The only time that it can be seen. */
function showSecret(token) {
  const input = text('secret', {readonly: true});
  input.value = token.token;
  const dialog = openDialog('The new token', {}, null,
      el('p', {}, 'Keep it now: it is not shown again, and the service does not store it.'),
      el('div', {class: 'row'}, field('Token', input, {wide: true}),
          button('Copy', async () => {
            input.select();
            await navigator.clipboard.writeText(token.token);
            tell('Copied.');
          })),
      el('p', {class: 'soft'}, 'Programs send it as ', el('code', {}, 'Authorization: Bearer TOKEN'),
          '; the command takes it from ', el('code', {}, 'FDT_SERVICE_TOKEN'), '.'),
      el('div', {class: 'row'}, el('button', {class: 'main', click: () => dialog.close()}, 'I have it')));
  input.select();
}

export function tokensView(view) {
  const rows = el('tbody');
  const label = text('label', {required: true, maxlength: '200'});
  const user = text('user', {placeholder: session.user});
  const days = number('days', {min: '1', max: '366'});
  days.value = '30';
  const allowed = SCOPES.filter(([scope]) => may(scope));
  const role = choice('role', may('admin') ? ROLES : ROLES.slice(0, may('tokens') && may('tasks') ? 3 : 2), '');
  const boxes = allowed.map(([scope, meaning]) => [scope, box('scope-' + scope, {checked: scope === 'read'}), meaning]);
  const scopes = el('fieldset', {class: 'row'}, el('legend', {}, 'What it may do'),
      ...boxes.map(([scope, input, meaning]) => field(`${scope}: ${meaning}`, input)));
  role.addEventListener('change', () => { scopes.hidden = role.value !== ''; });

  const load = attempt(async () => {
    const {tokens} = await get('tokens');
    show(rows, ...tokens.map(token => el('tr', {},
        el('td', {}, token.label), el('td', {class: 'short'}, token.user),
        el('td', {class: 'optional'}, token.scopes.join(', ')),
        el('td', {}, token.expires ? time(token.expires) : 'never'),
        el('td', {}, button('Revoke', async () => {
          if (await confirm(`Revoke the token ${token.label}? What uses it stops working at once.`, 'Revoke')) {
            await ask('DELETE', 'tokens/' + part(token.token_id));
            await load();
          }
        }, {'aria-label': 'Revoke ' + token.label})))));
  });

  async function create() {
    const body = {label: label.value.trim(), days: Number(days.value)};
    if (user.value.trim()) {
      body.user = user.value.trim();
    }
    if (role.value) {
      body.role = role.value;
    } else {
      body.scopes = boxes.filter(([, input]) => input.checked).map(([scope]) => scope);
      if (body.scopes.length === 0) {
        throw new Error('Choose what the token may do.');
      }
    }
    const token = await post('tokens', body);
    label.value = '';
    showSecret(token);
    await load();
  }

  show(view, el('h1', {tabindex: '-1'}, 'Tokens'),
      el('p', {class: 'note'}, 'With a token, programs and other users reach this service.'),
      table('Tokens', ['Label', 'User', ['May', 'optional'], 'Expires', 'Actions'], rows),
      el('section', {'aria-label': 'New token'}, el('h2', {}, 'New token'),
          el('form', {id: 'new-token', submit: attempt(create)},
              el('div', {class: 'row'}, field('Label', label, {wide: true, hint: 'What it is for.'}),
                  may('admin') ? field('User', user) : null, field('Good for, days', days), field('Role', role)),
              scopes, el('div', {class: 'row'}, el('button', {class: 'main'}, 'Make a token')))));
  load();
  return ['Tokens'];
}
