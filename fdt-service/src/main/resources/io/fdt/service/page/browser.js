// Two endpoints side by side, and what goes from one to the other.

import {get, part, post} from './api.js';
import {attempt, bytes, choice, confirm, el, field, show, tell, time} from './dom.js';

const PAGE = 1000;

function parent(path) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

function join(path, name) {
  return path.replace(/\/+$/, '') + '/' + name;
}

/** One side: an endpoint, a directory of it, and the names that are chosen. */
class Pane {
  constructor(title, endpoints, chosen) {
    this.chosen = new Set();
    this.path = '';
    this.turn = 0;
    this.select = choice('endpoint', endpoints.map(e => [e.name, e.name]), chosen);
    this.select.addEventListener('change', attempt(() => this.open('')));
    this.input = el('input', {name: 'path', autocomplete: 'off', spellcheck: 'false'});
    this.rows = el('tbody');
    this.more = el('div', {class: 'row'});
    this.note = el('p', {'aria-live': 'polite'});
    this.element = el('section', {class: 'pane', 'aria-label': title},
        el('form', {class: 'row', submit: attempt(() => this.open(this.input.value))},
            field(title, this.select), field('Path', this.input, true),
            el('button', {}, 'Open')),
        el('div', {class: 'row'},
            el('button', {type: 'button', click: attempt(() => this.open(parent(this.path)))}, 'Up'),
            el('button', {type: 'button', click: attempt(() => this.makeDirectory())}, 'New directory'),
            el('button', {type: 'button', click: attempt(() => this.remove())}, 'Delete')),
        this.note,
        el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title + ': names'},
            el('table', {},
                el('thead', {}, el('tr', {},
                    el('th', {scope: 'col'}, 'Choose'), el('th', {scope: 'col'}, 'Name'),
                    el('th', {scope: 'col'}, 'Size'),
                    el('th', {scope: 'col', class: 'optional'}, 'Changed'))),
                this.rows), this.more));
  }

  get endpoint() {
    return this.select.value;
  }

  async open(path) {
    const turn = ++this.turn;
    this.note.textContent = 'Loading.';
    delete this.element.dataset.path;
    try {
      const page = await this.load(path, '');
      if (turn !== this.turn) {
        return; // somebody has gone elsewhere since
      }
      this.chosen.clear();
      this.path = page.path;
      this.input.value = page.path;
      this.rows.replaceChildren();
      this.add(page);
      this.element.dataset.path = page.path;
    } catch (error) {
      this.note.textContent = error.message;
      this.note.className = 'error';
    }
  }

  load(path, cursor) {
    return get(`endpoints/${part(this.endpoint)}/files?limit=${PAGE}&path=${part(path)}`
        + (cursor ? '&cursor=' + part(cursor) : ''));
  }

  add(page) {
    this.note.className = '';
    this.note.textContent = page.total + (page.total === 1 ? ' name' : ' names');
    this.rows.append(...page.files.map(file => this.row(file)));
    show(this.more, ...(page.next_cursor
      ? [el('button', {type: 'button', click: attempt(async () => {
        this.add(await this.load(this.path, page.next_cursor));
      })}, 'Show more')] : []));
  }

  row(file) {
    const isDirectory = file.kind === 'directory';
    const box = el('input', {type: 'checkbox', disabled: 'name_bytes' in file, change: () => {
      if (box.checked) {
        this.chosen.add(file.name);
      } else {
        this.chosen.delete(file.name);
      }
    }});
    box.setAttribute('aria-label', 'Choose ' + file.name);
    const name = isDirectory
      ? el('button', {type: 'button', class: 'name',
        click: attempt(() => this.open(join(this.path, file.name)))}, file.name + '/')
      : file.name;
    return el('tr', {}, el('td', {}, box), el('td', {}, name),
        el('td', {class: 'number'}, isDirectory ? '' : bytes(file.size)),
        el('td', {class: 'optional'}, time(file.modified)));
  }

  paths() {
    return [...this.chosen].map(name => join(this.path, name));
  }

  async makeDirectory() {
    const input = el('input', {name: 'directory', required: true});
    const dialog = el('dialog', {'aria-label': 'New directory', close: () => dialog.remove()},
        el('form', {submit: attempt(async () => {
          await post(`endpoints/${part(this.endpoint)}/directories`, {path: join(this.path, input.value)});
          dialog.close();
          await this.open(this.path);
        })}, el('div', {class: 'row'}, field('Name', input, true)),
        el('div', {class: 'row'}, el('button', {class: 'main'}, 'Make'),
            el('button', {type: 'button', click: () => dialog.close()}, 'Back'))));
    document.body.append(dialog);
    dialog.showModal();
  }

  async remove() {
    const paths = this.paths();
    if (paths.length === 0) {
      tell('Choose names first.');
      return;
    }
    const what = paths.length === 1 ? paths[0] : paths.length + ' names';
    if (await confirm(`Delete ${what} at ${this.endpoint}, with all beneath?`, 'Delete')) {
      const task = await post('tasks', {
        kind: 'delete', submission_id: crypto.randomUUID(), source_endpoint: this.endpoint,
        source_paths: paths, options: {recursive: true}});
      location.hash = '#/tasks/' + task.task_id;
    }
  }
}

