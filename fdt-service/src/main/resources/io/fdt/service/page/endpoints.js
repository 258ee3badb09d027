// Endpoints: list, add, check, remove.

import {ask, get, may, part, post} from './api.js';
import {attempt, button, confirm, el, field, show, table, tell, text} from './dom.js';

export function endpointsView(view) {
  const rows = el('tbody');
  const inputs = {
    name: text('name', {required: true}),
    address: text('address', {required: true, placeholder: 'host or host:port'}),
    fingerprint: text('fingerprint', {placeholder: 'SHA256:...'}),
    token: el('input', {name: 'token', type: 'password', autocomplete: 'off'}),
    default_path: text('default_path', {placeholder: 'the export'}),
  };

  const load = attempt(async () => {
    const {endpoints} = await get('endpoints');
    show(rows, ...endpoints.map(endpoint => el('tr', {},
        el('td', {}, endpoint.name, endpoint.endpoint_id.startsWith('local') ? el('div', {class: 'soft'}, 'this machine') : null),
        el('td', {}, endpoint.address),
        el('td', {class: 'optional'}, endpoint.default_path),
        el('td', {class: 'optional'}, el('code', {}, endpoint.fingerprint)),
        el('td', {}, el('div', {class: 'row'},
            button('Check', event => check(endpoint, event.target), {'aria-label': 'Check ' + endpoint.name}),
            !may('endpoints') || endpoint.endpoint_id.startsWith('local') ? null
              : button('Remove', () => remove(endpoint), {'aria-label': 'Remove ' + endpoint.name}))))));
  });

  async function check(endpoint, pressed) {
    pressed.disabled = true;
    try {
      const host = await post(`endpoints/${part(endpoint.name)}/check`);
      const trip = host.round_trip_us > 0 ? ` in ${(host.round_trip_us / 1000).toFixed(1)} ms` : '';
      tell(`${endpoint.name} answers${trip}: ${host.software}; `
          + host.exports.map(e => e.path + (e.writable ? ' (read and write)' : ' (read only)')).join(', '));
    } finally {
      pressed.disabled = false;
    }
  }

  async function remove(endpoint) {
    if (await confirm(`Remove the endpoint ${endpoint.name}? Its files stay.`, 'Remove')) {
      await ask('DELETE', 'endpoints/' + part(endpoint.endpoint_id), undefined,
          {'If-Match': `"${endpoint.version}"`});
      await load();
    }
  }

  async function add() {
    const body = {};
    for (const [name, input] of Object.entries(inputs)) {
      if (input.value.trim()) {
        body[name] = input.value.trim();
      }
    }
    try {
      await post('endpoints', body);
    } catch (error) {
      const shown = error.problem?.fingerprint;
      if (!shown || !await confirm(`${error.message}. Trust this server?`, 'Trust it')) {
        throw error;
      }
      await post('endpoints', {...body, fingerprint: shown});
    }
    tell(body.name + ' was added.');
    Object.values(inputs).forEach(input => { input.value = ''; });
    await load();
  }

  show(view, el('h1', {tabindex: '-1'}, 'Endpoints'),
      el('p', {class: 'note'}, 'An endpoint is a server that runs ', el('code', {}, 'fdt serve'),
          '. Its administrator gives you an address, a fingerprint and a token.'),
      table('Endpoints', ['Name', 'Address', ['Path', 'optional'], ['Fingerprint', 'optional'], 'Actions'], rows),
      may('endpoints') ? el('section', {'aria-label': 'Add an endpoint'}, el('h2', {}, 'Add an endpoint'),
          el('form', {class: 'row', id: 'add', submit: attempt(add)},
              field('Name', inputs.name, {hint: 'How you want to call it.'}),
              field('Address', inputs.address, {wide: true}),
              field('Fingerprint, if you have it', inputs.fingerprint, {wide: true}),
              field('Token', inputs.token, {hint: 'Stored encrypted.'}), field('Path', inputs.default_path),
              el('button', {class: 'main'}, 'Add'))) : null);
  load();
  return ['Endpoints'];
}
