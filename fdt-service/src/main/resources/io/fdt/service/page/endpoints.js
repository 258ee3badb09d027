// Endpoints: list, add in steps, check, change, remove.

import {ask, get, may, part, post} from './api.js';
import {shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, copier, field, icon, loading, openDialog, openForm, problem, state, submit, table, tell,
  tool} from './parts.js';

const STATES = {reachable: ['succeeded', 'circle-check', 'answers'], unreachable: ['failed', 'unplug', 'does not answer'],
  refused: ['failed', 'lock', 'refuses access'], unknown: ['queued', 'hourglass', 'not checked']};

const TOKENS = {stored: 'Leave it empty to keep the one that is stored.', login: 'So far it is the one of fdt login.',
  home: 'So far it is the one of your own server.', none: 'There is none so far.'};

const isLocal = endpoint => endpoint.endpoint_id.startsWith('local');

/** Whether it answered when the service looked last. */
function health(endpoint) {
  const [style, sign, word] = STATES[endpoint.state];
  return html`<span class="badge ${style}">${icon(sign)}${word}</span>${
    endpoint.read_only ? html` <span class="badge queued">${icon('lock')}read only</span>` : nothing}${endpoint.problem
    ? html`<div class="sub">${endpoint.problem} (${shortTime(endpoint.checked)})</div>` : nothing}`;
}

const exportsOf = host => host.exports.map(one => one.path + (one.writable ? ' (read and write)' : ' (read only)')).join(', ');

const STEPS = ['Address', 'Trust', 'Token', 'Test'];

