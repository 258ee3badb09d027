// Endpoints: list, add, check, change, remove.

import {ask, get, may, part, post} from './api.js';
import {shortTime} from './format.js';
import {html, nothing} from './lit.js';
import {attempt, button, confirm, field, openForm, submit, table, tell} from './parts.js';

const STATES = {reachable: ['succeeded', 'answers'], unreachable: ['failed', 'does not answer'],
  unknown: ['queued', 'not checked']};

const isLocal = endpoint => endpoint.endpoint_id.startsWith('local');

/** Whether it answered when the service looked last. */
function health(endpoint) {
  const [style, word] = STATES[endpoint.state];
  return html`<span class="badge ${style}">${word}</span>${endpoint.problem
    ? html`<div class="soft">${endpoint.problem} (${shortTime(endpoint.checked)})</div>` : nothing}`;
}

export function endpointsView(draw) {
  let endpoints = [];
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
      tell(`${endpoint.name} answers${trip}: ${host.software}; `
          + host.exports.map(e => e.path + (e.writable ? ' (read and write)' : ' (read only)')).join(', '));
    } finally {
      checked = null;
      await load();
    }
  }

  const change = endpoint => openForm('Change ' + endpoint.name, html`
    <div class="row">${field('New token', {name: 'new_token', type: 'password', wide: true,
      hint: endpoint.has_token ? 'Leave it empty to keep the one that is stored.' : 'There is none so far.'})}</div>
    <div class="row">
      ${field('Fingerprint', {name: 'fingerprint', value: endpoint.fingerprint, required: true, wide: true})}</div>
    <div class="row">
      ${field('Path', {name: 'default_path', value: endpoint.default_path, required: true, wide: true})}
      ${field('Tasks at once',
        {name: 'max_tasks', type: 'number', value: endpoint.max_tasks, min: 1, max: 64, required: true})}</div>`,
  'Change', async given => {
    await ask('PATCH', path(endpoint), {
      default_path: given.default_path,
      max_tasks: Number(given.max_tasks),
      ...(given.new_token && {token: given.new_token}),
      ...(given.fingerprint !== endpoint.fingerprint && {fingerprint: given.fingerprint}),
    }, unchanged(endpoint));
    tell(endpoint.name + ' was changed.');
    await load();
  });

  async function remove(endpoint) {
    const timers = (await get('timers')).timers.filter(({task}) =>
      [task.source_endpoint, task.destination_endpoint].some(used => [endpoint.name, endpoint.endpoint_id].includes(used)));
    const used = timers.length
      ? ` Timers use it, and submit nothing without it: ${timers.map(({name}) => name).join(', ')}.` : '';
    if (await confirm(`Remove the endpoint ${endpoint.name}? Its files stay.${used}`, 'Remove')) {
      await ask('DELETE', path(endpoint), undefined, unchanged(endpoint));
      await load();
    }
  }

  const add = submit(async (given, form) => {
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
    try {
      await post('endpoints', body);
    } catch (error) {
      const shown = error.problem?.fingerprint;
      if (!shown || !await confirm(`The server at ${body.address} has the key ${shown}. Compare it with what its `
          + 'administrator gave you, or with what fdt serve printed. Trust this server?', 'Trust it')) {
        throw error;
      }
      await post('endpoints', {...body, fingerprint: shown});
    }
    tell(body.name + ' was added.');
    form.reset();
    await load();
  });

  load();
  const again = setInterval(load, 30000);
  return {
    title: () => 'Endpoints',
    end: () => clearInterval(again),
    content: () => html`
      <p class="note">An endpoint is a server that runs <code>fdt serve</code>. Its administrator gives you an address,
        a fingerprint and a token.</p>
      ${table('Endpoints', endpoints, endpoint => endpoint.endpoint_id, [
        ['Name', endpoint => html`${endpoint.name}
          ${isLocal(endpoint) ? html`<div class="soft">this machine</div>` : nothing}`],
        ['Address', endpoint => endpoint.address, 'short'],
        ['State', health],
        ['Path', endpoint => endpoint.default_path, 'optional'],
        ['Fingerprint', endpoint => html`<code>${endpoint.fingerprint}</code>`, 'optional'],
        ['Actions', endpoint => html`<div class="row">
          ${button('Check', () => check(endpoint),
            {label: 'Check ' + endpoint.name, disabled: checked === endpoint.endpoint_id})}
          ${may('endpoints') && !isLocal(endpoint) ? [
            button('Change', () => change(endpoint), {label: 'Change ' + endpoint.name}),
            button('Remove', () => remove(endpoint), {label: 'Remove ' + endpoint.name})] : nothing}</div>`],
      ])}
      ${may('endpoints') ? html`
        <section aria-label="Add an endpoint"><h2>Add an endpoint</h2>
          <form class="row" id="add" @submit=${add}>
            ${field('Name', {name: 'name', required: true, hint: 'How you want to call it.'})}
            ${field('Address', {name: 'address', required: true, placeholder: 'host or host:port', wide: true})}
            ${field('Fingerprint, if you have it', {name: 'fingerprint', placeholder: 'SHA256:...', wide: true})}
            ${field('Token', {name: 'token', type: 'password', hint: 'Stored encrypted.'})}
            ${field('Path', {name: 'default_path', placeholder: 'the export'})}
            <button class="main">Add</button></form>
        </section>` : nothing}`,
  };
}
