// Endpoints: list, add, check, remove.

import {ask, get, part, post} from './api.js';
import {attempt, confirm, el, field, show, tell} from './dom.js';

export function endpointsView(view) {
  const rows = el('tbody');
  const inputs = {
    name: el('input', {name: 'name', required: true, autocomplete: 'off'}),
    address: el('input', {name: 'address', required: true, autocomplete: 'off',
      placeholder: 'host or host:port'}),
    fingerprint: el('input', {name: 'fingerprint', autocomplete: 'off', placeholder: 'SHA256:...'}),
    token: el('input', {name: 'token', type: 'password', autocomplete: 'off'}),
  };

  const load = attempt(async () => {
    const {endpoints} = await get('endpoints');
    show(rows, ...endpoints.map(endpoint => el('tr', {},
        el('td', {}, endpoint.name), el('td', {}, endpoint.address),
        el('td', {class: 'optional'}, endpoint.default_path),
        el('td', {class: 'optional'}, endpoint.fingerprint),
        el('td', {}, el('div', {class: 'row'},
            el('button', {type: 'button', 'aria-label': 'Check ' + endpoint.name,
              click: attempt(() => check(endpoint))}, 'Check'),
            endpoint.endpoint_id === 'local' ? null
              : el('button', {type: 'button', 'aria-label': 'Remove ' + endpoint.name,
                click: attempt(() => remove(endpoint))}, 'Remove'))))));
  });

  async function check(endpoint) {
    const host = await post(`endpoints/${part(endpoint.name)}/check`);
    tell(`${endpoint.name}: ${host.software}; ` + host.exports
        .map(e => e.path + (e.writable ? ' read-write' : ' read-only')).join(', '));
  }

  async function remove(endpoint) {
    if (await confirm(`Remove ${endpoint.name}?`, 'Remove')) {
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
      el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Name'),
          el('th', {scope: 'col'}, 'Address'), el('th', {scope: 'col', class: 'optional'}, 'Path'),
          el('th', {scope: 'col', class: 'optional'}, 'Fingerprint'),
          el('th', {scope: 'col'}, 'Actions'))), rows),
      el('h2', {}, 'Add an endpoint'),
      el('form', {class: 'row', id: 'add', submit: attempt(add)},
          field('Name', inputs.name), field('Address', inputs.address, true),
          field('Fingerprint, if you have it', inputs.fingerprint, true),
          field('Token', inputs.token), el('button', {class: 'main'}, 'Add')));
  load();
  return ['Endpoints'];
}
