// What administrators see: the tasks of all users, users and roles, and the audit log.

import {ask, get, may, part, query} from './api.js';
import {attempt, box, button, choice, el, field, fromLocal, show, table, tell, text, time} from './dom.js';
import {taskList} from './tasks.js';

const ROLES = [['admin', 'admin'], ['user', 'user'], ['reader', 'reader']];

function users() {
  const rows = el('tbody');
  const load = attempt(async () => {
    const {users: all} = await get('users');
    show(rows, ...all.map(user => {
      const role = choice('role', ROLES, user.role);
      role.setAttribute('aria-label', 'Role of ' + user.user);
      role.addEventListener('change', attempt(async () => {
        try {
          await setRole(user.user, role.value);
        } catch (error) {
          role.value = user.role;
          throw error;
        }
      }));
      return el('tr', {}, el('td', {}, user.user), el('td', {}, role),
          el('td', {class: 'optional'}, user.issuer || 'this service'), el('td', {class: 'optional'}, time(user.created)));
    }));
  });
  async function setRole(user, role) {
    await ask('PUT', 'users/' + part(user), {role});
    tell(`${user} is ${role} now.`);
    await load();
  }
  const name = text('user', {required: true});
  const role = choice('role', ROLES, 'user');
  load();
  return [el('div', {}, el('p', {class: 'note'}, 'Users without an entry have the role user. A change holds at once, for all their tokens.'),
      table('Users', ['User', 'Role', ['Known from', 'optional'], ['Since', 'optional']], rows),
      el('form', {class: 'row', id: 'role', submit: attempt(async () => {
        await setRole(name.value.trim(), role.value);
        name.value = '';
      })}, field('User', name), field('Role', role), el('button', {}, 'Set the role'))), null];
}

function audit() {
  const rows = el('tbody');
  const inputs = {
    user: text('user'), text: text('text'),
    since: el('input', {type: 'datetime-local', name: 'since'}),
    until: el('input', {type: 'datetime-local', name: 'until'}),
    refused: box('refused'),
  };
  const more = el('div', {class: 'row'});
  const note = el('p', {class: 'note', 'aria-live': 'polite'});
  async function load(cursor) {
    const page = await get('audit' + query({limit: 100, cursor, user: inputs.user.value.trim(),
      text: inputs.text.value.trim(), refused: inputs.refused.checked,
      since: inputs.since.value && fromLocal(inputs.since.value),
      until: inputs.until.value && fromLocal(inputs.until.value)}));
    if (!cursor) {
      rows.replaceChildren();
    }
    rows.append(...page.entries.map(entry => el('tr', {},
        el('td', {class: 'short'}, time(entry.time)), el('td', {class: 'short'}, entry.user || 'nobody'),
        el('td', {class: 'optional'}, entry.address), el('td', {}, entry.action.split(' ')[0] + ' ' + entry.target),
        el('td', {class: entry.status >= 400 ? 'error' : ''},
            entry.status === 0 ? 'no answer' : entry.status < 400 ? 'done' : 'refused: ' + entry.detail))));
    note.textContent = rows.children.length === 0 ? 'Nothing matches.' : '';
    show(more, page.next_cursor ? button('Show more', () => load(page.next_cursor)) : null);
  }
  attempt(() => load(''))();
  return [el('div', {}, el('form', {class: 'row', id: 'audit', submit: attempt(() => load(''))},
      field('User', inputs.user), field('Text', inputs.text), field('From', inputs.since), field('To', inputs.until),
      field('Refused only', inputs.refused), el('button', {}, 'Show')), note,
  table('Audit log', ['When', 'Who', ['From where', 'optional'], 'What', 'Result'], rows), more), null];
}

export function adminView(view, which) {
  if (!may('admin')) {
    show(view, el('h1', {tabindex: '-1'}, 'Admin'), el('p', {}, 'This needs the role admin.'));
    return ['Admin'];
  }
  const parts = {tasks: ['All tasks', () => taskList('*')], users: ['Users', users], audit: ['Audit log', audit]};
  const name = which in parts ? which : 'tasks';
  const [element, end] = parts[name][1]();
  show(view, el('h1', {tabindex: '-1'}, 'Admin: ' + parts[name][0].toLowerCase()),
      el('nav', {class: 'tabs', 'aria-label': 'Admin'}, ...Object.entries(parts).map(([key, [label]]) =>
        el('a', {href: '#/admin/' + key, 'aria-current': key === name ? 'page' : null}, label))),
      element);
  return ['Admin', end];
}
