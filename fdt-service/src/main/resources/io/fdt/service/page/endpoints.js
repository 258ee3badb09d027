// Endpoints: list, add, check, remove.

import {ask, get, may, part, post} from './api.js';
import {attempt, button, confirm, el, field, number, openDialog, shortTime, show, table, tell, text} from './dom.js';

/** Whether it answered when the service looked last. */
function health(endpoint) {
  const words = {reachable: ['succeeded', 'answers'], unreachable: ['failed', 'does not answer'], unknown: ['queued', 'not checked']};
  const [style, word] = words[endpoint.state];
  return [el('span', {class: 'badge ' + style}, word),
    endpoint.problem ? el('div', {class: 'soft'}, endpoint.problem + ' (' + shortTime(endpoint.checked) + ')') : null];
}

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
        el('td', {class: 'short'}, endpoint.address),
        el('td', {}, ...health(endpoint)),
        el('td', {class: 'optional'}, endpoint.default_path),
        el('td', {class: 'optional'}, el('code', {}, endpoint.fingerprint)),
        el('td', {}, el('div', {class: 'row'},
            button('Check', event => check(endpoint, event.target), {'aria-label': 'Check ' + endpoint.name}),
            !may('endpoints') || endpoint.endpoint_id.startsWith('local') ? null
              : button('Change', () => change(endpoint), {'aria-label': 'Change ' + endpoint.name}),
            !may('endpoints') || endpoint.endpoint_id.startsWith('local') ? null
              : button('Remove', () => remove(endpoint), {'aria-label': 'Remove ' + endpoint.name}))))));
  });

  async function check(endpoint, pressed) {
    pressed.disabled = true;
    try {
      const host = await post(`endpoints/${part(endpoint.name)}/check`);
      const trip = host.round_trip_us >= 50 ? ` in ${(host.round_trip_us / 1000).toFixed(1)} ms` : '';
      tell(`${endpoint.name} answers${trip}: ${host.software}; `
          + host.exports.map(e => e.path + (e.writable ? ' (read and write)' : ' (read only)')).join(', '));
    } finally {
      pressed.disabled = false;
      await load();
    }
  }

  function change(endpoint) {
    const token = el('input', {name: 'token', type: 'password', autocomplete: 'off'});
    const fingerprint = text('fingerprint', {value: endpoint.fingerprint, required: true});
    const path = text('default_path', {value: endpoint.default_path, required: true});
    const most = number('max_tasks', {value: endpoint.max_tasks, min: 1, max: 64, required: true});
    const dialog = openDialog('Change ' + endpoint.name, {}, null,
        el('form', {submit: attempt(async () => {
          const body = {default_path: path.value.trim(), max_tasks: Number(most.value)};
          if (token.value.trim()) {
            body.token = token.value.trim();
          }
          if (fingerprint.value.trim() !== endpoint.fingerprint) {
            body.fingerprint = fingerprint.value.trim();
          }
          await ask('PATCH', 'endpoints/' + part(endpoint.endpoint_id), body, {'If-Match': `"${endpoint.version}"`});
          dialog.close();
          tell(endpoint.name + ' was changed.');
          await load();
        })},
        el('div', {class: 'row'}, field('New token', token, {wide: true, hint: endpoint.has_token ? 'Leave it empty to keep the one that is stored.' : 'There is none so far.'})),
        el('div', {class: 'row'}, field('Fingerprint', fingerprint, {wide: true})),
        el('div', {class: 'row'}, field('Path', path, {wide: true}), field('Tasks at once', most)),
        el('div', {class: 'row'}, el('button', {class: 'main'}, 'Change'),
            el('button', {type: 'button', click: () => dialog.close()}, 'Back'))));
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
      if (!shown || !await confirm(`The server at ${body.address} has the key ${shown}. Compare it with what its `
          + 'administrator gave you, or with what fdt serve printed. Trust this server?', 'Trust it')) {
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
      table('Endpoints', ['Name', 'Address', 'State', ['Path', 'optional'], ['Fingerprint', 'optional'], 'Actions'], rows),
      may('endpoints') ? el('section', {'aria-label': 'Add an endpoint'}, el('h2', {}, 'Add an endpoint'),
          el('form', {class: 'row', id: 'add', submit: attempt(add)},
              field('Name', inputs.name, {hint: 'How you want to call it.'}),
              field('Address', inputs.address, {wide: true}),
              field('Fingerprint, if you have it', inputs.fingerprint, {wide: true}),
              field('Token', inputs.token, {hint: 'Stored encrypted.'}), field('Path', inputs.default_path),
              el('button', {class: 'main'}, 'Add'))) : null);
  load();
  const again = setInterval(load, 30000);
  return ['Endpoints', () => clearInterval(again)];
}
