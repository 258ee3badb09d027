// For administrators: the tasks of all users, users and roles, and the audit log.

import {ask, get, may, part, query} from './api.js';
import {fromLocal, shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, field, loading, problem, select, state, submit, table, tell, values} from './parts.js';
import {taskList} from './tasks.js';

const ROLES = ['admin', 'user', 'reader'].map(role => [role, role]);

function users(draw) {
  let all = [];
  const load = async () => {
    all = (await get('users')).users;
    draw();
  };
  const setRole = async (user, role) => {
    await ask('PUT', 'users/' + part(user), {role});
    tell(`${user} is ${role} now.`);
    await load();
  };
  const change = user => attempt(async ({target}) => {
    const role = target.value;
    target.value = user.role; // until the service has agreed
    await setRole(user.user, role);
  });
  attempt(load)();
  return {
    content: () => html`
      <p class="note">Users without an entry have the role user. A change holds at once, for all their tokens.</p>
      <div class="card flush">${table('Users', all, user => user.user, [
        ['User', user => html`<strong>${user.user}</strong>`],
        ['Role', user => user.operator ? html`admin<div class="sub">has started the service</div>`
          : select({name: 'role', label: 'Role of ' + user.user, choices: ROLES, value: user.role, change: change(user)})],
        ['Known from', user => user.issuer || 'this service', 'optional'],
        ['Since', user => shortTime(user.created), 'optional'],
      ])}</div>
      <section class="card" aria-label="Set a role"><h2>Set a role</h2><form class="row" id="role" @submit=${submit(async ({user, role}, form) => {
        await setRole(user, role);
        form.user.value = '';
      })}>${field('User', {name: 'user', required: true})}
        ${field('Role', {name: 'role', choices: ROLES, value: 'user'})}<button>Set the role</button>${problem}</form></section>`,
  };
}

function audit(draw) {
  let entries = null;
  let cursor = '';
  const load = async given => {
    const page = await get('audit' + query({...given, limit: 100, cursor, refused: 'refused' in given,
      since: given.since && fromLocal(given.since), until: given.until && fromLocal(given.until)}));
    entries = [...(cursor ? entries : []), ...page.entries];
    cursor = page.next_cursor || '';
    draw();
  };
  const search = given => {
    cursor = '';
    return load(given);
  };
  attempt(() => search({}))();
  return {
    content: () => html`
      <form class="row" id="audit" @submit=${submit(search)}>
        ${field('User', {name: 'user'})}${field('Text', {name: 'text'})}
        ${field('From', {name: 'since', type: 'datetime-local'})}${field('To', {name: 'until', type: 'datetime-local'})}
        ${field('Refused only', {name: 'refused', type: 'checkbox'})}<button>Show</button>${problem}</form>
      <div class="card flush">${entries === null ? loading : entries.length === 0 ? state('search', 'Nothing matches.') : nothing}
      ${table('Audit log', entries ?? [], (entry, index) => index, [
        ['Time', entry => shortTime(entry.time), 'short'],
        ['User', entry => entry.user || 'none', 'short'],
        ['Address', entry => entry.address, 'optional short'],
        ['Change', entry => html`<span title="${entry.action.split(' ')[0]} ${entry.target}">${entry.change}</span>`, 'what'],
        ['Result', entry => entry.status === 0 ? 'no answer' : entry.status < 400 ? 'done'
          : html`<span class="error">refused: ${entry.detail}${entry.times > 1 ? ` (${entry.times} times)` : ''}</span>`],
      ])}</div>
      <div class="row">${cursor
        ? button('Show more', () => load(values(document.getElementById('audit')))) : nothing}</div>`,
  };
}

const PARTS = {tasks: ['All tasks', draw => taskList(draw, '*')], users: ['Users', users], audit: ['Audit log', audit]};

export function adminView(draw, which) {
  if (!may('admin')) {
    return {title: () => 'Admin', content: () => html`<div class="card">${state('lock', 'This needs the role admin.', 'An administrator gives it: fdt service role USER admin.')}</div>`};
  }
  const name = Object.hasOwn(PARTS, which ?? '') ? which : 'tasks';
  const {content, end} = PARTS[name][1](draw);
  return {
    title: () => PARTS[name][0],
    end,
    content: () => html`
      <nav class="tabs" aria-label="Admin">${Object.entries(PARTS).map(([key, [label]]) =>
        html`<a href="#/admin/${key}" aria-current=${key === name ? 'page' : nothing}>${label}</a>`)}</nav>
      ${content()}`,
  };
}