/** Adds an endpoint in steps; each shows its own refusal. The service checks it with the last one. */
function openAdd(taken, added) {
  const given = {name: '', address: '', fingerprint: '', token: '', default_path: ''};
  let step = 0;
  let shownKey = '';
  let made = null;
  let isAsking = false;
  const body = () => Object.fromEntries(Object.entries(given).filter(([, value]) => value));

  const dialog = openDialog('Add an endpoint', (close, draw) => {
    const to = number => {
      step = number;
      draw();
      dialog.querySelector('.dialog-body :is(input:not([type=hidden]), button.main)')?.focus();
    };
    /** Asks the service to add it; the refusal says what is missing. */
    const send = async () => {
      isAsking = true;
      draw();
      try {
        made = await post('endpoints', body());
        await added();
        to(3);
      } catch (error) {
        const key = error.problem?.fingerprint;
        const code = error.problem?.code;
        if (key) {
          shownKey = key;
          to(1);
        } else if (step === 0 && (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN')) {
          to(2);
        } else if (code === 'UNTRUSTED' && step > 1) {
          to(1);
          throw error;
        } else {
          throw error;
        }
      } finally {
        isAsking = false;
        draw();
      }
    };
    const next = (text, back) => html`<div class="decide">
      <button type="button" @click=${back === undefined ? () => close() : () => to(back)}>Back</button>
      <button class="main" ?disabled=${isAsking}>${isAsking ? 'Asking.' : text}</button></div>`;
    const forms = [
      () => html`<form id="add" @submit=${submit(async ({name, address}) => {
        if (taken().includes(name)) {
          throw new Error(`There is an endpoint '${name}' already: choose another name.`);
        }
        Object.assign(given, {name, address, fingerprint: ''});
        await send();
      })}>
        ${field('Address', {name: 'address', required: true, value: given.address, placeholder: 'storage1.example.org', wide: true,
          hint: html`HOST or HOST:PORT. A server is started with <code>fdt serve DIR</code>, which prints its address.`})}
        ${field('Name', {name: 'name', required: true, value: given.name, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', maxlength: 63,
          placeholder: 'storage1', wide: true, hint: 'As you want to call it: letters, digits, dot, dash.'})}
        ${problem}${next('Next')}</form>`,
      () => html`<form @submit=${submit(() => {
        given.fingerprint = shownKey;
        to(2);
      })}>
        <div><h3>Trust this server?</h3><p class="soft">The server at ${given.address} has this fingerprint. Compare it with the one that its
          administrator gave you, or that <code>fdt serve</code> printed there.</p></div>
        <div class="command"><code class="print">${shownKey}</code>${copier(() => shownKey, 'Copy the fingerprint')}</div>
        ${problem}${next('Trust it', 0)}</form>`,
      () => html`<form @submit=${submit(async ({token, default_path: path}) => {
        Object.assign(given, {token, default_path: path});
        await send();
      })}>
        ${field('Token', {name: 'token', type: 'password', wide: true,
          hint: html`The server's administrator creates it with <code>fdt token create</code>. The service stores it encrypted.`})}
        ${field('Path', {name: 'default_path', value: given.default_path, placeholder: 'its export', wide: true,
          hint: 'Where Files opens it. Without a path: its only export, or the top.'})}
        ${problem}${next('Test and add', shownKey ? 1 : 0)}</form>`,
      () => html`<div class="stack">${state('circle-check', made.name + ' was added.', exportsOf(made) || 'It has no export for you.')}
        <div class="decide">${button('Done', () => close())}<a class="button main" href="#/files" @click=${() => close()}>Go to Files</a></div></div>`,
    ];
    return html`<ol class="steps" aria-label="Steps">${STEPS.map((name, i) => html`<li class=${i < step || made ? 'done' : ''}
      aria-current=${i === step ? 'step' : nothing}>${name}</li>`)}</ol>${forms[step]()}`;
  }, {closed: () => {
    if (location.hash === '#/endpoints/add') {
      history.replaceState(null, '', '#/endpoints');
    }
  }});
}

export function endpointsView(draw, argument) {
  let endpoints = null;
  let checked = null;
  const load = attempt(async () => {
    endpoints = (await get('endpoints')).endpoints;
    draw();
  });
  const path = endpoint => 'endpoints/' + part(endpoint.endpoint_id);
  const unchanged = endpoint => ({'If-Match': `"${endpoint.version}"`});

  async function check(endpoint) {
    checked = endpoint.endpoint_id;
    draw();
    try {
      const host = await post(`endpoints/${part(endpoint.name)}/check`);
      const trip = host.round_trip_us >= 50 ? ` in ${(host.round_trip_us / 1000).toFixed(1)} ms` : '';
      tell(`${endpoint.name} answers${trip}: ${host.software}; ${exportsOf(host)}`);
    } finally {
      checked = null;
      await load();
    }
  }

  const change = endpoint => openForm('Modify ' + endpoint.name, html`
    ${field('New token', {name: 'new_token', type: 'password', wide: true,
      hint: TOKENS[endpoint.token_from]})}
    ${field('Fingerprint', {name: 'fingerprint', value: endpoint.fingerprint, required: true, wide: true})}
    <div class="row">
      ${field('Path', {name: 'default_path', value: endpoint.default_path, required: true, wide: true})}
      ${field('Tasks at once',
        {name: 'max_tasks', type: 'number', value: endpoint.max_tasks, min: 1, max: 64, required: true})}</div>`,
  'Modify', async given => {
    await ask('PATCH', path(endpoint), {
      default_path: given.default_path,
      max_tasks: Number(given.max_tasks),
      ...(given.new_token && {token: given.new_token}),
      ...(given.fingerprint !== endpoint.fingerprint && {fingerprint: given.fingerprint}),
    }, unchanged(endpoint));
    await load();
    return endpoint.name + ' was modified.';
  });

  async function remove(endpoint) {
    const timers = (await get('timers')).timers.filter(({task}) =>
      [task.source_endpoint, task.destination_endpoint].some(used => [endpoint.name, endpoint.endpoint_id].includes(used)));
    const used = timers.length
      ? ` Timers use it, and submit nothing without it: ${timers.map(({name}) => name).join(', ')}.` : '';
    if (await confirm(`Remove the endpoint ${endpoint.name}?`, `Its files stay.${used}`, 'Remove')) {
      await ask('DELETE', path(endpoint), undefined, unchanged(endpoint));
      await load();
    }
  }

  const openSteps = () => openAdd(() => (endpoints ?? []).map(({name}) => name), load);
  load();
  if (argument === 'add' && may('endpoints')) {
    setTimeout(openSteps);
  }
  const again = setInterval(load, 30000);
  return {
    title: () => 'Endpoints',
    end: () => clearInterval(again),
    actions: () => may('endpoints') ? button('Add an endpoint', openSteps, {style: 'main', sign: 'plus'}) : nothing,
    content: () => html`
      <p class="note">An endpoint is a server that runs <code>fdt serve</code>, with a name. Its administrator gives you an address,
        a fingerprint and a token.</p>
      <div class="card flush">${endpoints === null ? loading : endpoints.length === 0
        ? state('server', 'There are no endpoints yet.') : nothing}
      ${table('Endpoints', endpoints ?? [], endpoint => endpoint.endpoint_id, [
        ['Name', endpoint => html`<strong>${endpoint.name}</strong>
          <div class="sub">${isLocal(endpoint) ? 'this machine' : endpoint.address}</div>`, 'name'],
        ['State', health],
        ['Path', endpoint => html`<span class="mono">${endpoint.default_path}</span>`, 'optional'],
        ['Fingerprint', endpoint => html`<div class="row tight"><code class="sub" title=${endpoint.fingerprint}>${endpoint.fingerprint.slice(0, 19)}…</code>
          ${copier(() => endpoint.fingerprint, 'Copy the fingerprint of ' + endpoint.name)}</div>`, 'optional short'],
        ['Actions', endpoint => html`<div class="row tight end">
          ${button('Check', () => check(endpoint),
            {label: 'Check ' + endpoint.name, disabled: checked === endpoint.endpoint_id, sign: 'plug'})}
          ${may('endpoints') && !isLocal(endpoint) ? [
            tool('pencil', 'Modify ' + endpoint.name, () => change(endpoint)),
            tool('trash-2', 'Remove ' + endpoint.name, () => remove(endpoint))] : nothing}</div>`, 'act'],
      ])}</div>`,
  };
}
