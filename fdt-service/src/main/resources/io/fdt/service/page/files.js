// Two endpoints side by side, and what goes from one to the other.

import {get, may, part, post, query} from './api.js';
import {askText, attempt, button, bytes, choice, confirm, el, field, shortTime, show, tell, text, time} from './dom.js';
import {LongList} from './list.js';
import {openSheet} from './sheet.js';

const PART = 500;

/** A request has at most so many paths. */
const MOST_NAMES = 1000;

/** What is dragged lies in this page only: the pane, and where it was. */
let dragged = null;

export function parent(path) {
  const cut = path.replace(/\/+$/, '').lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

export function join(path, name) {
  return path.replace(/\/+$/, '') + '/' + name;
}

/** One side: an endpoint, a directory of it, and the names that are chosen. */
class Pane {
  constructor(side, endpoints, chosen, drop) {
    this.side = side;
    this.path = '';
    this.turn = 0;
    this.order = 'name';
    this.select = choice('endpoint', endpoints.map(e => [e.name, e.name]), chosen);
    this.select.addEventListener('change', attempt(() => this.open('')));
    this.input = text('path');
    this.find = el('input', {type: 'search', name: 'find', autocomplete: 'off', spellcheck: 'false',
      placeholder: 'Find in this directory', 'aria-label': side + ': find in this directory'});
    let pause = 0;
    this.find.addEventListener('input', () => {
      clearTimeout(pause);
      pause = setTimeout(attempt(() => this.open(this.path)), 250);
    });
    this.note = el('p', {class: 'note', 'aria-live': 'polite'});
    this.list = new LongList({
      label: side + ': names',
      load: async (from, count) => (await this.load(this.path, this.listing, from, count)).files,
      fill: (row, entry) => this.fill(row, entry),
      say: entry => this.say(entry),
      open: attempt(entry => this.enter(entry)),
      changed: () => this.count(),
      mayChoose: entry => !('name_bytes' in entry),
    });
    this.sorts = [['name', 'Name'], ['size', 'Size'], ['modified', 'Changed']].map(([order, label]) => {
      const sort = button(label, () => {
        this.order = this.order === order ? '-' + order : order;
        return this.open(this.path);
      }, {class: 'sort sort-' + order});
      sort.dataset.order = order;
      return sort;
    });
    const all = button('All', () => this.list.chooseAll(!this.list.isAllChosen),
        {'aria-label': side + ': choose all or none'});
    this.element = el('section', {class: 'pane', 'aria-label': side},
        el('form', {class: 'row', submit: attempt(() => this.open(this.input.value))},
            field(side + ' endpoint', this.select), field('Path', this.input, {wide: true}),
            el('button', {}, 'Open')),
        el('div', {class: 'row tools', role: 'group', 'aria-label': side + ': directory'},
            button('Up', () => this.open(parent(this.path))),
            button('Refresh', () => this.open(this.path)),
            ...(may('tasks') ? [
              button('New directory', () => this.makeDirectory()),
              button('Rename', () => this.rename()),
              button('Delete', () => this.remove())] : [])),
        el('div', {class: 'row find'}, this.find, all),
        this.note,
        el('div', {class: 'sorts', role: 'group', 'aria-label': side + ': order'}, ...this.sorts),
        this.list.element);
    this.takeDrops(drop);
  }

  takeDrops(drop) {
    const element = this.list.element;
    element.addEventListener('dragstart', event => {
      const entry = this.list.entryOf(event);
      if (!entry || !may('tasks')) {
        event.preventDefault();
        return;
      }
      if (!this.list.isAllChosen && !this.list.chosen.has(entry.name)) {
        this.list.chosen.clear();
        this.list.choose(entry, true);
        this.count();
        this.list.draw();
      }
      dragged = this;
      event.dataTransfer.effectAllowed = 'copy';
      event.dataTransfer.setData('text/plain', this.paths().join('\n'));
    });
    element.addEventListener('dragend', () => { dragged = null; });
    element.addEventListener('dragover', event => {
      if (dragged && dragged !== this) {
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        this.target(event);
      }
    });
    element.addEventListener('dragleave', event => {
      if (!element.contains(event.relatedTarget)) {
        this.target(null);
      }
    });
    element.addEventListener('drop', event => {
      if (dragged && dragged !== this) {
        event.preventDefault();
        const entry = this.list.entryOf(event);
        const into = entry?.kind === 'directory' ? join(this.path, entry.name) : this.path;
        this.target(null);
        drop(dragged, this, into);
      }
    });
  }

  /** Shows where something would be dropped: in a directory, or in the one that is open. */
  target(event) {
    const row = event?.target.closest('.entry');
    const entry = row && this.list.entryOf(event);
    const place = event && (entry?.kind === 'directory' ? row : this.list.element);
    for (const marked of this.element.querySelectorAll('.target')) {
      marked.classList.toggle('target', marked === place);
    }
    place?.classList.add('target');
  }

  get endpoint() {
    return this.select.value;
  }

  /** Opens a directory afresh. */
  async open(path) {
    const turn = ++this.turn;
    if (path !== this.path) {
      this.find.value = '';
    }
    this.note.className = 'note';
    this.note.textContent = 'Loading.';
    delete this.element.dataset.path;
    try {
      const page = await this.load(path, '', 0, PART);
      if (turn !== this.turn) {
        return; // somebody has gone elsewhere since
      }
      this.path = page.path;
      this.listing = page.listing;
      this.total = page.total;
      this.input.value = page.path;
      this.list.reset(page.total, page.files);
      this.count();
      this.element.dataset.path = page.path;
    } catch (error) {
      if (turn !== this.turn) {
        return;
      }
      this.list.reset(0, []);
      this.note.textContent = error.message;
      this.note.className = 'note error';
    }
    for (const sort of this.sorts) {
      const isDown = this.order === '-' + sort.dataset.order;
      const isUp = this.order === sort.dataset.order;
      sort.classList.toggle('up', isUp);
      sort.classList.toggle('down', isDown);
      sort.setAttribute('aria-pressed', String(isUp || isDown));
    }
  }

  /** A part of a listing; of a new one without its id. */
  load(path, listing, from, count) {
    return get(`endpoints/${part(this.endpoint)}/files` + query({
      path, listing, from, limit: count, sort: this.order, match: this.find.value.trim()}));
  }

  count() {
    const names = this.total === 1 ? '1 name' : this.total.toLocaleString() + ' names';
    const chosen = this.list.count;
    this.note.className = 'note';
    this.note.textContent = names + (this.find.value.trim() ? ' found' : '')
        + (chosen ? ', ' + chosen.toLocaleString() + ' chosen' : '');
  }

  fill(row, entry) {
    const isDirectory = entry.kind === 'directory';
    row.classList.toggle('unusable', 'name_bytes' in entry);
    row.draggable = !('name_bytes' in entry);
    show(row, el('span', {class: 'mark', 'aria-hidden': 'true'}),
        el('span', {class: isDirectory ? 'name open' : 'name', title: entry.name},
            isDirectory ? entry.name + '/' : entry.name),
        el('span', {class: 'size'}, entry.kind === 'file' ? bytes(entry.size)
          : isDirectory ? '' : entry.kind),
        el('span', {class: 'changed'}, shortTime(entry.modified)));
  }

  say(entry) {
    return `${entry.name}, ${entry.kind}${entry.kind === 'file' ? ', ' + bytes(entry.size) : ''}`
        + `, changed ${time(entry.modified)}`
        + ('name_bytes' in entry ? ', cannot be chosen: its name is not text' : '');
  }

  async enter(entry) {
    if (entry.kind === 'directory') {
      this.find.value = '';
      await this.open(join(this.path, entry.name));
    } else {
      tell(this.say(entry));
    }
  }

  /** What is chosen. Everything is the directory with what is in it. */
  paths() {
    if (this.list.isAllChosen && !this.find.value.trim()) {
      return [this.path.replace(/\/*$/, '/')];
    }
    return this.names().map(name => join(this.path, name));
  }

  names() {
    if (this.list.isAllChosen) {
      throw new Error('Choose names one by one here: what is found, or what is to go, has no name of its own.');
    }
    if (this.list.chosen.size > MOST_NAMES) {
      throw new Error(`Choose at most ${MOST_NAMES} names, or All.`);
    }
    if (this.list.chosen.size === 0) {
      throw new Error('Choose names first: click on a row, or press the space bar on it.');
    }
    return [...this.list.chosen.keys()];
  }

  makeDirectory() {
    askText('New directory in ' + this.path, 'Name', '', 'Make', async name => {
      await post(`endpoints/${part(this.endpoint)}/directories`, {path: join(this.path, name)});
      await this.open(this.path);
    });
  }

  rename() {
    const names = this.names();
    if (names.length !== 1) {
      throw new Error('Choose one name to rename it.');
    }
    askText('Rename ' + names[0], 'New name', names[0], 'Rename', async name => {
      await post(`endpoints/${part(this.endpoint)}/renames`,
          {from: join(this.path, names[0]), to: join(this.path, name)});
      await this.open(this.path);
    });
  }

  async remove() {
    const paths = this.names().map(name => join(this.path, name));
    const what = paths.length === 1 ? paths[0] : paths.length + ' names in ' + this.path;
    if (await confirm(`Delete ${what} at ${this.endpoint}, with all beneath? There is no way back.`, 'Delete')) {
      const task = await post('tasks', {
        kind: 'delete', submission_id: crypto.randomUUID(), source_endpoint: this.endpoint,
        source_paths: paths, options: {recursive: true}});
      location.hash = '#/tasks/' + task.task_id;
    }
  }
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
    const drop = (from, to, into) => attempt(() => {
      const paths = from.paths();
      openSheet({source_endpoint: from.endpoint, source_paths: paths,
        destination_endpoint: to.endpoint, destination_path: into.replace(/\/*$/, '/')});
    })();
    const left = new Pane('Left', endpoints, endpoints[0].name, drop);
    const right = new Pane('Right', endpoints, (endpoints[1] || endpoints[0]).name, drop);
    const transfer = (from, to, label, arrow) => el('button', {type: 'button', class: 'main',
      'aria-label': label, click: () => drop(from, to, to.path)}, 'Transfer',
    el('span', {class: arrow, 'aria-hidden': 'true'}));
    show(content, endpoints.length === 1 ? el('p', {class: 'note'}, 'There is one endpoint, this machine. ',
            el('a', {href: '#/endpoints'}, 'Add the server with which you want to exchange files.')) : null,
        el('div', {class: 'panes'}, left.element,
            may('tasks') ? el('div', {class: 'between'},
                transfer(left, right, 'Transfer to the right', 'arrow forth'),
                transfer(right, left, 'Transfer to the left', 'arrow back')) : el('div'),
            right.element));
    await Promise.all([left.open(''), right.open('')]);
  })();
  return ['Files'];
}