function options() {
  const form = {
    sync: choice('sync', [['mtime', 'size and time'], ['size', 'size'], ['checksum', 'content'],
      ['exists', 'name']], 'mtime'),
    label: el('input', {name: 'label', maxlength: '200'}),
    limit: el('input', {name: 'limit', type: 'number', min: '0', step: 'any', placeholder: 'none'}),
    verify: el('input', {type: 'checkbox', name: 'verify'}),
    encrypt: el('input', {type: 'checkbox', name: 'encrypt'}),
    remove: el('input', {type: 'checkbox', name: 'delete'}),
  };
  const element = el('details', {}, el('summary', {}, 'Options'),
      el('div', {class: 'row'}, field('Label', form.label, true),
          field('Unchanged when same', form.sync), field('Limit, MiB/s', form.limit),
          field('Read back from the device', form.verify), field('Encrypt data', form.encrypt),
          field('Remove what the source lacks', form.remove)));
  const body = () => ({
    label: form.label.value,
    limit: Math.round(Number(form.limit.value || 0) * 1048576),
    options: {recursive: true, sync: form.sync.value, verify: form.verify.checked,
      encrypt: form.encrypt.checked, delete: form.remove.checked},
  });
  return {element, body};
}

export function filesView(view) {
  const content = el('div', {}, el('p', {}, 'Loading.'));
  show(view, el('h1', {tabindex: '-1'}, 'Files'), content);
  attempt(async () => {
    const {endpoints} = await get('endpoints');
    if (endpoints.length === 0) {
      show(content, el('p', {}, 'There are no endpoints yet. ', el('a', {href: '#/endpoints'}, 'Add one.')));
      return;
    }
    const left = new Pane('Left', endpoints, endpoints[0].name);
    const right = new Pane('Right', endpoints, (endpoints[1] || endpoints[0]).name);
    const chosen = options();
    const transfer = (from, to) => attempt(async () => {
      if (from.paths().length === 0) {
        tell('Choose names first.');
        return;
      }
      const task = await post('tasks', {
        submission_id: crypto.randomUUID(), source_endpoint: from.endpoint,
        source_paths: from.paths(), destination_endpoint: to.endpoint,
        destination_path: to.path.replace(/\/*$/, '/'), ...chosen.body()});
      location.hash = '#/tasks/' + task.task_id;
    });
    show(content, el('div', {class: 'panes'}, left.element,
            el('div', {class: 'between'},
                el('button', {type: 'button', class: 'main', 'aria-label': 'Transfer to the right',
                  click: transfer(left, right)}, 'Transfer \u2192'),
                el('button', {type: 'button', class: 'main', 'aria-label': 'Transfer to the left',
                  click: transfer(right, left)}, '\u2190 Transfer')),
            right.element),
        chosen.element);
    await Promise.all([left.open(''), right.open('')]);
  })();
  return ['Files'];
}
